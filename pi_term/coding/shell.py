"""The user's own commands: `!` and `!!`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

from pi_term.agent.tools import ToolError
from pi_term.base.abort import AbortController
from pi_term.base.errors import PiTermError
from pi_term.coding.conversation import Conversation
from pi_term.coding.event_hub import EventHub
from pi_term.coding.events import ShellEnded, ShellOutput, ShellStarted
from pi_term.coding.messages import BashExecutionMessage

if TYPE_CHECKING:
    from pi_term.coding.tools.bash.output import Output
    from pi_term.coding.tools.bash.run import CommandEnd, CommandPlace

_NOT_STARTED = 126  # what shells exit with for a command that cannot be executed


class UserShell:
    """Runs commands at once and records each: now or, while `busy()`, when the run has ended."""

    def __init__(
        self,
        conversation: Conversation,
        hub: EventHub,
        place: Callable[[], CommandPlace],
        busy: Callable[[], bool],
    ) -> None:
        self._conversation = conversation
        self._hub = hub
        self._place = place
        self._busy = busy
        self._ids = count(1)
        self._running: dict[int, AbortController] = {}
        self._unsaved: list[BashExecutionMessage] = []
        self._all_ended = asyncio.Event()
        self._all_ended.set()

    @property
    def running(self) -> bool:
        """Whether a command runs."""
        return bool(self._running)

    @property
    def unsaved(self) -> tuple[BashExecutionMessage, ...]:
        """The records of commands that ended during a run, which are added when it has ended."""
        return tuple(self._unsaved)

    def abort(self) -> None:
        """End all commands that run."""
        for controller in self._running.values():
            controller.abort()

    async def wait_ended(self) -> None:
        """Return when no command runs."""
        await self._all_ended.wait()

    async def run(
        self, command: str, *, exclude: bool = False, on_data: Callable[[bytes], None] | None = None
    ) -> BashExecutionMessage:
        """Run `command` and wait for its end; with `exclude` no model ever sees it.

        `on_data` is called with every piece of the output, on another thread.
        """
        run_id = next(self._ids)
        controller = self._running[run_id] = AbortController()
        self._all_ended.clear()
        try:
            await self._hub.emit(ShellStarted(run_id, command, exclude))
            record = await self._execute(run_id, command, controller, on_data)
            record.exclude_from_context = True if exclude else None
            self._unsaved.append(record)
            while self._unsaved and not self._busy():  # a run may begin in between: then behind it
                await self._conversation.add_message(self._unsaved.pop(0))
            await self._hub.emit(ShellEnded(run_id, record))
        finally:
            del self._running[run_id]
            if not self._running:
                self._all_ended.set()
        return record

    async def save_records(self) -> None:
        """Add the commands that ended meanwhile to the session."""
        while self._unsaved:
            await self._conversation.add_message(self._unsaved.pop(0))

    async def _execute(
        self,
        run_id: int,
        command: str,
        controller: AbortController,
        on_data: Callable[[bytes], None] | None,
    ) -> BashExecutionMessage:
        from pi_term.coding.tools.bash.run import run_command

        def show(output: Output) -> None:
            self._hub.note(ShellOutput(run_id, output.shown.content))

        try:
            end = await run_command(command, self._place(), controller.signal, show, on_data=on_data)
        except (ToolError, PiTermError, OSError) as error:
            return BashExecutionMessage(command=command, output=str(error), exit_code=_NOT_STARTED)
        return _record(command, end)


def _record(command: str, end: CommandEnd) -> BashExecutionMessage:
    output = end.output
    return BashExecutionMessage(
        command=command,
        output=output.shown.content,
        exit_code=end.exit_code,
        cancelled=end.aborted,
        truncated=output.shown.truncated,
        full_output_path=None if output.path is None else str(output.path),
    )
