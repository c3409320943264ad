"""A difference with old and new lines one below the other."""

from __future__ import annotations

from collections.abc import Sequence

from pi_term.render.blocks.base import GUTTER
from pi_term.render.diff.look import DiffLook, margin_of
from pi_term.render.line import Line
from pi_term.render.margin import Margin
from pi_term.render.tools.lazy import LazyRows, rows_of

_MOST_ROWS = 3
"""Rows that one line may take while the difference is shown in short."""


class Unified:
    """Draws the lines of a look."""

    def __init__(self, look: DiffLook) -> None:
        self._look = look
        self._panel = look.panel

    def rows(self) -> Sequence[Line]:
        """All lines."""
        room = self._panel.width - self._margin(0).cells
        counts = (1 if line.sign == "~" else rows_of(line.text, room) for line in self._look.lines)
        return LazyRows(counts, self._draw)

    def first(self, count: int) -> tuple[list[Line], int]:
        """The rows of the first lines, long ones cut, and how many lines that are."""
        count = min(count, len(self._look.lines))
        return [row for at in range(count) for row in self._draw(at, _MOST_ROWS)], count

    def _margin(self, at: int) -> Margin:
        line = self._look.lines[at]
        number = line.old if line.new is None else line.new
        return margin_of(self._look.mark(line, number, GUTTER), line, self._panel.width)

    def _draw(self, at: int, most: int | None = None) -> list[Line]:
        line = self._look.lines[at]
        if line.sign == "~":
            return self._panel.cut_rows(self._look.gap(line))
        runs, margin, fill = self._look.runs(at), self._margin(at), self._look.fill(line)
        if most is not None:
            return self._panel.cut_rows(runs, most, margin=margin, fill=fill)
        return self._panel.rows(runs, margin=margin, fill=fill)
