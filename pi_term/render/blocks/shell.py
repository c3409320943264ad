"""A command that the user ran with `!`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from pi_term.base.sanitize import sanitize
from pi_term.render.blocks.base import EXPAND_ACTION, BaseBlock
from pi_term.render.blocks.hints import duration, running_for
from pi_term.render.line import EMPTY_LINE, Line, ViewOptions
from pi_term.render.margin import Margin
from pi_term.render.tools.output import line_count, tail_rows
from pi_term.render.tools.panel import Panel

_COLLAPSED = 20
"""Lines of output that are shown collapsed: more than of a tool, for the user wants to see them."""
_SHORTEST = 0.1


class ShellBlock(BaseBlock):
    """The command, the end of its output, and how it ended. `excluded`: models do not see it (`!!`)."""

    __slots__ = ("_command", "_excluded", "_notes", "_output", "_running", "_seconds", "_started")

    def __init__(self, command: str, *, excluded: bool = False, id: str | None = None) -> None:
        super().__init__(id)
        self._command = command
        self._excluded = excluded
        self._output = ""
        self._notes: list[tuple[str, str]] = []
        self._running = True
        self._started: float | None = None
        self._seconds: float | None = None

    @property
    def expandable(self) -> bool:
        return line_count(self._output) > 1

    def start(self, now: float) -> None:
        """The command runs since `now` (seconds)."""
        self._started, self._seconds = now, 0
        self._touch()

    def tick(self, now: float) -> bool:
        """Whether the time that a running command shows has changed; to be asked about once a second."""
        if not self._running or self._started is None or int(now - self._started) == self._seconds:
            return False
        self._seconds = int(now - self._started)
        self._touch()
        return True

    def show(self, output: str) -> None:
        """What it printed so far, or the end of that."""
        self._output = output
        self._touch()

    def finish(
        self,
        exit_code: int | None = 0,
        *,
        now: float | None = None,
        cancelled: bool = False,
        full_output_path: str | None = None,
    ) -> None:
        """The command ended, at `now` (seconds) if that is known.

        `full_output_path`: where all of the output is, if not here.
        """
        self._running = False
        self._seconds = None if now is None or self._started is None else now - self._started
        if cancelled:
            self._notes.append(("warning", "Cancelled."))
        elif exit_code:
            self._notes.append(("error", f"Exit code {exit_code}."))
        elif not self._output.strip():
            self._notes.append(("muted", "No output."))
        if full_output_path:
            self._notes.append(("muted", f"All of the output: {full_output_path}"))
        self._touch()

    def copy_text(self) -> str:
        return f"{self._command}\n\n{self._output}".rstrip("\n")

    def estimate_height(self, width: int) -> int:
        return 2 + min(line_count(self._output), _COLLAPSED) + len(self._notes)

    def _draw(self, width: int, view: ViewOptions) -> Sequence[Line]:
        panel = Panel(width, view, "toolPendingBg")
        style = panel.style("bashMode", bold=True)
        mark = Segment("!! " if self._excluded else "! ", style)
        margin = Margin.of_mark(mark, width)
        runs = [(sanitize(self._command).strip("\n"), style)]
        runs += [(f"  {part}", panel.style("muted")) for part in self._remarks()]
        actions = (EXPAND_ACTION,) if self.expandable else ()
        rows = panel.rows(runs, words=True, margin=margin, actions=actions)
        rows.extend(tail_rows(self._output, panel, limit=_COLLAPSED))
        for token, note in self._notes:
            rows.extend(panel.words(sanitize(note), token))
        return [EMPTY_LINE, *rows]

    def _remarks(self) -> list[str]:
        remarks = ["(not shown to the model)"] if self._excluded else []
        if self._running:
            remarks.append(f"running {running_for(int(self._seconds))}" if self._seconds else "running")
        elif self._seconds is not None and self._seconds >= _SHORTEST:
            remarks.append(duration(self._seconds))
        return remarks
