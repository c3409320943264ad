"""Rows that are made when somebody looks at them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import overload

from pi_term.render.cells import TAB_WIDTH, expand_tabs, is_narrow
from pi_term.render.line import Line
from pi_term.render.wrap import fold_spans


class LazyRows(Sequence[Line]):
    """The rows of many lines. How many each line has must be known; what they look like is asked for when
    one of them is first looked at."""

    __slots__ = ("_draw", "_ends", "_made")

    def __init__(self, counts: Iterable[int], draw: Callable[[int], Sequence[Line]]) -> None:
        """`counts`: the number of rows of each line (at least 1). `draw(index)` makes just as many."""
        self._ends = list(accumulate(counts))
        self._draw = draw
        self._made: dict[int, Sequence[Line]] = {}

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> Line: ...

    @overload
    def __getitem__(self, index: slice) -> list[Line]: ...

    def __getitem__(self, index: int | slice) -> Line | list[Line]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        size = len(self)
        if index < 0:
            index += size
        if not 0 <= index < size:
            raise IndexError("no such row")
        line = bisect_right(self._ends, index)
        rows = self._made.get(line)
        if rows is None:
            rows = self._made[line] = self._draw(line)
        return rows[index - (self._ends[line - 1] if line else 0)]


def rows_of(line: str, room: int, tab: int = TAB_WIDTH) -> int:
    """How many rows `room` cells wide a sanitised line fills when it is broken anywhere."""
    if "\t" in line:
        line = expand_tabs(line, tab)
    if is_narrow(line):
        return max(1, -(-len(line) // max(1, room)))
    return len(fold_spans(line, max(1, room)))
