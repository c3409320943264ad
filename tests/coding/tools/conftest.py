"""Running the built-in tools as the loop does, without a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from pi_term.agent.tools import ToolCallContext, ToolError, ToolResult, text_result
from pi_term.agent.validate import validate_arguments
from pi_term.ai.messages import TextContent
from pi_term.base.abort import AbortController
from pi_term.coding.tools import MutationQueue, ShellSettings, ToolContext, bind, builtin_tools


@dataclass
class Bench:
    """A working folder and the tools in it."""

    cwd: Path
    temp_dir: Path
    controller: AbortController = field(default_factory=AbortController)
    mutations: MutationQueue = field(default_factory=MutationQueue)
    updates: list[ToolResult] = field(default_factory=list)
    shell: ShellSettings = ShellSettings()
    env: dict[str, str] = field(default_factory=dict)
    supports_images: bool = True
    model_id: str = "a-model"

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
        )


def text_of(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    work = tmp_path / "work"
    work.mkdir()
    return Bench(work, tmp_path / "temp")


@pytest.fixture
def no_process_left() -> Iterator[None]:
    """Fails a test that leaves a process running (and ends it)."""
    before = {process.pid for process in psutil.process_iter()}
    yield
    left = [process for process in psutil.Process().children(recursive=True) if process.pid not in before]
    alive = [process for process in left if process.status() != psutil.STATUS_ZOMBIE]
    for process in alive:
        process.kill()
    assert not alive
