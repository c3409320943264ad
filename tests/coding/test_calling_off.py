"""What becomes of messages around the moment in which a run is called off or a session is left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pi_term.ai.faults import Fault
from pi_term.ai.messages import AssistantMessage, UserMessage, text_of
from pi_term.base.errors import PiTermError
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import AgentSettled, SessionEvent
from pi_term.testing.scripted import Call, Fail, Say, ScriptedModel, Wait, until
from pi_term.testing.sessions import scripted_session

# Does not end when it is asked to, so that there is time to type before the run is over.
STUBBORN = Call("bash", {"command": "trap '' TERM; echo started; while :; do sleep 0.1; done"})


@pytest.fixture
async def script() -> AsyncIterator[ScriptedModel]:
    with ScriptedModel() as script:
        yield script


@pytest.fixture
async def session(script: ScriptedModel, tmp_path: Path) -> AsyncIterator[AgentSession]:
    session = await scripted_session(script, tmp_path)
    yield session
    await session.aclose()


def prompts(session: AgentSession) -> list[str]:
    return [text_of(m.content) for m in session.agent.state.messages if isinstance(m, UserMessage)]


def last_answer(session: AgentSession) -> AssistantMessage:
    last = session.agent.state.messages[-1]
    assert isinstance(last, AssistantMessage)
    return last


async def start_stubborn(session: AgentSession) -> None:
    session.submit("go")
    await until(lambda: bool(session.agent.state.pending_tool_calls))


@pytest.mark.parametrize("follow_up", [False, True])
async def test_what_is_sent_while_a_run_is_called_off_is_answered(
    session: AgentSession, script: ScriptedModel, follow_up: bool
) -> None:
    script.replies = [[STUBBORN], [Say("the answer")]]
    await start_stubborn(session)
    session.abort()
    session.submit("this instead", follow_up=follow_up)
    async with asyncio.timeout(30):
        await session.wait_settled()
    assert prompts(session) == ["go", "this instead"]
    assert last_answer(session).text == "the answer"
    stops = [m.stop_reason for m in session.agent.state.messages if isinstance(m, AssistantMessage)]
    assert stops == ["toolUse", "aborted", "stop"]


async def test_what_waited_before_stays_where_it_is(session: AgentSession, script: ScriptedModel) -> None:
    script.replies = [[STUBBORN]]
    await start_stubborn(session)
    session.submit("steer")
    session.abort()
    async with asyncio.timeout(30):
        await session.wait_settled()
    assert prompts(session) == ["go"]
    assert session.take_queued() == ["steer"]


async def test_a_run_that_has_not_begun_can_be_called_off(
    session: AgentSession, script: ScriptedModel
) -> None:
    """B-044: the prompt is kept, and the model is not waited for."""
    script.replies = [[Wait(asyncio.Event())], [Say("again")]]
    session.submit("hello")
    session.abort()
    async with asyncio.timeout(30):
        await session.wait_settled()
    assert prompts(session) == ["hello"]
    assert last_answer(session).stop_reason == "aborted"
    await session.prompt("and now")
    assert last_answer(session).text == "again"


async def test_what_is_sent_on_the_way_to_another_session_is_for_that_one(
    session: AgentSession, script: ScriptedModel
) -> None:
    script.replies = [[STUBBORN], [Say("in the new one")]]
    await start_stubborn(session)
    session.submit("too late for this")
    old = session.file
    leaving = asyncio.create_task(session.switcher.new())
    await asyncio.sleep(0)
    session.submit("for the new one")
    await leaving
    async with asyncio.timeout(30):
        await session.wait_settled()
    assert session.file is not old
    assert prompts(session) == ["for the new one"]
    assert last_answer(session).text == "in the new one"


async def test_a_late_message_waits_for_no_save(session: AgentSession, script: ScriptedModel) -> None:
    """B-049: sent while what was deferred is written, it is delivered in the same breath."""
    script.replies = [[Say("one")], [Say("two")]]
    settled: list[SessionEvent] = []

    async def watch(event: SessionEvent) -> None:
        if isinstance(event, AgentSettled):
            settled.append(event)

    session.subscribe(watch)
    save_point = session.recorder.save_point

    async def slow() -> None:
        await save_point()
        if len(prompts(session)) == 1 and not session.agent.running and not len(session.agent.steering):
            session.submit("late")

    session.recorder.save_point = slow  # type: ignore[method-assign]
    await session.prompt("first")
    assert prompts(session) == ["first", "late"]
    assert len(settled) == 1


async def test_what_waits_when_a_retry_is_called_off_stays(script: ScriptedModel, tmp_path: Path) -> None:
    session = await scripted_session(script, tmp_path, settings={"retry.baseDelayMs": 60_000})
    script.replies = [[Fail("busy", Fault("transient", "529"))], [Say("never asked")]]
    session.submit("go")
    await until(lambda: session.runs.retrying)
    session.submit("later")
    session.abort()
    async with asyncio.timeout(30):
        await session.wait_settled()
    assert session.take_queued() == ["later"]
    assert len(script.contexts) == 1
    await session.aclose()


async def test_nothing_begins_on_the_way_to_another_session(
    session: AgentSession, script: ScriptedModel
) -> None:
    script.replies = [[Say("one")], [Say("in the copy")]]
    await session.prompt("first")
    events: list[str] = []

    async def watch(event: SessionEvent) -> None:
        events.append(event.type)
        if event.type == "session_switched":
            session.submit("on arrival")
            with pytest.raises(PiTermError):
                await session.prompt("too early")

    session.subscribe(watch)
    await session.switcher.clone()
    await session.wait_settled()
    assert prompts(session) == ["first", "on arrival"]
    assert events.index("session_switched") < events.index("agent_start")


async def test_a_run_that_cannot_begin_keeps_its_prompt_and_its_commands(
    session: AgentSession, script: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise RuntimeError("no prompt to be had")

    script.replies = [[Say("fine")]]
    monkeypatch.setattr(session.harness, "declare", broken)
    await session.prompt("first")
    monkeypatch.undo()
    await session.run_shell("true")
    assert not session.busy
    assert [entry.role for entry in session.file.tree.branch()][2:] == ["user", "bashExecution"]
    await session.prompt("second")
    assert prompts(session) == ["first", "second"]
