"""A command line, run to its end: what the `bash` tool and the user's own shell have in common."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Final

from pi_term.agent.tools import ToolError
from pi_term.base.abort import AbortController, AbortSignal
from pi_term.base.dataclass import dataclass
from pi_term.base.text import without_surrogates
from pi_term.coding.tools.bash.output import Output, OutputLog
from pi_term.coding.tools.definition import ShellSettings
from pi_term.coding.tools.local.operations import LOCAL
from pi_term.coding.tools.operations import Command, Exit, Operations
from pi_term.coding.tools.paths import expand_home

UPDATE_SECONDS: Final = 0.1
"""Time between two updates of a running command's output."""

_NO_PAGERS = {"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat", "SYSTEMD_PAGER": "cat", "AWS_PAGER": ""}
"""A pager waits for keys that nobody can press."""
_TIMED_OUT = "timed out"


@dataclass(frozen=True, slots=True)
class CommandPlace:
    """Where and how a command line runs.

    `env` is laid over the environment that commands have there. `temp_dir`, on this machine, gets the full
    output of long commands.
    """

    cwd: Path
    temp_dir: Path
    shell: ShellSettings = ShellSettings()
    env: Mapping[str, str] = field(default_factory=dict)
    operations: Operations = LOCAL


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """What a command line came to.

    `exit_code` is 128 + n after signal n, whose name is `signal_name`; it is None when it was ended because
    its time was up (`timed_out`) or nobody wanted it any more (`aborted`).
    """

    output: Output
    exit_code: int | None
    signal_name: str | None = None
    timed_out: bool = False
    aborted: bool = False


async def run_command(
    command: str,
    place: CommandPlace,
    signal: AbortSignal,
    on_output: Callable[[Output], None] | None = None,
    timeout: float | None = None,
    on_data: Callable[[bytes], None] | None = None,
) -> CommandEnd:
    """Run `command` and wait for its end, at most `timeout` seconds.

    `on_output` is called on the event loop with the output so far, soon after some came but not too often,
    and never after the return; `on_data` on another thread with every piece of it. Raises `ToolError` when
    the command could not be run.
    """
    argv = await _argv(command, place)
    env = {**_NO_PAGERS, **place.env}
    log = OutputLog(place.temp_dir)
    updates = _Updates(log, on_output, on_data)
    controller = AbortController()
    stop_listening = signal.add_callback(controller.abort)
    timer = None
    if timeout is not None:
        timer = asyncio.get_running_loop().call_later(timeout, controller.abort, _TIMED_OUT)
    try:
        exit_ = await _run(Command(argv, str(place.cwd), env), place, updates, controller)
    except BaseException:
        asyncio.get_running_loop().run_in_executor(None, log.close)
        raise
    finally:
        stop_listening()
        updates.stop()
        if timer is not None:
            timer.cancel()
    output = await asyncio.to_thread(log.close)
    if exit_.code is not None:
        return CommandEnd(output, exit_.code, exit_.signal_name)
    timed_out = controller.signal.reason == _TIMED_OUT
    return CommandEnd(output, None, timed_out=timed_out, aborted=not timed_out)


async def _argv(command: str, place: CommandPlace) -> list[str]:
    text = without_surrogates(command)
    if place.shell.command_prefix:
        text = f"{place.shell.command_prefix}\n{text}"
    if "\0" in text:
        raise ToolError("command must not contain a NUL character.")
    chosen = place.shell.path
    shell = await expand_home(chosen, place.operations) if chosen else place.operations.default_shell
    return [shell, "-c", text]


async def _run(command: Command, place: CommandPlace, updates: _Updates, controller: AbortController) -> Exit:
    try:
        return await place.operations.run(command, updates.add, controller.signal)
    except OSError as error:
        raise ToolError(_what_failed(error, command, place)) from error


def _what_failed(error: OSError, command: Command, place: CommandPlace) -> str:
    cause = error.strerror or str(error)
    if error.filename == command.cwd:
        return f"The working folder {command.cwd} cannot be used: {cause}."
    if error.filename == command.argv[0] and place.shell.path:
        return f"The shell {place.shell.path} (setting shellPath) cannot be run: {cause}."
    return f"The command could not be run: {cause}."


class _Updates:
    """Takes the output and shows it while it comes: soon after it came, but not too often."""

    def __init__(
        self,
        log: OutputLog,
        show: Callable[[Output], None] | None,
        pass_on: Callable[[bytes], None] | None,
    ) -> None:
        self._log = log
        self._pass_on = pass_on
        self._loop = asyncio.get_running_loop()
        self._is_due = show is None
        self._fresh = asyncio.Event()
        self._task = None if show is None else asyncio.create_task(self._run(show))

    def add(self, data: bytes) -> None:
        """There is more output. Called from another thread, for every piece of it."""
        is_taken = self._log.add(data)
        if is_taken and self._pass_on is not None:
            self._pass_on(data)
        if is_taken and not self._is_due:
            self._is_due = True
            with suppress(RuntimeError):  # the loop is closed: nobody looks any more
                self._loop.call_soon_threadsafe(self._fresh.set)

    def stop(self) -> None:
        """No update after this."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self, show: Callable[[Output], None]) -> None:
        while True:
            await self._fresh.wait()
            self._fresh.clear()
            self._is_due = False
            show(self._log.so_far())
            await asyncio.sleep(UPDATE_SECONDS)
