"""A command that the user ran with `!`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from pi_term.base.sanitize import sanitize
from pi_term.render.blocks.base import EXPAND_ACTION, BaseBlock
from pi_term.render.line import EMPTY_LINE, Line, ViewOptions
from pi_term.render.margin import Margin
from pi_term.render.tools.output import COLLAPSED, tail_rows
from pi_term.render.tools.panel import Panel


class ShellBlock(BaseBlock):
    """The command, the end of its output, and how it ended. `excluded`: models do not see it (`!!`)."""

    __slots__ = ("_command", "_excluded", "_notes", "_output", "_running")

    def __init__(self, command: str, *, excluded: bool = False, id: str | None = None) -> None:
        super().__init__(id)
        self._command = command
        self._excluded = excluded
        self._output: list[str] = []
        self._notes: list[tuple[str, str]] = []
        self._running = True

    @property
    def expandable(self) -> bool:
        return any("\n" in part for part in self._output)

    def append(self, output: str) -> None:
        """More output."""
        self._output.append(output)
        self._touch()

    def finish(
        self,
        exit_code: int | None = 0,
        *,
        cancelled: bool = False,
        full_output_path: str | None = None,
    ) -> None:
        """The command ended. `full_output_path`: where all of the output is, if not here."""
        self._running = False
        if cancelled:
            self._notes.append(("warning", "Cancelled."))
        elif exit_code:
            self._notes.append(("error", f"Exit code {exit_code}."))
        if full_output_path:
            self._notes.append(("muted", f"All of the output: {full_output_path}"))
        self._touch()

    def copy_text(self) -> str:
        self._output = ["".join(self._output)]
        return f"{self._command}\n\n{self._output[0]}".rstrip("\n")

    def estimate_height(self, width: int) -> int:
        return 2 + (COLLAPSED if self._output else 0) + len(self._notes)

    def _draw(self, width: int, view: ViewOptions) -> Sequence[Line]:
        panel = Panel(width, view, "toolPendingBg")
        style = panel.style("bashMode", bold=True)
        mark = Segment("!! " if self._excluded else "! ", style)
        margin = Margin.of_mark(mark, width)
        runs = [(sanitize(self._command).strip("\n"), style)]
        if self._excluded:
            runs.append(("  (not shown to the model)", panel.style("muted")))
        if self._running:
            runs.append(("  running", panel.style("muted")))
        actions = (EXPAND_ACTION,) if self.expandable else ()
        rows = panel.rows(runs, words=True, margin=margin, actions=actions)
        self._output = ["".join(self._output)]
        rows.extend(tail_rows(self._output[0], panel))
        for token, note in self._notes:
            rows.extend(panel.words(sanitize(note), token))
        return [EMPTY_LINE, *rows]
