"""When a session's context is made shorter, and what becomes of everything around it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from pi_term.agent.events import AgentEnd, TurnStart
from pi_term.ai.context import Context
from pi_term.ai.faults import Fault
from pi_term.ai.messages import AssistantMessage, ToolResultMessage, Usage, UserMessage, text_of
from pi_term.base.abort import AbortError, Wanted, always
from pi_term.base.errors import PiTermError
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import AgentSettled, AutoRetryStart, CompactionEnd, CompactionStart, SessionEvent
from pi_term.coding.session import CompactionEntry, SessionContext, SessionFile, build_context
from pi_term.testing.scripted import Call, Fail, Part, Reply, Say, ScriptedModel, Wait, until
from pi_term.testing.sessions import scripted_session, watch

WINDOW = 100_000
SETTINGS = {"compaction.reserveTokens": 20_000, "compaction.keepRecentTokens": 1_000, "retry.baseDelayMs": 1}
FULL = Fail("too long", Fault("overflow", "400 prompt is too long"))
LONG = "word " * 600  # 750 tokens


def used(total: int, output: int = 10) -> Usage:
    return Usage(input=total - output, output=output, total_tokens=total)


def say(text: str, total: int = 0) -> Reply:
    return Reply([Say(text)], usage=used(total)) if total else Reply([Say(text)])


def is_summary_request(context: Context) -> bool:
    return not context.tools and "<conversation>" in str(context.messages)


class Model(ScriptedModel):
    """Answers requests for a summary from `summaries`, all others from `turns`."""

    def __init__(self) -> None:
        super().__init__(answer=self._next, context_window=WINDOW, max_tokens=4_000)
        self.turns: list[Sequence[Part] | Reply] = []
        self.summaries: list[Sequence[Part] | Reply] = []
        self.asked_for: list[str] = []

    def _next(self, context: Context) -> Sequence[Part] | Reply:
        summary = is_summary_request(context)
        self.asked_for.append("summary" if summary else "turn")
        if summary:
            return self.summaries.pop(0) if self.summaries else [Say("## Goal\nsummary")]
        return self.turns.pop(0) if self.turns else [Say("answer")]

    @property
    def asked(self) -> list[list[str]]:
        """The texts of the messages of all requests but those for summaries."""
        return [
            [text_of(each.content) for each in context.messages]
            for context in self.contexts
            if not is_summary_request(context)
        ]


@pytest.fixture
async def model() -> AsyncIterator[Model]:
    with Model() as model:
        yield model


@pytest.fixture
async def session(model: Model, tmp_path: Path) -> AsyncIterator[AgentSession]:
    session = await scripted_session(model, tmp_path, settings=SETTINGS)
    yield session
    await session.aclose()


async def talk(session: AgentSession, model: Model, turns: int = 4) -> None:
    """Some history, each turn of it about 1,500 tokens."""
    for number in range(turns):
        model.turns.append(say(f"answer {number} {LONG}"))
        await session.prompt(f"question {number} {LONG}")


def compactions(session: AgentSession) -> list[CompactionEntry]:
    records = [entry.record() for entry in session.file.tree.branch() if entry.type == "compaction"]
    return [each for each in records if isinstance(each, CompactionEntry)]


def told(seen: list[SessionEvent]) -> list[str]:
    return [
        f"{each.type}:{each.reason}" if isinstance(each, CompactionStart | CompactionEnd) else each.type
        for each in seen
        if isinstance(each, CompactionStart | CompactionEnd | AgentEnd | AgentSettled)
    ]


def check_projection(session: AgentSession) -> None:
    """What the agent has in memory is what the file says."""
    there = [each.to_json() for each in build_context(session.file.tree).messages]
    assert [each.to_json() for each in session.agent.state.messages] == there


# --- on demand


async def test_what_is_old_becomes_a_summary(session: AgentSession, model: Model) -> None:
    await talk(session, model)
    seen = watch(session)
    result = await session.compact("mind the ticket ZX-9")
    assert told(seen) == ["compaction_start:manual", "compaction_end:manual"]
    assert result.estimated_tokens_after < result.tokens_before
    assert all("ZX-9" in str(each.messages) for each in model.contexts if is_summary_request(each))
    (record,) = compactions(session)
    assert record.summary == result.summary
    assert record.from_hook is False
    assert record.system_message is not None
    check_projection(session)
    await session.prompt("go on")
    last = model.asked[-1]
    assert "summary" in last[0]
    assert not any("question 0" in text for text in last)
    assert any("answer 3" in text for text in last)
    assert last[-1] == "go on"


async def test_of_a_session_that_was_just_opened_it_is_known_how_long_it_was(
    session: AgentSession, model: Model
) -> None:
    await talk(session, model)
    path = session.file.path
    assert path is not None
    await session.switcher.open(SessionFile.open(path))
    result = await session.compact()
    assert result.tokens_before > result.estimated_tokens_after > 0


async def test_its_cost_is_counted(session: AgentSession, model: Model) -> None:
    await talk(session, model)
    before = session.stats.input
    model.summaries = [Reply([Say("short")], usage=used(5_000)), Reply([Say("short")], usage=used(100))]
    await session.compact()
    assert session.stats.input - before >= 4_990


async def test_nothing_to_compact_changes_nothing(session: AgentSession, model: Model) -> None:
    seen = watch(session)
    with pytest.raises(PiTermError) as error:
        await session.compact()
    assert error.value.code == "nothing_to_compact"
    assert isinstance(seen[-1], CompactionEnd)
    assert seen[-1].error_message
    await session.prompt("short")
    with pytest.raises(PiTermError):
        await session.compact()
    assert compactions(session) == []


@pytest.mark.parametrize(
    "summary", [Reply([Say("cut")], stop="length"), [Say("  \n ")], [Fail("no", Fault("auth", "401 no"))]]
)
async def test_a_bad_summary_is_never_installed(
    session: AgentSession, model: Model, summary: Sequence[Part] | Reply
) -> None:
    await talk(session, model)
    before = [each.to_json() for each in session.agent.state.messages]
    model.summaries = [summary] * 2
    seen = watch(session)
    with pytest.raises(PiTermError):
        await session.compact()
    assert isinstance(seen[-1], CompactionEnd)
    assert (seen[-1].result, seen[-1].aborted) == (None, False)
    assert compactions(session) == []
    assert [each.to_json() for each in session.agent.state.messages] == before


async def test_it_can_be_called_off(session: AgentSession, model: Model) -> None:
    await talk(session, model)
    model.summaries = [[Wait(asyncio.Event())]]
    seen = watch(session)
    work = asyncio.create_task(session.compact())
    await until(lambda: "summary" in model.asked_for)
    assert session.busy
    session.abort()
    with pytest.raises(AbortError):
        await asyncio.wait_for(work, 10)
    assert [each.aborted for each in seen if isinstance(each, CompactionEnd)] == [True]
    assert not session.busy
    assert compactions(session) == []
    await session.prompt("still works")


async def test_compacting_again_keeps_what_the_first_one_kept(session: AgentSession, model: Model) -> None:
    await talk(session, model)
    await session.compact()
    first_kept = compactions(session)[0].first_kept_entry_id
    model.turns = [say(f"later {LONG}")] * 3
    for _ in range(3):
        await session.prompt(f"more {LONG}")
    await session.compact()
    summarised = str([each.messages for each in model.contexts if is_summary_request(each)][-1])
    entry = session.file.tree.get(first_kept)
    assert entry is not None
    assert "answer 3" in summarised
    assert "<previous-summary>" in summarised
    check_projection(session)


# --- by itself


async def test_after_a_run_that_filled_the_context(session: AgentSession, model: Model) -> None:
    await talk(session, model)
    model.turns = [say("big", total=85_000)]
    seen = watch(session)
    await session.prompt("fill it")
    assert told(seen) == [
        *("agent_end", "compaction_start:threshold", "compaction_end:threshold", "agent_settled")
    ]
    assert len(compactions(session)) == 1
    assert session.context_tokens() is None  # unknown until a fresh answer
    model.turns = [say("small", total=3_000)]
    await session.prompt("short")
    assert session.context_tokens() == 3_000
    assert len(compactions(session)) == 1  # B-036: an old figure is not trusted
    check_projection(session)


async def test_between_the_turns_of_a_run_which_then_goes_on(session: AgentSession, model: Model) -> None:
    await talk(session, model)
    call = Reply([Call("bash", {"command": "echo hi"})], usage=used(90_000))
    model.turns = [call, say("done", total=2_000)]
    seen = watch(session)
    await session.prompt("work")
    assert told(seen) == [
        *("compaction_start:threshold", "compaction_end:threshold", "agent_end", "agent_settled")
    ]
    starts = [n for n, each in enumerate(seen) if isinstance(each, TurnStart)]
    compacted = next(n for n, each in enumerate(seen) if isinstance(each, CompactionEnd))
    assert starts[0] < compacted < starts[1]
    roles = [each.role for each in session.agent.state.messages]
    assert roles[-3:] == ["assistant", "toolResult", "assistant"]
    assert "summary" in model.asked[-1][0]
    check_projection(session)


async def test_before_a_prompt_when_a_session_is_opened_that_is_too_full(
    model: Model, tmp_path: Path
) -> None:
    session = await scripted_session(model, tmp_path, settings={**SETTINGS, "compaction.enabled": False})
    await talk(session, model)
    model.turns = [say("big", total=95_000)]
    await session.prompt("fill it")
    path = session.file.path
    assert path is not None
    assert compactions(session) == []
    await session.aclose()
    again = await scripted_session(model, tmp_path, settings=SETTINGS)
    await again.switcher.open(SessionFile.open(path))
    model.turns = [say("fine", total=3_000)]
    await again.prompt("hello")
    assert len(compactions(again)) == 1
    assert model.asked_for[-2:] == ["summary", "turn"]
    await again.aclose()


async def test_a_context_that_stays_full_is_not_compacted_for_ever(
    session: AgentSession, model: Model
) -> None:
    await talk(session, model)
    model.turns = [Reply([Call("bash", {"command": "echo hi"})], usage=used(90_000)) for _ in range(10)]
    await session.prompt("work")
    assert model.asked_for.count("summary") <= 3


async def test_a_summary_that_fails_does_not_end_the_run_and_is_not_paid_for_each_turn(
    session: AgentSession, model: Model
) -> None:
    await talk(session, model)
    model.summaries = [[Fail("no", Fault("auth", "401"))]] * 20
    model.turns = [
        *(Reply([Call("bash", {"command": "echo hi"})], usage=used(90_000 + n)) for n in range(5)),
        say("done"),
    ]
    seen = watch(session)
    await session.prompt("work")
    last = session.agent.state.messages[-1]
    assert isinstance(last, AssistantMessage)
    assert last.text == "done"
    assert model.asked_for.count("summary") <= 2
    assert any(isinstance(each, CompactionEnd) and each.error_message for each in seen)


async def test_off_is_off(model: Model, tmp_path: Path) -> None:
    session = await scripted_session(model, tmp_path, settings={**SETTINGS, "compaction.enabled": False})
    await talk(session, model)
    model.turns = [say("big", total=99_000), [FULL]]
    await session.prompt("fill it")
    await session.prompt("more")
    assert compactions(session) == []
    assert session.agent.state.last_error
    await session.compact()
    assert len(compactions(session)) == 1
    await session.aclose()


# --- after an overflow


async def test_an_overflow_is_compacted_and_tried_again(session: AgentSession, model: Model) -> None:
    await talk(session, model)
    model.turns = [[FULL], [Say("fits now")]]
    seen = watch(session)
    await session.prompt("one more")
    ends = [each for each in seen if isinstance(each, CompactionEnd)]
    assert [(each.reason, each.will_retry, each.error_message) for each in ends] == [("overflow", True, None)]
    assert [each.will_retry for each in seen if isinstance(each, AgentEnd)] == [False, False]
    assert not any(isinstance(each, AutoRetryStart) for each in seen)
    kinds = [entry.role or entry.type for entry in session.file.tree.branch()]
    assert kinds[-5:] == ["user", "assistant", "context_edit", "compaction", "assistant"]
    assert model.asked[-1][-1] == "one more"
    assert session.agent.state.last_error is None
    check_projection(session)


async def test_one_compaction_for_one_prompt(session: AgentSession, model: Model) -> None:
    await talk(session, model)
    model.asked_for.clear()
    model.turns = [[FULL]] * 9
    model.summaries = [[Say(LONG * 5)]] * 9
    seen = watch(session)
    await session.prompt("one more")
    assert len(model.asked_for) <= 4
    last = [each for each in seen if isinstance(each, CompactionEnd)][-1]
    assert "did not help" in (last.error_message or "")
    assert [each.aborted for each in seen if isinstance(each, AgentSettled)] == [False]
    model.turns = [[Say("fine")]]
    await session.prompt("short")
    assert session.agent.state.last_error is None


async def test_a_single_prompt_that_is_too_long_is_summarised_too(
    session: AgentSession, model: Model
) -> None:
    model.turns = [[FULL], [Say("understood")]]
    await session.prompt("do this: " + LONG * 20)
    assert len(compactions(session)) == 1
    assert compactions(session)[0].first_kept_entry_id == compactions(session)[0].id
    last = session.agent.state.messages[-1]
    assert isinstance(last, AssistantMessage)
    assert last.text == "understood"
    check_projection(session)


async def test_an_overflow_in_the_middle_of_the_work_goes_on_after_it(
    session: AgentSession, model: Model
) -> None:
    await talk(session, model)
    model.turns = [[Call("bash", {"command": "echo hi"})], [FULL], [Say("done")]]
    await session.prompt("work")
    results = [each for each in session.agent.state.messages if isinstance(each, ToolResultMessage)]
    assert len(results) == 1
    assert session.agent.state.messages[-1].role == "assistant"
    check_projection(session)


async def test_an_answer_cut_off_early_means_a_full_window(session: AgentSession, model: Model) -> None:
    await talk(session, model)
    model.turns = [Reply([Say("cut")], stop="length", usage=used(99_000, output=20)), [Say("whole")]]
    seen = watch(session)
    await session.prompt("tell")
    assert [each.reason for each in seen if isinstance(each, CompactionEnd)] == ["overflow"]
    last = session.agent.state.messages[-1]
    assert isinstance(last, AssistantMessage)
    assert last.text == "whole"


async def test_an_answer_as_long_as_allowed_is_just_an_answer(session: AgentSession, model: Model) -> None:
    await talk(session, model)
    model.turns = [Reply([Say("cut")], stop="length", usage=used(9_000, output=4_000))]
    await session.prompt("tell")
    assert compactions(session) == []
    assert session.agent.state.messages[-1].role == "assistant"


async def test_one_that_is_called_off_before_it_began_has_no_end_either(
    session: AgentSession, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever counts starts and ends, as a status line does, comes out even."""
    await talk(session, model)
    seen = watch(session)
    project = session.conversation.project

    async def called_off(wanted: Wanted = always) -> SessionContext:
        if session.compactor.running:
            session.abort()
        return await project(wanted)

    monkeypatch.setattr(session.conversation, "project", called_off)
    model.turns = [Reply([Call("bash", {"command": "true"})], usage=used(90_000)), say("never")]
    await session.prompt("fill it")
    assert told(seen) == ["agent_end", "agent_settled"]
    with pytest.raises(AbortError):
        await session.compact()
    assert told(seen)[2:] == ["compaction_start:manual", "compaction_end:manual"]


@pytest.mark.parametrize("follow_up", [False, True])
async def test_what_waits_counts_before_it_is_sent(
    session: AgentSession, model: Model, follow_up: bool
) -> None:
    """The context has room for itself, but not for the long message that comes with the next call."""
    await talk(session, model)
    go = asyncio.Event()
    model.turns = [Reply([Wait(go), Say("first")], usage=used(79_000)), say("second")]
    seen = watch(session)
    session.submit("work")
    await until(lambda: session.agent.state.partial is not None)
    session.submit(f"look at this: {LONG * 3}", follow_up=follow_up)
    go.set()
    await session.wait_settled()
    assert told(seen)[:2] == ["compaction_start:threshold", "compaction_end:threshold"]
    assert model.asked_for[-2:] == ["summary", "turn"]
    assert "look at this" in model.asked[-1][-1]


# --- what is sent meanwhile


@pytest.mark.parametrize("end", ["well", "badly", "called off"])
async def test_what_is_sent_during_a_compaction_is_delivered_once(
    session: AgentSession, model: Model, end: str
) -> None:
    await talk(session, model)
    go = asyncio.Event()
    model.summaries = [[Wait(go), Say("short") if end == "well" else Fail("no", Fault("auth", "401"))]]
    work = asyncio.create_task(session.compact())
    await until(lambda: "summary" in model.asked_for)
    session.submit("steer this")
    session.submit("and follow up", follow_up=True)
    await asyncio.sleep(0)
    assert len(session.agent.steering) == len(session.agent.follow_ups) == 1
    if end == "called off":
        session.compactor.abort()
    go.set()
    await asyncio.wait([work], timeout=20)
    assert work.done()
    work.exception()
    await session.wait_settled()
    asked = [text_of(each.content) for each in session.agent.state.messages if isinstance(each, UserMessage)]
    assert asked[-2:] == ["steer this", "and follow up"]
    assert [each.role for each in session.agent.state.messages][-4:] == ["user", "assistant"] * 2


async def test_a_compaction_asked_for_during_a_run_waits_for_the_save_point(
    session: AgentSession, model: Model
) -> None:
    await talk(session, model)
    go = asyncio.Event()
    model.turns = [[Wait(go), Call("bash", {"command": "echo hi"})], [Say("done")]]
    session.submit("work")
    await until(lambda: model.asked_for[-1] == "turn" and session.agent.running)
    work = asyncio.create_task(session.compact())
    await asyncio.sleep(0)
    go.set()
    result = await asyncio.wait_for(work, 20)
    await session.wait_settled()
    assert result.summary
    assert model.asked_for[-2:] == ["summary", "turn"]
    check_projection(session)


async def test_a_command_during_a_compaction_is_recorded_behind_it(
    session: AgentSession, model: Model
) -> None:
    await talk(session, model)
    go = asyncio.Event()
    model.summaries = [[Wait(go), Say("short")], [Say("short")]]
    work = asyncio.create_task(session.compact())
    await until(lambda: "summary" in model.asked_for)
    await session.run_shell("echo hi")
    go.set()
    await asyncio.wait_for(work, 20)
    kinds = [entry.role or entry.type for entry in session.file.tree.branch()]
    assert kinds[-2:] == ["compaction", "bashExecution"]
    check_projection(session)
