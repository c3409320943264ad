"""A difference with old lines on the left and new ones on the right."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from pi_term.render.blocks.base import GUTTER
from pi_term.render.diff.groups import Pair
from pi_term.render.diff.look import DiffLook
from pi_term.render.line import Line
from pi_term.render.tools.lazy import LazyRows, rows_of
from pi_term.render.tools.panel import first_rows
from pi_term.render.wrap import Row, wrap_runs

_BETWEEN = " │ "
_MOST_ROWS = 2
"""Rows that one pair of lines may take while the difference is shown in short."""


class Columns:
    """Draws the lines of a look, each pair on the same row."""

    def __init__(self, look: DiffLook) -> None:
        self._look = look
        self._panel = look.panel
        self._between = Segment(_BETWEEN, look.panel.style("borderMuted"))
        self._gutter = Segment(" " * GUTTER, look.panel.fill)
        self._half = max(8, (look.panel.width - GUTTER - len(_BETWEEN)) // 2)
        lines = look.lines
        self._mark = look.mark(lines[0], None, 0).cell_length if lines else 0
        self._room = max(1, self._half - self._mark)

    def rows(self) -> Sequence[Line]:
        """All pairs."""
        pairs = self._pairs()
        return LazyRows(map(self._height, pairs), lambda at: self._draw(pairs[at]))

    def first(self, count: int) -> tuple[list[Line], int]:
        """The rows of the first `count` pairs, long lines cut, and how many lines that are."""
        pairs = self._pairs()[:count]
        used = sum(2 if None not in pair and pair[0] != pair[1] else 1 for pair in pairs)
        return [row for pair in pairs for row in self._draw(pair, _MOST_ROWS)], used

    def _pairs(self) -> list[Pair]:
        changes = self._look.changes
        pairs: list[Pair] = []
        at = 0
        for group in changes.groups:
            pairs += [(same, same) for same in range(at, group.start)]
            pairs += changes.pairs(group)
            at = group.end
        pairs += [(same, same) for same in range(at, len(self._look.lines))]
        return pairs

    def _height(self, pair: Pair) -> int:
        lines = [self._look.lines[at] for at in pair if at is not None]
        if lines[0].sign == "~":
            return 1
        return max(rows_of(line.text, self._room) for line in lines)

    def _draw(self, pair: Pair, most: int | None = None) -> list[Line]:
        old, new = pair
        at = old if new is None else new
        assert at is not None, "one of a pair is there"
        line = self._look.lines[at]
        if line.sign == "~":
            return self._panel.cut_rows(self._look.gap(line))
        left, right = self._cells(old, False, most), self._cells(new, True, most)
        beside = 0 if new is None else self._half + len(_BETWEEN)
        shown = left if new is None else right
        lead: str = line.sign
        if old is not None and new is not None and old != new:
            lead = f"-{self._look.lines[old].text}\n+"
        height = max(len(left), len(right))
        rows: list[Line] = []
        for number in range(height):
            segments = (
                self._gutter,
                *(left[number].segments if number < len(left) else [self._rest(old)]),
                self._between,
                *(right[number].segments if number < len(right) else [self._rest(new)]),
            )
            source = lead + (shown[number].source if number < len(shown) else "")
            rows.append(Line(segments, source, number < height - 1, (), GUTTER + beside + self._mark))
            lead = ""
        return self._panel.filled(rows)

    def _cells(self, at: int | None, is_new: bool, most: int | None) -> list[Row]:
        """The rows of one side: number, sign and text, filled to its width."""
        if at is None:
            return []
        line = self._look.lines[at]
        runs = self._look.runs(at)
        rows = first_rows(runs, self._room, most) if most else wrap_runs(runs, self._room, words=False)
        mark = self._look.mark(line, line.new if is_new else line.old, 0)
        fill = self._look.fill(line)
        cells: list[Row] = []
        for segments, source, soft in rows:
            gap = self._room - sum(segment.cell_length for segment in segments)
            cells.append(Row([mark, *segments, Segment(" " * gap, fill)], source, soft))
            mark = Segment(" " * self._mark, mark.style)
        return cells

    def _rest(self, at: int | None) -> Segment:
        """What stands beside a line that has more rows than the one next to it, or none next to it."""
        style = self._panel.fill if at is None else self._look.fill(self._look.lines[at])
        return Segment(" " * self._half, style)
