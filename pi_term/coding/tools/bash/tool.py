"""`bash`: the tool."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from pi_term.agent.tools import ToolError, ToolResult, text_result
from pi_term.base.abort import AbortSignal
from pi_term.base.json import JsonObject
from pi_term.coding.tools.bash.shell import command_environment, command_line
from pi_term.coding.tools.definition import ToolContext, ToolDefinition
from pi_term.coding.tools.truncate import MAX_BYTES, MAX_LINES, format_size

if TYPE_CHECKING:
    from pi_term.coding.tools.bash.output import Output, OutputLog
    from pi_term.coding.tools.bash.process import ShellProcess

UPDATE_SECONDS: Final = 0.1
"""Time between two updates of a running command's output."""


class _End(Enum):
    EXITED = "exited"
    TIMED_OUT = "timed out"
    ABORTED = "aborted"


async def _execute(args: JsonObject, context: ToolContext) -> ToolResult:
    from pi_term.coding.tools.bash.output import OutputLog
    from pi_term.coding.tools.bash.process import ShellProcess

    context.call.update(ToolResult())  # tells front ends that output may come
    timeout = _timeout(args)
    context.call.signal.raise_if_aborted()
    argv = command_line(args["command"], context.shell)
    log = OutputLog(context.temp_dir)
    updates = _Updates(log, context)
    process = ShellProcess(log, updates.wake)
    try:
        await _start(process, argv, context)
        end = await _run_to_end(process, timeout, context.call.signal)
    except BaseException:
        asyncio.get_running_loop().run_in_executor(None, log.close)
        raise
    finally:
        updates.stop()
    output = await asyncio.to_thread(log.close)
    return _result(output, _status(end, process, timeout))


async def _run_to_end(process: ShellProcess, timeout: float | None, signal_: AbortSignal) -> _End:
    try:
        end = await _wait(process, timeout, signal_)
        if end is not _End.EXITED:
            await process.end_tree()
        await process.output_ended()
    except BaseException:
        process.kill()
        raise
    return end


def _timeout(args: JsonObject) -> float | None:
    timeout = args.get("timeout")
    if timeout is None:
        return None
    if timeout <= 0:
        raise ToolError(f"timeout must be more than 0 seconds, not {timeout:g}.")
    return float(timeout)


async def _start(process: ShellProcess, argv: list[str], context: ToolContext) -> None:
    cwd = str(context.cwd)
    env = command_environment(os.environ, {**context.env, "PWD": cwd})
    try:
        await process.start(argv, cwd, env)
    except ValueError:
        raise ToolError("command must not contain a NUL character.") from None
    except OSError as error:
        if error.filename == cwd:
            raise ToolError(f"The working folder {cwd} cannot be used: {error.strerror}.") from error
        raise ToolError(f"The command could not be started: {error.strerror}.") from error
    except RuntimeError as error:
        raise ToolError(f"The command could not be started: {error}.") from error


async def _wait(process: ShellProcess, timeout: float | None, signal_: AbortSignal) -> _End:
    aborted = asyncio.ensure_future(signal_.wait())
    either: list[asyncio.Future[Any]] = [process.exited, aborted]
    try:
        await asyncio.wait(either, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    finally:
        aborted.cancel()
    if process.exited.done():
        return _End.EXITED
    return _End.ABORTED if signal_.aborted else _End.TIMED_OUT


def _status(end: _End, process: ShellProcess, timeout: float | None) -> str:
    """What to tell of the command's end; "" when it went well."""
    if end is _End.TIMED_OUT:
        return f"Command timed out after {timeout:g} seconds"
    if end is _End.ABORTED:
        return "Command aborted"
    code = process.exited.result()
    if code < 0:
        return f"Command killed by {_signal_name(-code)}, exited with code {128 - code}"
    return f"Command exited with code {code}" if code else ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _result(output: Output, status: str) -> ToolResult:
    text = output.text()
    if status:
        text = f"{text.removesuffix(chr(10))}\n\n{status}" if text else status
    return text_result(text or "(no output)", details=output.details(), is_error=bool(status))


class _Updates:
    """Shows the output while it comes: soon after it came, but not too often."""

    def __init__(self, log: OutputLog, context: ToolContext) -> None:
        self._log = log
        self._update = context.call.update
        self._loop = asyncio.get_running_loop()
        self._is_due = False
        self._fresh = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    def wake(self) -> None:
        """There is more output. Called from another thread, for every chunk of it."""
        if not self._is_due:
            self._is_due = True
            with suppress(RuntimeError):  # the loop is closed: nobody looks any more
                self._loop.call_soon_threadsafe(self._fresh.set)

    def stop(self) -> None:
        """No update after this."""
        self._task.cancel()

    async def _run(self) -> None:
        while True:
            await self._fresh.wait()
            self._fresh.clear()
            self._is_due = False
            output = self._log.so_far()
            self._update(text_result(output.shown.content, details=output.details()))
            await asyncio.sleep(UPDATE_SECONDS)


BASH = ToolDefinition(
    name="bash",
    label="bash",
    description=(
        "Run a command with bash in the working folder. Standard output and error come back as one text, "
        "with the exit code if it is not 0; of long output, the last "
        f"{MAX_LINES} lines or {format_size(MAX_BYTES)} and the path of a file that holds all of it. "
        "The command gets no input and no terminal. Processes it leaves in the background keep running."
    ),
    parameters={
        "type": "object",
        "required": ["command"],
        "properties": {
            "command": {"type": "string", "description": "The command or script to run"},
            "timeout": {"type": "number", "description": "Seconds after which it is ended (default: never)"},
        },
    },
    execute=_execute,
    prompt_snippet="run a command (tests, git, searching with rg, listing files)",
)
