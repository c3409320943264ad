"""The user's own commands, and when their records are written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pi_term.ai.messages import text_of
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import AgentSettled, ShellEnded, ShellOutput, ShellStarted
from pi_term.coding.messages import BashExecutionMessage
from pi_term.coding.session import SessionFile
from pi_term.testing.scripted import Call, Say, ScriptedModel, Wait, until
from pi_term.testing.sessions import scripted_session, watch


@pytest.fixture
async def script() -> AsyncIterator[ScriptedModel]:
    with ScriptedModel() as script:
        yield script


@pytest.fixture
async def session(script: ScriptedModel, tmp_path: Path) -> AsyncIterator[AgentSession]:
    session = await scripted_session(script, tmp_path)
    yield session
    await session.aclose()


def roles(session: AgentSession) -> list[str]:
    return [entry.role or entry.type for entry in session.file.tree.branch()][2:]


async def test_a_command_is_told_recorded_and_seen_by_the_model(
    session: AgentSession, script: ScriptedModel
) -> None:
    script.replies = [[Say("saw it")]]
    seen = watch(session)
    record = await session.run_shell("echo out; echo err >&2; exit 4")
    assert (record.output, record.exit_code, record.cancelled, record.truncated) == (
        "out\nerr\n",
        4,
        False,
        False,
    )
    assert isinstance(seen[0], ShellStarted)
    assert isinstance(seen[-1], ShellEnded)
    await session.prompt("what did I run?")
    asked = [text_of(each.content) for each in script.contexts[0].messages]
    assert "echo out; echo err" in asked[0]
    assert "exited with code 4" in asked[0]
    assert roles(session) == ["bashExecution", "system", "user", "assistant"]


async def test_an_excluded_command_never_reaches_a_model(
    session: AgentSession, script: ScriptedModel
) -> None:
    script.replies = [[Say("what?")]]
    record = await session.run_shell("echo secret", exclude=True)
    assert record.exclude_from_context
    await session.prompt("go")
    assert "secret" not in str(script.contexts[0])


async def test_commands_alone_leave_no_file(session: AgentSession) -> None:
    await session.run_shell("true")
    assert session.file.path is not None
    assert not session.file.path.exists()


async def test_a_command_during_a_run_is_recorded_behind_it(
    session: AgentSession, script: ScriptedModel
) -> None:
    go = asyncio.Event()
    script.replies = [[Call("bash", {"command": "true"})], [Wait(go), Say("done")]]
    session.submit("go")
    await until(lambda: len(script.contexts) == 2)
    await session.run_shell("echo meanwhile")
    assert "bashExecution" not in roles(session)
    go.set()
    await session.wait_settled()
    assert roles(session) == ["system", "user", "assistant", "toolResult", "assistant", "bashExecution"]
    assert isinstance(session.agent.state.messages[-1], BashExecutionMessage)
    assert session.file.path is not None
    stored = SessionFile.open(session.file.path)
    assert stored.tree.entries[-1].role == "bashExecution"
    stored.close()


async def test_the_record_is_there_before_settled(session: AgentSession, script: ScriptedModel) -> None:
    go = asyncio.Event()
    script.replies = [[Wait(go), Say("done")]]
    found: list[list[str]] = []

    async def look(event: object) -> None:
        if isinstance(event, AgentSettled):
            found.append(roles(session))

    session.subscribe(look)
    session.submit("go")
    await until(lambda: bool(script.contexts))
    await session.run_shell("true")
    go.set()
    await session.wait_settled()
    await until(lambda: bool(found))
    assert found == [["system", "user", "assistant", "bashExecution"]]


async def test_output_is_shown_while_it_comes_and_escape_ends_the_command(session: AgentSession) -> None:
    seen = watch(session)
    running = asyncio.create_task(session.run_shell("echo begun; sleep 60"))
    await until(lambda: any(isinstance(each, ShellOutput) for each in seen), pause=0.01)
    assert session.shell.running
    session.shell.abort()
    record = await asyncio.wait_for(running, 20)
    assert (record.output, record.exit_code, record.cancelled) == ("begun\n", None, True)
    assert not session.shell.running


async def test_long_output_is_cut_to_its_end_and_kept_in_a_file(session: AgentSession) -> None:
    record = await session.run_shell("seq 1 100000")
    assert record.truncated
    assert record.output.startswith("98001\n")
    assert record.output.endswith("100000")
    assert record.full_output_path is not None
    path = Path(record.full_output_path)
    assert path.read_text().startswith("1\n2\n")
    path.unlink()


async def test_a_command_that_cannot_start_is_a_record_too(session: AgentSession, tmp_path: Path) -> None:
    (tmp_path / "work").rmdir()
    record = await session.run_shell("echo hi")
    assert record.exit_code == 126
    assert "cannot be used" in record.output


async def test_leaving_the_session_ends_its_commands(session: AgentSession) -> None:
    running = asyncio.create_task(session.run_shell("sleep 60"))
    await until(lambda: session.shell.running)
    old = session.file
    await asyncio.wait_for(session.switcher.new(), 20)
    assert (await running).cancelled
    assert old.tree.entries[-1].role == "bashExecution"
    assert [entry.type for entry in session.file.tree.entries] == ["model_change", "thinking_level_change"]
