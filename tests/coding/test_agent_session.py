from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pi_term.agent.events import MessageEnd, ToolExecutionStart
from pi_term.ai.messages import AssistantMessage, UserMessage, text_of
from pi_term.base.errors import PiTermError
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import AgentSettled, DiagnosticRaised, SessionEvent, SessionSwitched
from pi_term.coding.session import SessionFile
from pi_term.testing.scripted import Call, Fail, Say, ScriptedModel, Wait, until
from pi_term.testing.sessions import scripted_session


@pytest.fixture
async def script() -> AsyncIterator[ScriptedModel]:
    with ScriptedModel(reasoning=True) as script:
        yield script


@pytest.fixture
async def session(script: ScriptedModel, tmp_path: Path) -> AsyncIterator[AgentSession]:
    session = await scripted_session(script, tmp_path)
    yield session
    await session.aclose()


def stored(session: AgentSession) -> list[dict[str, Any]]:
    assert session.file.path is not None
    return [json.loads(line) for line in session.file.path.read_text().splitlines()]


def kinds(session: AgentSession) -> list[str]:
    return [
        entry["message"]["role"] if entry["type"] == "message" else entry["type"] for entry in stored(session)
    ]


def watch(session: AgentSession) -> list[SessionEvent]:
    seen: list[SessionEvent] = []

    async def listen(event: SessionEvent) -> None:
        seen.append(event)

    session.subscribe(listen)
    return seen


async def test_the_file_begins_as_pi_writes_it(session: AgentSession, script: ScriptedModel) -> None:
    script.replies = [[Say("hi")]]
    await session.prompt("hello")
    assert kinds(session) == [
        "session", "model_change", "thinking_level_change", "system", "user", "assistant",
    ]  # fmt: skip
    entries = stored(session)
    assert [entry["parentId"] for entry in entries[1:]] == [None, *(entry["id"] for entry in entries[1:-1])]
    system = entries[3]["message"]
    assert [tool["name"] for tool in system["toolsAdded"]] == ["read", "bash", "edit", "write"]
    assert list(system["sections"]) == ["preamble", "tools", "rules", "cwd"]


async def test_no_file_without_a_prompt(session: AgentSession) -> None:
    assert session.file.path is not None
    await session.set_thinking_level("low")
    assert not session.file.path.exists()


async def test_an_answer_is_on_disk_before_its_tools_start(
    session: AgentSession, script: ScriptedModel
) -> None:
    found: list[str] = []

    async def look(event: SessionEvent) -> None:
        if isinstance(event, ToolExecutionStart):
            found.append(stored(session)[-1]["message"]["role"])

    session.subscribe(look)
    script.replies = [[Call("bash", {"command": "true"})], [Say("ok")]]
    await session.prompt("go")
    assert found == ["assistant"]


async def test_what_is_shown_as_finished_is_on_disk(session: AgentSession, script: ScriptedModel) -> None:
    missing: list[Any] = []

    async def look(event: SessionEvent) -> None:
        if isinstance(event, MessageEnd) and session.file.stored:
            last = stored(session)[-1].get("message")
            if last != event.message.to_json():
                missing.append(event)

    session.subscribe(look)
    script.replies = [[Say("a"), Call("bash", {"command": "echo x"})], [Say("b")]]
    await session.prompt("go")
    assert not missing


async def test_settled_comes_once_and_last(session: AgentSession, script: ScriptedModel) -> None:
    seen = watch(session)
    script.replies = [[Call("bash", {"command": "true"})], [Say("ok")]]
    await session.prompt("go")
    assert [event.type for event in seen].count("agent_settled") == 1
    assert seen[-1] == AgentSettled(aborted=False)
    assert not session.busy


async def test_a_prompt_while_busy_is_refused_and_a_submit_steers(
    session: AgentSession, script: ScriptedModel
) -> None:
    gate = asyncio.Event()
    script.replies = [[Wait(gate), Say("one")], [Say("two")], [Say("three")]]
    session.submit("first")
    await until(lambda: session.agent.running)
    with pytest.raises(PiTermError, match="working"):
        await session.prompt("second")
    session.submit("at the end", follow_up=True)
    session.submit("steer")
    gate.set()
    await session.wait_settled()
    said = [text_of(m.content) for m in session.agent.state.messages if isinstance(m, UserMessage)]
    assert said == ["first", "steer", "at the end"]


async def test_two_submits_in_one_breath_are_one_run(session: AgentSession, script: ScriptedModel) -> None:
    script.replies = [[Say("one")], [Say("two")]]
    seen = watch(session)
    session.submit("a")
    session.submit("b")
    await session.wait_settled()
    await until(lambda: bool(seen) and isinstance(seen[-1], AgentSettled))
    said = [text_of(m.content) for m in session.agent.state.messages if isinstance(m, UserMessage)]
    assert said == ["a", "b"]
    assert [event.type for event in seen].count("agent_settled") == 1


async def test_blank_text_is_not_sent(session: AgentSession) -> None:
    """B-043."""
    session.submit("  \n ")
    assert not session.busy


async def test_queued_text_comes_back(session: AgentSession, script: ScriptedModel) -> None:
    gate = asyncio.Event()
    script.replies = [[Wait(gate), Say("one")]]
    session.submit("first")
    await until(lambda: session.agent.running)
    session.submit("follow", follow_up=True)
    session.submit("steer")
    session.abort()
    assert session.take_queued() == ["steer", "follow"]
    await session.wait_settled()
    last = session.agent.state.messages[-1]
    assert isinstance(last, AssistantMessage)
    assert last.stop_reason == "aborted"
    assert len(session.agent.steering) == len(session.agent.follow_ups) == 0


async def test_a_message_typed_as_the_run_ends_is_delivered(
    session: AgentSession, script: ScriptedModel
) -> None:
    """B-049: also when the run has ended and nobody has settled yet."""
    script.replies = [[Say("one")], [Say("two")]]
    once = [True]

    async def type_late(event: SessionEvent) -> None:
        if event.type == "agent_end" and once.pop():
            once.append(False)
            session.submit("late")

    session.subscribe(type_late)
    await session.prompt("first")
    said = [text_of(m.content) for m in session.agent.state.messages if isinstance(m, UserMessage)]
    assert said == ["first", "late"]


async def test_changes_during_a_run_are_written_after_the_turn(
    session: AgentSession, script: ScriptedModel
) -> None:
    async def change(event: SessionEvent) -> None:
        if isinstance(event, ToolExecutionStart):
            await session.set_thinking_level("high")

    session.subscribe(change)
    script.replies = [[Call("bash", {"command": "true"})], [Say("ok")]]
    await session.prompt("go")
    assert kinds(session)[4:] == ["user", "assistant", "toolResult", "thinking_level_change", "assistant"]


async def test_a_session_goes_on_where_it_was(
    session: AgentSession, script: ScriptedModel, tmp_path: Path
) -> None:
    script.replies = [[Say("one")], [Say("two")]]
    await session.prompt("first")
    await session.set_thinking_level("low")
    path = session.file.path
    assert path is not None
    again = await scripted_session(script, tmp_path)
    seen = watch(again)
    await again.switcher.open(SessionFile.open(path))
    assert isinstance(seen[-1], SessionSwitched)
    assert again.thinking_level == "low"
    await again.prompt("second")
    assert [text_of(m.content) for m in script.contexts[-1].messages] == ["first", "one", "second"]
    assert kinds(again)[-3:] == ["thinking_level_change", "user", "assistant"]
    await again.aclose()


async def test_a_changed_context_file_is_a_later_system_message(
    session: AgentSession, script: ScriptedModel
) -> None:
    script.replies = [[Say("one")], [Say("two")]]
    await session.prompt("first")
    (session.harness.cwd / "AGENTS.md").write_text("Speak softly.")
    await session.prompt("second")
    system = [
        entry["message"] for entry in stored(session) if entry.get("message", {}).get("role") == "system"
    ]
    assert list(system[1]["sections"]) == ["project_context"]
    assert "toolsAdded" not in system[1]
    assert "Speak softly." in script.contexts[-1].system_prompt


async def test_a_new_session_leaves_the_old_file_alone(session: AgentSession, script: ScriptedModel) -> None:
    script.replies = [[Say("one")], [Say("two")]]
    await session.prompt("first")
    old = session.file.path
    assert old is not None
    before = old.read_bytes()
    await session.switcher.new()
    await session.prompt("second")
    assert old.read_bytes() == before
    assert session.file.path != old
    assert [text_of(m.content) for m in script.contexts[-1].messages] == ["second"]


async def test_a_failed_write_is_told_and_made_good(session: AgentSession, script: ScriptedModel) -> None:
    """B-031: the failure is shown; after it every parent in the file exists."""
    script.replies = [[Say("one")], [Say("two")], [Say("three")]]
    seen = watch(session)
    await session.prompt("first")
    path = session.file.path
    assert path is not None
    kept = path.rename(path.with_suffix(".away"))
    path.mkdir()
    await session.prompt("second")
    await until(lambda: any(isinstance(event, DiagnosticRaised) for event in seen))
    path.rmdir()
    kept.rename(path)
    await session.prompt("third")
    ids = {entry["id"] for entry in stored(session)[1:]}
    assert all(entry["parentId"] in ids | {None} for entry in stored(session)[1:])
    said = [
        e["message"]["content"][0]["text"]
        for e in stored(session)
        if e.get("message", {}).get("role") == "user"
    ]
    assert said == ["first", "second", "third"]


async def test_a_prompt_that_never_gets_an_answer_is_on_disk(
    session: AgentSession, script: ScriptedModel
) -> None:
    """B-033."""
    script.replies = [[Wait(asyncio.Event())]]
    session.submit("remember me")
    await until(lambda: session.agent.state.partial is not None)
    assert stored(session)[-1]["message"]["content"] == [{"type": "text", "text": "remember me"}]


async def test_an_error_is_an_answer_and_the_next_prompt_works(
    session: AgentSession, script: ScriptedModel
) -> None:
    script.replies = [[Say("half"), Fail("boom")], [Say("fine")]]
    await session.prompt("first")
    await session.prompt("second")
    last = session.agent.state.messages[-1]
    assert isinstance(last, AssistantMessage)
    assert last.text == "fine"


async def test_usage_adds_up(session: AgentSession, script: ScriptedModel) -> None:
    assert session.context_tokens() == 0
    script.replies = [[Say("one two three")], [Say("four")]]
    await session.prompt("first")
    await session.prompt("second")
    answers = [m for m in session.agent.state.messages if isinstance(m, AssistantMessage)]
    assert session.stats.output == sum(answer.usage.output for answer in answers)
    assert session.context_tokens() == answers[-1].usage.total_tokens
