"""The user's own commands that run, as blocks of the transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.render.blocks import ShellBlock

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_term.coding.events import ShellEnded, ShellOutput, ShellStarted
    from pi_term.tui.widgets.transcript import Transcript


class ShellView:
    """Follows the commands from their start to their end; `clock` gives the seconds of the transcript."""

    def __init__(self, transcript: Transcript, clock: Callable[[], float]) -> None:
        self._transcript = transcript
        self._clock = clock
        self._running: dict[int, ShellBlock] = {}

    def show_again(self) -> None:
        """The transcript was emptied: what runs is still to be seen."""
        self._transcript.extend(self._running.values())

    def started(self, event: ShellStarted) -> None:
        """A command runs."""
        block = self._running[event.run_id] = ShellBlock(event.command, excluded=event.excluded)
        block.start(self._clock())
        self._transcript.append(block)

    def output(self, event: ShellOutput) -> None:
        """It printed more."""
        block = self._running.get(event.run_id)
        if block is not None:
            block.show(event.output)
            self._transcript.touch(block.id)

    def ended(self, event: ShellEnded) -> None:
        """It is over."""
        block, record = self._running.pop(event.run_id, None), event.record
        if block is not None:
            block.show(record.output)
            block.finish(
                record.exit_code,
                now=self._clock(),
                cancelled=record.cancelled,
                full_output_path=record.full_output_path if record.truncated else None,
            )
            self._transcript.touch(block.id)

    def tick(self) -> None:
        """Some time has passed: running commands show theirs."""
        now = self._clock()
        for block in self._running.values():
            if block.tick(now):
                self._transcript.touch(block.id)
