"""Every step of every tool, broken in every way: the tool says so, no file is torn, and all goes on.

Each cell of the table is a session whose first call meets the fault and whose second, the same, does not.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from pi_term.agent.tools import ToolResult
from pi_term.ai.messages import TextContent, ToolResultMessage, text_of
from pi_term.base import files
from pi_term.base.json import JsonObject
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.tools import LocalOperations
from pi_term.coding.tools.bash import output as output_module
from pi_term.testing import Call, Say, ScriptedModel, scripted_session, until

OLD, NEW = "one\ntwo\n", "one\nTWO\n"
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "read": ("read", {"path": "f"}),
    "find": ("read", {"path": "~/a b"}),
    "write": ("write", {"path": "f", "content": NEW}),
    "write large": ("write", {"path": "f", "content": NEW}),
    "edit": ("edit", {"path": "f", "edits": [{"oldText": "two", "newText": "TWO"}]}),
    "edit large": ("edit", {"path": "f", "edits": [{"oldText": "two", "newText": "TWO"}]}),
    "grep": ("grep", {"pattern": "two"}),
    "glob": ("find", {"pattern": "*"}),
    "ls": ("ls", {}),
    "bash": ("bash", {"command": "echo begun; sleep 0.1; cat f"}),
}
# The operations that a call goes through, in this order; `method+` breaks after the first result of it,
# `method 2` the second time: then what there was is kept.
STEPS = {
    "read": ["status", "read", "read+"],
    "find": ["home", "status", "entries", "read"],
    "write": ["real_path", "load", "load 2", "write", "write+"],
    "write large": ["load", "read"],
    "edit": ["real_path", "load", "load 2", "write", "write+"],
    "edit large": ["load", "read", "read+"],
    "grep": ["status", "run", "run+"],
    "glob": ["status", "run", "run+"],
    "ls": ["status", "entries", "entries+"],
    "bash": ["run", "run+"],
}
CELLS = [pytest.param(tool, step, id=f"{tool}-{step}") for tool, steps in STEPS.items() for step in steps]
FAULTS: dict[str, tuple[Exception, str]] = {
    "bug": (RuntimeError("somebody's bug"), "somebody's bug"),
    "disk": (OSError(errno.EIO, os.strerror(errno.EIO)), "nput/output error"),
    "full": (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "o space left on device"),
    "permission": (PermissionError(errno.EACCES, os.strerror(errno.EACCES)), "ermission denied"),
}
# Where the call may well succeed in spite of the fault, because it asked for more than it needs.
FORGIVEN = {("find", "entries"), ("write", "load 2"), ("edit", "load 2"), ("write large", "read")}
CHANGES = ("write", "write large", "edit", "edit large")


class Saboteur:
    """Breaks one operation of this machine, once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, step: str, fault: Callable[[], Any]) -> None:
        self._fault: Callable[[], Any] | None = fault
        self._after = step.endswith("+")
        self._before_it = 1 if step.endswith(" 2") else 0  # calls that are not broken yet
        self.reached = False
        name = step.removesuffix("+").removesuffix(" 2")
        really = getattr(LocalOperations, name)
        wrapped = self._pieces(really) if name == "read" else self._call(really)
        monkeypatch.setattr(LocalOperations, name, wrapped)

    async def strike(self) -> None:
        """The fault, the first time."""
        self._before_it -= 1
        if self._fault is not None and self._before_it < 0:
            fault, self._fault = self._fault, None
            self.reached = True
            await fault()

    def _call(self, really: Any) -> Any:
        async def method(operations: Any, *args: Any, **options: Any) -> Any:
            if not self._after:
                await self.strike()
            result = await really(operations, *args, **options)
            if self._after:
                await self.strike()
            return result

        return method

    def _pieces(self, really: Any) -> Any:
        async def method(operations: Any, path: str) -> AsyncIterator[bytes]:
            if not self._after:
                await self.strike()
            async for piece in really(operations, path):
                yield piece
                await self.strike()

        return method


def raising(error: Exception) -> Callable[[], Any]:
    async def fault() -> None:
        raise error

    return fault


def all_is_large(monkeypatch: pytest.MonkeyPatch, tool: str) -> None:
    """Have the file read piece by piece."""
    if tool.endswith("large"):
        monkeypatch.setattr("pi_term.coding.tools.edit.whole.MAX_COMPARED_BYTES", 0)
        monkeypatch.setattr("pi_term.coding.tools.edit.file.AT_ONCE", 0)


async def hang() -> None:
    await asyncio.sleep(3600)


@pytest.fixture
async def script() -> AsyncIterator[ScriptedModel]:
    with ScriptedModel() as script:
        yield script


@pytest.fixture
async def session(
    script: ScriptedModel, tmp_path: Path, clean_environment: Path
) -> AsyncIterator[AgentSession]:
    settings: JsonObject = {"defaultTools": ["+grep", "+find", "+ls"]}
    session = await scripted_session(script, tmp_path, settings=settings)
    (tmp_path / "work/f").write_text(OLD)
    (clean_environment / "a\u00a0b").write_text(OLD)
    yield session
    await session.aclose()


def results(session: AgentSession) -> list[ToolResultMessage]:
    return [each for each in session.agent.state.messages if isinstance(each, ToolResultMessage)]


def stored(session: AgentSession) -> list[dict[str, Any]]:
    """The messages in the session's file, each line of which must be one of JSON."""
    assert session.file.path is not None
    entries = [json.loads(line) for line in session.file.path.read_text().splitlines()]
    return [entry["message"] for entry in entries if entry["type"] == "message"]


def check_file(session: AgentSession, unfinished: int) -> None:
    """Every call has its one result, but for those that a killed program did not come to."""
    messages = stored(session)
    parts = [part for each in messages if each["role"] == "assistant" for part in each["content"]]
    asked = [part["id"] for part in parts if part["type"] == "toolCall"]
    answered = [message["toolCallId"] for message in messages if message["role"] == "toolResult"]
    assert len(asked) - len(answered) == unfinished
    assert set(answered) <= set(asked)


async def goes_on(
    session: AgentSession, script: ScriptedModel, tool: str, folder: Path, *, unfinished: int = 0
) -> None:
    """The same call works now, on the same file and through the same queue."""
    (folder / "f").write_text(OLD)
    script.replies = [[Call(*CALLS[tool])], [Say("done")]]
    async with asyncio.timeout(20):
        await session.prompt("again")
    last = results(session)[-1]
    assert not last.is_error, text_of(last.content)
    assert (folder / "f").read_text() == (NEW if tool in CHANGES else OLD)
    assert not [name for name in os.listdir(folder) if name != "f"]
    assert not session.busy
    check_file(session, unfinished)


@pytest.mark.parametrize(("tool", "step"), CELLS)
async def test_faults_are_told_and_all_goes_on(
    session: AgentSession,
    script: ScriptedModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    step: str,
) -> None:
    all_is_large(monkeypatch, tool)
    for error, told in FAULTS.values():
        (tmp_path / "work/f").write_text(OLD)
        script.replies = [[Call(*CALLS[tool])], [Say("I see")]]
        with monkeypatch.context() as broken:
            saboteur = Saboteur(broken, step, raising(error))
            async with asyncio.timeout(20):
                await session.prompt("go")
        assert saboteur.reached
        found = results(session)[-1]
        if (tool, step) not in FORGIVEN:
            assert found.is_error
            assert told in text_of(found.content)
        assert (tmp_path / "work/f").read_text() in (OLD, NEW)
        await goes_on(session, script, tool, tmp_path / "work")


@pytest.mark.parametrize(("tool", "step"), CELLS)
async def test_a_step_that_never_ends_is_ended_by_an_abort(
    session: AgentSession,
    script: ScriptedModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    step: str,
) -> None:
    all_is_large(monkeypatch, tool)
    saboteur = Saboteur(monkeypatch, step, hang)
    script.replies = [[Call(*CALLS[tool])]]
    session.submit("go")
    await until(lambda: saboteur.reached)
    session.abort()
    async with asyncio.timeout(20):
        await session.wait_settled()
    assert results(session)[-1].is_error
    assert (tmp_path / "work/f").read_text() in (OLD, NEW)
    await goes_on(session, script, tool, tmp_path / "work")


async def test_a_full_disk_costs_a_command_its_file_of_output_only(
    session: AgentSession, script: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int, data: bytes) -> None:
        raise FAULTS["full"][0]

    monkeypatch.setattr(output_module, "write_all", fail)
    script.replies = [[Call("bash", {"command": "seq 5000"})], [Say("done")]]
    await session.prompt("go")
    found = results(session)[-1]
    assert not found.is_error
    assert "incomplete: No space left on device" in text_of(found.content)


INNER_STEPS = ["open", "write", "fchmod", "fsync", "replace"]
NUMBERS = [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO]


@pytest.mark.parametrize("number", NUMBERS, ids=errno.errorcode.get)
@pytest.mark.parametrize("step", INNER_STEPS)
@pytest.mark.parametrize("tool", ["write", "edit"])
async def test_b022_a_write_that_breaks_inside_leaves_the_old_content_and_no_litter(
    local_bench: Any, monkeypatch: pytest.MonkeyPatch, tool: str, step: str, number: int
) -> None:
    def fail(*args: Any, **options: Any) -> None:
        raise OSError(number, os.strerror(number))

    path = local_bench.cwd / "f"
    path.write_text(OLD)
    name, args = CALLS[tool]
    with monkeypatch.context() as broken:
        broken.setattr(files, "os", Broken(step, fail))
        result: ToolResult = await local_bench.run(name, **args)
    assert result.is_error
    assert isinstance(result.content[0], TextContent)
    assert result.content[0].text.lower() == f"cannot write f: {os.strerror(number)}".lower()
    assert path.read_text() == OLD
    assert os.listdir(local_bench.cwd) == ["f"]
    assert not (await local_bench.run(name, **args)).is_error
    assert path.read_text() == NEW


class Broken:
    """The module `os` with one function replaced."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self._name = name
        self._function = function

    def __getattr__(self, name: str) -> Any:
        return self._function if name == self._name else getattr(os, name)


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from pi_term.base import files
from pi_term.coding.tools import LocalOperations
from pi_term.testing import Call, ScriptedModel, scripted_session

owner, step, tool, args = eval(sys.argv[1])

def die(*args, **options):
    os.kill(os.getpid(), signal.SIGKILL)

class Deadly:
    def __getattr__(self, name):
        return die if name == step else getattr(os, name)

if owner == "os":
    really = LocalOperations.write
    async def write(self, *args):
        files.os = Deadly()
        await really(self, *args)
    LocalOperations.write = write
elif step.endswith("+"):
    really = getattr(LocalOperations, step[:-1])
    async def after(self, *args):
        await really(self, *args)
        die()
    setattr(LocalOperations, step[:-1], after)
else:
    setattr(LocalOperations, step, die)

async def main():
    with ScriptedModel([[Call(tool, args)]]) as script:
        session = await scripted_session(script, Path.cwd())
        await session.prompt("go")

asyncio.run(main())
"""
DEADLY = [
    *(
        ("operations", step, tool)
        for tool in ("write", "edit", "bash")
        for step in STEPS[tool]
        if not step.endswith(" 2")
    ),
    *(("os", step, "write") for step in INNER_STEPS),
]


@pytest.mark.parametrize(("owner", "step", "tool"), DEADLY)
async def test_the_program_is_killed_and_started_again(
    script: ScriptedModel, tmp_path: Path, owner: str, step: str, tool: str
) -> None:
    from pi_term.coding import StartRequest
    from pi_term.testing import start_scripted

    (tmp_path / "work").mkdir()
    (tmp_path / "work/f").write_text(OLD)
    name, args = CALLS[tool]
    command = [sys.executable, "-c", KILLED, repr((owner, step, name, args))]
    done = await asyncio.to_thread(subprocess.run, command, cwd=tmp_path, capture_output=True, timeout=60)
    assert done.returncode == -9, done.stderr
    assert (tmp_path / "work/f").read_text() in (OLD, NEW)
    for litter in (tmp_path / "work").glob(".pi-term-*.tmp"):
        litter.unlink()
    request = StartRequest(cwd=tmp_path / "work", model=script.model.key, continue_last=True)
    started = await start_scripted(script, tmp_path, request=request)
    session = started.session
    try:
        assert [message["role"] for message in stored(session)] == ["system", "user", "assistant"]
        await goes_on(session, script, tool, tmp_path / "work", unfinished=1)
    finally:
        await started.aclose()
