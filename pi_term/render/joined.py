"""Several lists of rows seen as one sequence, without copying them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import overload

from pi_term.render.line import Line


class JoinedLines(Sequence[Line]):
    """The rows of several lists one after the other, as they are now.

    The lists may grow at their ends later; that does not show here.
    """

    __slots__ = ("_ends", "_parts")

    def __init__(self, parts: Iterable[Sequence[Line]]) -> None:
        self._parts: list[Sequence[Line]] = []
        self._ends: list[int] = []
        total = 0
        for part in parts:
            if part:
                total += len(part)
                self._parts.append(part)
                self._ends.append(total)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> Line: ...

    @overload
    def __getitem__(self, index: slice) -> list[Line]: ...

    def __getitem__(self, index: int | slice) -> Line | list[Line]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1:
                return self._range(start, stop)
            return [self[at] for at in range(start, stop, step)]
        size = len(self)
        if index < 0:
            index += size
        if not 0 <= index < size:
            raise IndexError("no such row")
        part = bisect_right(self._ends, index)
        return self._parts[part][index - (self._ends[part - 1] if part else 0)]

    def __iter__(self) -> Iterator[Line]:
        begin = 0
        for part, end in zip(self._parts, self._ends, strict=True):
            yield from islice(part, end - begin)
            begin = end

    def _range(self, start: int, stop: int) -> list[Line]:
        found: list[Line] = []
        part = bisect_right(self._ends, start)
        while start < stop:
            begin = self._ends[part - 1] if part else 0
            end = min(stop, self._ends[part])
            found.extend(self._parts[part][start - begin : end - begin])
            start = end
            part += 1
        return found
