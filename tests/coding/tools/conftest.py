"""Running the built-in tools as the loop does, without a model: on this machine and in a sandbox."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import psutil
import pytest

from pi_term.agent.tools import ToolCallContext, ToolError, ToolResult, text_result
from pi_term.agent.validate import validate_arguments
from pi_term.ai.messages import TextContent
from pi_term.base.abort import AbortController
from pi_term.coding.tools import (
    LOCAL,
    ImageLimits,
    MutationQueue,
    Operations,
    ShellSettings,
    ToolContext,
    bind,
    builtin_tools,
)

EXAMPLE = Path(__file__).parents[3] / "examples" / "bubblewrap"


@dataclass
class Bench:
    """A working folder and the tools in it."""

    cwd: Path
    temp_dir: Path
    operations: Operations = LOCAL
    controller: AbortController = field(default_factory=AbortController)
    mutations: MutationQueue = field(default_factory=MutationQueue)
    updates: list[ToolResult] = field(default_factory=list)
    shell: ShellSettings = ShellSettings()
    env: dict[str, str] = field(default_factory=dict)
    supports_images: bool = True
    model_id: str = "a-model"
    images: ImageLimits = ImageLimits()

    async def run(self, name: str, /, **args: Any) -> ToolResult:
        """The result of a call, as the model would get it."""
        tool = bind(builtin_tools()[name], self._context)
        try:
            prepared = tool.prepare(args) if tool.prepare else args
            fitted = validate_arguments(tool.parameters, prepared)
            call = ToolCallContext("call", self.controller.signal, self.updates.append)
            return await tool.execute(fitted, call)
        except ToolError as error:
            return text_result(str(error), details=error.details, is_error=True)

    def is_held(self, name: str = "alive") -> bool:
        """Whether a process lives that locked this file (`flock`), or one that it started.

        A process number would not do: in a sandbox it means something else.
        """
        with open(self.cwd / name, "a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def _context(self, call: ToolCallContext) -> ToolContext:
        return ToolContext(
            cwd=self.cwd,
            call=call,
            mutations=self.mutations,
            temp_dir=self.temp_dir,
            shell=self.shell,
            env=self.env,
            supports_images=self.supports_images,
            model_id=self.model_id,
            operations=self.operations,
            images=self.images,
        )


def text_of(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


@cache
def why_no_sandbox() -> str | None:
    """What keeps bubblewrap from working here."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (Debian: apt install bubblewrap)"
    command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return f"bubblewrap does not run here: {done.stderr.strip()}" if done.returncode else None


@pytest.fixture
def local_bench(tmp_path: Path) -> Bench:
    """The tools on this machine, for tests that look at how it is done here."""
    work = tmp_path / "work"
    work.mkdir()
    return Bench(work, tmp_path / "temp")


@pytest.fixture
def sandbox_bench(local_bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The tools in the sandbox of the example. Python, and the files of full output, can be read there."""
    if reason := why_no_sandbox():
        pytest.skip(reason)
    monkeypatch.syspath_prepend(EXAMPLE)
    from sandbox import Sandbox

    scratch = local_bench.cwd.parent / "scratch"
    scratch.mkdir()
    readable = [local_bench.temp_dir, Path(sys.prefix), Path(sys.base_prefix)]
    local_bench.operations = Sandbox(local_bench.cwd, scratch, readable).operations()
    return local_bench


@pytest.fixture(params=["local", "sandbox"])
def bench(request: pytest.FixtureRequest) -> Bench:
    """The tools, on this machine and in the sandbox."""
    found: Bench = request.getfixturevalue(f"{request.param}_bench")
    return found


@pytest.fixture
def no_process_left() -> Iterator[None]:
    """Fails a test that leaves a process running (and ends it)."""
    before = {process.pid for process in psutil.process_iter()}
    yield
    left = [process for process in psutil.Process().children(recursive=True) if process.pid not in before]
    _, alive = psutil.wait_procs(left, timeout=5)  # what was killed may take a moment to be gone
    for process in alive:
        process.kill()
    assert not alive
