"""Model calls that fail in passing are made again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pi_term.agent.events import AgentEnd
from pi_term.ai.faults import Fault
from pi_term.ai.messages import AssistantMessage, UserMessage, text_of
from pi_term.base.abort import AbortController, AbortError
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import AgentSettled, AutoRetryEnd, AutoRetryStart, EntryAppended
from pi_term.coding.retry import RetryPolicy, pause
from pi_term.coding.session import SessionFile, build_context
from pi_term.testing.scripted import Call, Fail, Reply, Say, ScriptedModel, Wait, until
from pi_term.testing.sessions import scripted_session, watch

BUSY = Fail("overloaded", Fault("transient", "529 overloaded"))
REFUSED = Fail("refused", Fault("bad_request", "400 refused"))


def after(seconds: float) -> Fail:
    return Fail("wait", Fault("transient", "429 wait", retry_after=seconds))


@pytest.fixture
async def script() -> AsyncIterator[ScriptedModel]:
    with ScriptedModel() as script:
        yield script


@pytest.fixture
async def session(script: ScriptedModel, tmp_path: Path) -> AsyncIterator[AgentSession]:
    session = await scripted_session(
        script, tmp_path, settings={"retry.baseDelayMs": 4, "retry.maxRetries": 3}
    )
    yield session
    await session.aclose()


def types(session: AgentSession) -> list[str]:
    return [entry.role or entry.type for entry in session.file.tree.branch()][2:]


async def test_a_passing_failure_is_tried_again_with_growing_delays(
    session: AgentSession, script: ScriptedModel
) -> None:
    script.replies = [[BUSY], [Say("half "), BUSY], [Say("whole")]]
    seen = watch(session)
    await session.prompt("go")
    starts = [each for each in seen if isinstance(each, AutoRetryStart)]
    assert [(each.attempt, each.max_attempts, each.delay_ms) for each in starts] == [(1, 3, 4), (2, 3, 8)]
    assert "529" in starts[0].error_message
    assert [each for each in seen if isinstance(each, AutoRetryEnd)] == [AutoRetryEnd(True, 2)]
    assert [each.will_retry for each in seen if isinstance(each, AgentEnd)] == [True, True, False]
    assert types(session) == [
        *("system", "user", "assistant", "context_edit", "assistant", "context_edit", "assistant")
    ]


async def test_the_order_of_events_is_pis(session: AgentSession, script: ScriptedModel) -> None:
    script.replies = [[BUSY], [Say("fine")]]
    seen = watch(session)
    await session.prompt("go")
    order = [each.type for each in seen if each.type != "message_update"]
    assert order[order.index("agent_end") :] == [
        *("agent_end", "auto_retry_start", "entry_appended", "agent_start", "turn_start"),
        *("message_start", "message_end", "auto_retry_end", "turn_end", "agent_end", "agent_settled"),
    ]


async def test_only_one_copy_of_the_answer_is_in_the_history(
    session: AgentSession, script: ScriptedModel
) -> None:
    script.replies = [[Say("first half"), BUSY], [Say("the answer")], [Say("next")]]
    await session.prompt("go")
    await session.prompt("more")
    said = [text_of(each.content) for each in script.contexts[-1].messages]
    assert said == ["go", "the answer", "more"]
    assert session.file.path is not None
    reopened = SessionFile.open(session.file.path)
    again = build_context(reopened.tree).messages
    assert [each.to_json() for each in again] == [each.to_json() for each in session.agent.state.messages]
    reopened.close()


async def test_it_is_given_up_after_the_last_try(session: AgentSession, script: ScriptedModel) -> None:
    script.replies = [[BUSY]] * 4 + [[Say("works")]]
    seen = watch(session)
    await session.prompt("go")
    assert len(script.contexts) == 4
    ends = [each for each in seen if isinstance(each, AutoRetryEnd)]
    assert len(ends) == 1
    assert (ends[0].success, ends[0].attempt) == (False, 3)
    assert "529" in (ends[0].final_error or "")
    assert seen.index(ends[0]) > max(n for n, each in enumerate(seen) if isinstance(each, AgentEnd))
    assert types(session)[-1] == "assistant"  # the last failure stays
    await session.prompt("again")
    assert [text_of(each.content) for each in script.contexts[-1].messages] == ["go", "again"] or [
        each.role for each in script.contexts[-1].messages
    ] == ["user", "assistant", "user"]


@pytest.mark.parametrize("reply", [[REFUSED], [Fail("ours")]])
async def test_other_failures_are_not_tried_again(
    session: AgentSession, script: ScriptedModel, reply: list[Fail]
) -> None:
    script.replies = [reply]
    seen = watch(session)
    await session.prompt("go")
    assert len(script.contexts) == 1
    assert not any(isinstance(each, AutoRetryStart | AutoRetryEnd | EntryAppended) for each in seen)
    assert session.agent.state.last_error


async def test_a_tool_that_ran_is_not_run_again(
    session: AgentSession, script: ScriptedModel, tmp_path: Path
) -> None:
    script.replies = [[Call("bash", {"command": "echo x >> ran"})], [BUSY], [Say("done")]]
    await session.prompt("go")
    assert (tmp_path / "work" / "ran").read_text() == "x\n"
    assert [each.role for each in script.contexts[-1].messages] == ["user", "assistant", "toolResult"]


async def test_tries_are_counted_anew_after_a_success(session: AgentSession, script: ScriptedModel) -> None:
    call = [Call("bash", {"command": "true"})]
    script.replies = [[BUSY], [BUSY], call, [BUSY], [BUSY], [BUSY], [Say("done")]]
    seen = watch(session)
    await session.prompt("go")
    attempts = [each.attempt for each in seen if isinstance(each, AutoRetryStart)]
    assert attempts == [1, 2, 1, 2, 3]
    assert session.agent.state.last_error is None


async def test_what_is_steered_during_the_wait_goes_with_the_next_try(
    script: ScriptedModel, tmp_path: Path
) -> None:
    session = await scripted_session(script, tmp_path, settings={"retry.baseDelayMs": 200})
    script.replies = [[BUSY], [Say("both")], [Say("later")]]
    session.submit("go")
    await until(lambda: session.runs.retrying)
    session.submit("and this")
    session.submit("then that", follow_up=True)
    await session.wait_settled()
    asked = [[text_of(each.content) for each in context.messages] for context in script.contexts]
    assert asked[1:] == [["go", "and this"], ["go", "and this", "both", "then that"]]
    await session.aclose()


@pytest.mark.parametrize("whole", [True, False])
async def test_the_wait_can_be_called_off(script: ScriptedModel, tmp_path: Path, whole: bool) -> None:
    session = await scripted_session(script, tmp_path, settings={"retry.baseDelayMs": 60_000})
    script.replies = [[BUSY], [Say("never")]]
    seen = watch(session)
    session.submit("go")
    await until(lambda: session.runs.retrying)
    if whole:
        session.abort()
    else:
        session.runs.abort_retry()
    await asyncio.wait_for(session.wait_settled(), 10)
    await until(lambda: isinstance(seen[-1], AgentSettled))
    assert [each for each in seen if isinstance(each, AutoRetryEnd)] == [
        AutoRetryEnd(False, 1, "Retry cancelled")
    ]
    assert [each.aborted for each in seen if isinstance(each, AgentSettled)] == [whole]
    assert len(script.contexts) == 1
    await session.aclose()


async def test_off_means_off(script: ScriptedModel, tmp_path: Path) -> None:
    session = await scripted_session(script, tmp_path, settings={"retry.enabled": False})
    script.replies = [[BUSY]]
    await session.prompt("go")
    assert len(script.contexts) == 1
    await session.aclose()


async def test_an_abort_during_a_tried_again_call_ends_it(
    session: AgentSession, script: ScriptedModel
) -> None:
    script.replies = [[BUSY], [Say("begun "), Wait(asyncio.Event())]]
    seen = watch(session)
    session.submit("go")
    await until(lambda: len(script.contexts) == 2 and session.agent.state.partial is not None)
    session.abort()
    await session.wait_settled()
    await until(lambda: isinstance(seen[-1], AgentSettled))
    ends = [each for each in seen if isinstance(each, AutoRetryEnd)]
    assert [each.success for each in ends] == [False]
    last = session.agent.state.messages[-1]
    assert isinstance(last, AssistantMessage)
    assert last.stop_reason == "aborted"


async def test_every_prompt_is_kept_whatever_fails(session: AgentSession, script: ScriptedModel) -> None:
    script.answer = lambda context: Reply([BUSY] if len(script.contexts) % 3 else [Say("ok")])
    for number in range(6):
        await session.prompt(f"prompt {number}")
    asked = [text_of(each.content) for each in session.agent.state.messages if isinstance(each, UserMessage)]
    assert asked == [f"prompt {number}" for number in range(6)]


# --- the policy


def test_delays_double_up_to_the_longest() -> None:
    policy = RetryPolicy(max_retries=100, base_delay_ms=1000, max_delay_ms=5000)
    fault = Fault("network", "reset")
    assert [policy.delay_ms(n, fault) for n in (1, 2, 3, 4, 99)] == [1000, 2000, 4000, 5000, 5000]


def test_a_wait_that_the_server_names_is_taken(session: AgentSession) -> None:
    policy = RetryPolicy()
    assert policy.delay_ms(1, after(7).fault) == 7000
    assert policy.delay_ms(3, after(45.1).fault) == 45_100
    assert policy.delay_ms(1, after(12 * 3600).fault) is None
    assert RetryPolicy(max_server_delay_ms=0).delay_ms(1, after(3600).fault) == 3_600_000
    assert policy.delay_ms(1, after(0).fault) == 2000  # a date that has passed is no wait


@pytest.mark.parametrize("kind", ["quota", "auth", "overflow", "bad_request"])
def test_what_does_not_pass_is_not_waited_for(kind: str) -> None:
    fault = Fault(kind, "no", retry_after=1)  # type: ignore[arg-type]
    assert RetryPolicy().delay_ms(1, fault) is None
    assert RetryPolicy().delay_ms(1, None) is None


async def test_a_pause_that_is_called_off_raises() -> None:
    controller = AbortController()
    asyncio.get_running_loop().call_soon(controller.abort)
    with pytest.raises(AbortError):
        await pause(60_000, controller.signal)
