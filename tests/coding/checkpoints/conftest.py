"""A session on disk and the tools that write in it, without a model."""

from __future__ import annotations

import shutil
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pi_term.agent.tools import ToolCallContext, ToolError, ToolResult, text_result
from pi_term.ai.messages import UserMessage
from pi_term.base.abort import AbortController
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.paths import AppPaths
from pi_term.coding.checkpoints import Checkpoints, Plan
from pi_term.coding.recorder import Recorder
from pi_term.coding.session import MessageEntry, SessionFile, StoredEntry
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.tools import LOCAL, Operations, ToolContext, builtin_tools

EXAMPLE = Path(__file__).parents[3] / "examples" / "bubblewrap"


@dataclass
class Desk:
    """A working folder, an open session, and the checkpoints of its tools."""

    folder: Path
    operations: Operations = LOCAL
    settings: SettingsStore = field(default_factory=SettingsStore)
    reported: list[Diagnostic] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.work, self.home = self.folder / "work", self.folder / "home"
        self.work.mkdir(exist_ok=True)
        self.home.mkdir(exist_ok=True)
        self.paths = AppPaths(self.home, self.home, self.home, self.home)
        self.recorder = Recorder(
            SessionFile.create(self.paths.sessions_dir / "here", self.work), self.reported.append
        )
        self.checkpoints = Checkpoints(
            self.paths, self.settings, self.operations, lambda: self.recorder, self.reported.append
        )

    @property
    def file(self) -> SessionFile:
        return self.recorder.file

    @property
    def store(self) -> Path:
        return self.paths.checkpoints_dir

    async def say(self, text: str = "x") -> StoredEntry:
        """A prompt: a place that one can go back to."""
        entry = self.file.add(MessageEntry(UserMessage(text)))
        await self.recorder.flush(force=True)
        return entry

    async def tool(self, name: str, /, **args: Any) -> ToolResult:
        """The result of a call, as the model would get it."""
        context = ToolContext(
            cwd=self.work,
            call=ToolCallContext("call", AbortController().signal, lambda partial: None),
            mutations=self.checkpoints.mutations,
            temp_dir=self.folder,
            operations=self.checkpoints.watched(),
        )
        try:
            return await builtin_tools()[name].execute(args, context)
        except ToolError as error:
            return text_result(str(error), is_error=True)

    async def write(self, path: str, text: str) -> None:
        assert not (await self.tool("write", path=path, content=text)).is_error

    async def edit(self, path: str, old: str, new: str) -> None:
        edits = [{"oldText": old, "newText": new}]
        assert not (await self.tool("edit", path=path, edits=edits)).is_error

    async def plan(self, entry: StoredEntry) -> Plan:
        return await self.checkpoints.restore_plan(entry.id)

    def changes(self) -> list[dict[str, Any]]:
        """The changes of the session's tree, oldest first."""
        customs = [each.data for each in self.file.tree.entries if each.type == "custom"]
        return [each["data"] for each in customs if each["customType"] == "pi_term.file_change"]

    def kept(self) -> set[str]:
        """The digests of what is kept."""
        return {path.parent.name + path.name for path in self.store.glob("[0-9a-f]/*")}

    def files(self) -> dict[str, bytes]:
        """All files in the working folder."""
        found = (path for path in self.work.rglob("*") if path.is_file())
        return {str(path.relative_to(self.work)): path.read_bytes() for path in found}

    def reopen(self) -> None:
        """As after a restart."""
        assert self.file.path is not None
        path = self.file.path
        self.file.close()
        self.recorder = Recorder(SessionFile.open(path), self.reported.append)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    await desk.checkpoints.aclose()
    desk.file.close()


@pytest.fixture(params=["local", "sandbox"])
async def any_desk(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Desk]:
    """Tools on this machine, and in the sandbox of the example."""
    operations: Operations = LOCAL
    if request.param == "sandbox":
        operations = _sandbox(tmp_path, monkeypatch)
    desk = Desk(tmp_path, operations)
    yield desk
    await desk.checkpoints.aclose()
    desk.file.close()


def _sandbox(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Operations:
    import subprocess

    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed (Debian: apt install bubblewrap)")
    command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    if subprocess.run(command, capture_output=True, check=False, timeout=60).returncode:
        pytest.skip("bubblewrap does not run here")
    monkeypatch.syspath_prepend(EXAMPLE)
    from sandbox import Sandbox

    scratch = folder / "scratch"
    scratch.mkdir()
    found: Operations = Sandbox(folder / "work", scratch, [Path(sys.prefix)]).operations()
    return found


@pytest.fixture(scope="session")
def desk_class() -> type[Desk]:
    """For tests that make their own."""
    return Desk
