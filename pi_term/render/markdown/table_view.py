"""Tables fitted to the width: columns as wide as they need to be, long cells wrapped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from rich.segment import Segment

from pi_term.render.cells import width_of
from pi_term.render.line import Line
from pi_term.render.markdown.inline import BOLD, Environment, Span, parse_inline, styled
from pi_term.render.markdown.leaf import Leaf
from pi_term.render.markdown.look import Look, margin_of
from pi_term.render.markdown.tables import table_cells
from pi_term.render.markdown.view import Drawn
from pi_term.render.wrap import Row, Run, wrap_runs

SAMPLE = 40
"""Rows that decide how wide the columns are; later rows keep to it, so that they are drawn once."""
_SLACK = 8
"""Cells by which columns are wider than the sample needs, where more rows follow."""

_BAR = " │ "
_LEAST = 4
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)

Cells: TypeAlias = list[list[Run]]


class TableView:
    """Draws a table; while columns may still change, rows are drawn again only if they did."""

    def __init__(self, leaf: Leaf, width: int, look: Look, env: Environment) -> None:
        self._look = look
        self._env = env
        self._aligns = leaf.aligns
        self._source = leaf.lines
        self._margin = margin_of(leaf, look, width)
        self._width = max(1, width - self._margin.cells)
        self._base = look.style(look.base)
        self._border = look.style("mdCodeBlockBorder")
        self._cells: list[Cells] = [self._parse(leaf.lines[0], BOLD)]
        self._columns: list[int] = []
        self._drawn: list[list[Line]] = []
        self._stable: list[Line] = []
        self._settled = 0

    def follows(self, leaf: Leaf) -> bool:
        return leaf.kind == "table" and leaf.lines is self._source

    def draw(self, leaf: Leaf, *, growing: bool) -> Drawn:
        for line in leaf.lines[len(self._cells) + 1 :]:
            self._cells.append(self._parse(line))
        partial = None if leaf.partial is None else self._parse(leaf.partial)
        if not self._settled:
            sample = self._cells[: SAMPLE + 1]
            if partial is not None and len(sample) <= SAMPLE:
                sample = [*sample, partial]
            self._lay_out(sample, _SLACK if len(self._cells) > SAMPLE else 0)
        for number in range(len(self._drawn), len(self._cells)):
            source = leaf.lines[number + 1] if number else leaf.lines[0]
            self._drawn.append(self._row(self._cells[number], source, leaf.lines[1] if not number else ""))
        if len(self._cells) > SAMPLE:
            for lines in self._drawn[self._settled :]:
                self._stable.extend(lines)
            self._settled = len(self._drawn)
        tail = [line for lines in self._drawn[self._settled :] for line in lines]
        if partial is not None:
            tail.extend(self._row(partial, leaf.partial or "", ""))
        return [self._stable, tail]

    def _parse(self, line: str, marks: int = 0) -> Cells:
        texts = table_cells(line)[: len(self._aligns)]
        spans = [_cell_spans(text, self._env) for text in texts]
        cells = [styled(each, self._look, self._look.base, marks) for each in spans]
        return cells + [[("", self._base)]] * (len(self._aligns) - len(cells))

    def _lay_out(self, sample: Sequence[Cells], slack: int) -> None:
        natural = [max(_natural_width(row[index]) for row in sample) for index in range(len(self._aligns))]
        available = self._width - len(_BAR) * (len(natural) - 1)
        slack = min(slack, max(0, available - sum(natural)) // len(natural))
        natural = [width + slack for width in natural]
        columns = fit_columns(natural, available) if available >= _LEAST * len(natural) else []
        if columns != self._columns:
            self._columns = columns
            self._drawn = []

    def _row(self, cells: Cells, source: str, under: str) -> list[Line]:
        """The lines of one row. `under`: the source of the line below the head, if this is the head."""
        if not self._columns:
            return self._record(cells, source, under)
        columns = [wrap_runs(cell, width) for cell, width in zip(cells, self._columns, strict=True)]
        height = max(len(rows) for rows in columns)
        lines: list[Line] = []
        for at in range(height):
            segments: list[Segment] = []
            for index, rows in enumerate(columns):
                if index:
                    segments.append(Segment(_BAR, self._border))
                segments.extend(self._cell(rows[at].segments if at < len(rows) else [], index))
            lines.append(self._line(segments, source if not at else "", at < height - 1, begin=bool(under)))
        if under:
            rule = "─┼─".join("─" * width for width in self._columns)
            lines.append(self._line([Segment(rule, self._border)], under))
        return lines

    def _cell(self, segments: list[Segment], index: int) -> list[Segment]:
        gap = self._columns[index] - sum(segment.cell_length for segment in segments)
        align = self._aligns[index]
        left = gap if align == "right" else gap // 2 if align == "center" else 0
        right = gap - left if index < len(self._columns) - 1 else 0
        before = [Segment(" " * left, self._base)] if left else []
        after = [Segment(" " * right, self._base)] if right else []
        return [*before, *segments, *after]

    def _record(self, cells: Cells, source: str, under: str) -> list[Line]:
        """A row in a space too narrow for columns: its cells one below the other."""
        rule = [Segment("─" * min(self._width, 3), self._border)]
        if under:
            head = [run for cell in cells for run in (*cell, (" ", self._base))]
            return [*self._source_lines(wrap_runs(head, self._width), source), self._line(rule, under)]
        rows: list[Row] = []
        for name, cell in zip(self._cells[0], cells, strict=True):
            rows.extend(wrap_runs([*name, (": ", self._base), *cell], self._width))
        return self._source_lines([*rows, Row(rule, "", False)], source)

    def _source_lines(self, rows: Sequence[Row], source: str) -> list[Line]:
        """Rows that stand together for one line of source."""
        last = len(rows) - 1
        return [self._line(row.segments, source if not at else "", at < last) for at, row in enumerate(rows)]

    def _line(self, segments: list[Segment], source: str, soft: bool = False, begin: bool = False) -> Line:
        margin = self._margin
        lead = margin.first if begin else margin.rest
        mark = margin.source_first if begin else margin.source_rest
        return Line((*lead, *segments), mark + source if source else "", soft, indent=margin.cells)


def _cell_spans(text: str, env: Environment) -> list[Span]:
    first, *more = _BREAK.split(text)
    spans = parse_inline(first, env)
    for part in more:
        spans = [*spans, Span("\n"), *parse_inline(part, env)]
    return spans


def _natural_width(cell: Sequence[Run]) -> int:
    text = "".join(part for part, _ in cell)
    return max(1, max(width_of(line) for line in text.split("\n")))


def fit_columns(natural: Sequence[int], available: int) -> list[int]:
    """Widths of columns that together take at most `available` cells; narrow columns are cut last."""
    widths = list(natural)
    left = available
    waiting = sorted(range(len(natural)), key=lambda index: natural[index])
    for position, index in enumerate(waiting):
        widths[index] = min(natural[index], left // (len(waiting) - position))
        left -= widths[index]
    return widths
