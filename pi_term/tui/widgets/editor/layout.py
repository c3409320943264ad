"""Where each line wraps, and where on the grid each character lies.

Rows break behind blanks and beside wide characters; blanks at the end of a row hang over it and are not
drawn. Only lines that changed are wrapped again, and of a very long line only the part that changed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import ClassVar, NamedTuple

from rich.cells import cell_len

from pi_term.render.cells import TAB_WIDTH
from pi_term.tui.widgets.editor.buffer import Change, Position
from pi_term.tui.widgets.editor.graphemes import characters, is_simple

_ONE_ROW: list[int] = [0]


class Row(NamedTuple):
    """One row of the grid: columns `start` to `end` of line `line`."""

    line: int
    start: int
    end: int


class Layout:
    """The grid of a text at one width; `label` gives what is shown for the stand-in of a block."""

    MIN_WIDTH: ClassVar = 2
    """A wide character has to fit."""
    SHORT_LINE = 2000
    """Lines up to this length are wrapped as a whole, which is cheaper than looking for what stayed."""

    def __init__(self, lines: Sequence[str], width: int, label: Callable[[str], str]) -> None:
        self._lines = lines
        self._label = label
        self._width = max(width, self.MIN_WIDTH)
        self._starts: list[list[int]] = []
        self._tops: list[int] | None = None
        self._wrap_all()

    @property
    def width(self) -> int:
        """Cells that a row may fill."""
        return self._width

    @width.setter
    def width(self, width: int) -> None:
        if max(width, self.MIN_WIDTH) != self._width:
            self._width = max(width, self.MIN_WIDTH)
            self._wrap_all()

    @property
    def row_count(self) -> int:
        """Rows in all."""
        return self._line_tops()[-1]

    def apply(self, changes: Sequence[Change]) -> None:
        """Follow changes of the lines, which have all been made already."""
        if len(changes) == 1:
            self._apply_one(changes[0])
        elif changes:
            self._wrap_all()

    def row(self, number: int) -> Row:
        """Row `number` of the grid."""
        tops = self._line_tops()
        line = bisect_right(tops, number) - 1
        starts = self._starts[line]
        index = number - tops[line]
        end = starts[index + 1] if index + 1 < len(starts) else len(self._lines[line])
        return Row(line, starts[index], end)

    def locate(self, position: Position) -> tuple[int, int]:
        """Row and cell of a place in the text."""
        starts = self._starts[position.row]
        index = bisect_right(starts, position.column) - 1
        text = self._lines[position.row][starts[index] : position.column]
        return self._line_tops()[position.row] + index, min(self._measure(text), self._width)

    def position_at(self, number: int, cell: int) -> Position:
        """The place in row `number` nearest to `cell`, on a character that begins at or before it."""
        row = self.row(number)
        text = self._lines[row.line][row.start : row.end]
        continues = row.end < len(self._lines[row.line])
        if is_simple(text):
            column = min(cell, len(text) - (continues and bool(text)))
            return Position(row.line, row.start + max(column, 0))
        x = 0
        for start, end in characters(text):
            x = min(x + self._cells(text[start:end], x), self._width)
            # The place behind the last character of a row that goes on is the start of the next row.
            if x > cell or (end == len(text) and continues):
                return Position(row.line, row.start + start)
        return Position(row.line, row.end)

    def pieces(self, text: str) -> Iterator[tuple[int, str, int]]:
        """The characters of a row's text: index, what is drawn, cells; hanging blanks are left out."""
        x = 0
        for start, end in characters(text):
            char = text[start:end]
            cells = self._cells(char, x)
            if x + cells > self._width:
                return
            yield start, self._drawn(char, cells), cells
            x += cells

    def _drawn(self, char: str, cells: int) -> str:
        if char == "\t":
            return " " * cells
        if "\ud800" <= char <= "\udfff":
            label = self._label(char)
            return label if len(label) <= cells else label[: cells - 1] + "…"
        return char

    def _cells(self, char: str, x: int) -> int:
        if char <= "~":
            return TAB_WIDTH - x % TAB_WIDTH if char == "\t" else 1
        if "\ud800" <= char <= "\udfff":
            return min(len(self._label(char)), self._width)
        return cell_len(char)

    def _measure(self, text: str) -> int:
        if is_simple(text):
            return len(text)
        x = 0
        for start, end in characters(text):
            x += self._cells(text[start:end], x)
        return x

    def _line_tops(self) -> list[int]:
        if self._tops is None:
            self._tops = [0, *accumulate(map(len, self._starts))]
        return self._tops

    def _wrap_all(self) -> None:
        self._starts = [self._wrap(line) for line in self._lines]
        self._tops = None

    def _apply_one(self, change: Change) -> None:
        old = self._starts[change.row : change.row + change.removed]
        if change.removed == change.inserted == 1:
            new = [self._rewrap(self._lines[change.row], old[0], change)]
        else:
            new = [self._wrap(line) for line in self._lines[change.row : change.row + change.inserted]]
        self._starts[change.row : change.row + change.removed] = new
        if [*map(len, old)] != [*map(len, new)]:
            self._tops = None

    def _wrap(self, line: str) -> list[int]:
        if len(line) <= self._width and is_simple(line):
            return _ONE_ROW
        return list(self._row_starts(line, 0))

    def _rewrap(self, line: str, old: list[int], change: Change) -> list[int]:
        """The rows of a line after a change within it.

        A row before the one above the change cannot differ, as a row only looks as far as its first word
        that does not fit. Once a row begins in the tail where one began before, all later rows do too.
        """
        if len(line) <= self.SHORT_LINE or len(old) < 3:
            return self._wrap(line)
        first = max(bisect_right(old, change.column) - 2, 0)
        starts = old[:first]
        for start in self._row_starts(line, old[first]):
            before = bisect_left(old, start - change.shift)
            if start >= change.tail and before < len(old) and old[before] == start - change.shift:
                return [*starts, *(each + change.shift for each in old[before:])]
            starts.append(start)
        return starts

    def _row_starts(self, line: str, start: int) -> Iterator[int]:
        return self._simple_starts(line, start) if is_simple(line) else self._any_starts(line, start)

    def _simple_starts(self, line: str, start: int) -> Iterator[int]:
        size = len(line)
        while True:
            yield start
            limit = start + self._width
            if limit >= size:
                return
            blank = line.rfind(" ", start, limit)
            if line[limit] == " ":
                while limit < size and line[limit] == " ":
                    limit += 1
                if limit == size:
                    return
                start = limit
            else:
                start = limit if blank < 0 else blank + 1

    def _any_starts(self, line: str, start: int) -> Iterator[int]:
        yield start
        x = 0
        # Where the row may end instead of at the edge, and the cells up to there.
        stop, x_stop = start, 0
        for begin, end in characters(line, start):
            char = line[begin:end]
            cells = self._cells(char, x)
            blank = char in " \t"
            breaks = blank or cells > 1
            if cells > 1 and not blank:
                stop, x_stop = begin, x
            while x + cells > self._width and not blank and begin > start:
                if stop <= start:
                    stop, x_stop = begin, x
                start = stop
                yield start
                x -= x_stop
                x_stop = 0
            x += cells
            if breaks:
                stop, x_stop = end, x
