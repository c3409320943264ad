"""Some lines of a file of any size, in constant memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from pi_term.base.dataclass import dataclass
from pi_term.coding.tools.truncate import MAX_BYTES

COUNT_AHEAD_BYTES = 64 * 1024 * 1024
"""How far past what can be shown the rest is counted; in longer files totals are lower bounds."""

_WINDOW_BYTES = MAX_BYTES + 8
"""More than can be shown, so that a cut is noticed and never falls inside the last character shown."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines `first`.. of a file, as many as were wanted.

    `window` is the beginning of their bytes. `lines` and `size` count all of them (a final newline begins no
    line), `first_line_size` the bytes of the first. `total_lines` is that of the file, where a final newline
    does begin one more, empty line. `counted_all` tells whether the end of the file was reached.
    """

    first: int
    window: bytes
    lines: int
    size: int
    first_line_size: int
    total_lines: int
    counted_all: bool

    @property
    def is_past_end(self) -> bool:
        """Whether the file has no line `first`."""
        return self.counted_all and self.first > self.total_lines


async def take_excerpt(
    pieces: AsyncIterator[bytes], first: int, limit: int | None, check: Callable[[], None]
) -> Excerpt:
    """Read at most `limit` lines (at least 1; None: all) from line `first` (from 1) on.

    `check` is called now and then and may raise.
    """
    taker = _Taker(first, limit)
    async for piece in pieces:
        check()
        if taker.counted_ahead > COUNT_AHEAD_BYTES:
            return taker.excerpt(counted_all=False)
        await asyncio.to_thread(taker.feed, piece)
    return taker.excerpt(counted_all=True)


class _Taker:
    """Skips, then takes, then only counts."""

    def __init__(self, first: int, limit: int | None) -> None:
        self._first = first
        self._limit = limit
        self._to_skip = first - 1
        self._window = bytearray()
        self._size = 0
        self._newlines = 0
        self._first_line_size = 0
        self._at_line_start = True
        self._limit_reached = False
        self._total_newlines = 0
        self.counted_ahead = 0

    def feed(self, chunk: bytes) -> None:
        self._total_newlines += chunk.count(b"\n")
        if self._limit_reached or len(self._window) >= _WINDOW_BYTES:
            self.counted_ahead += len(chunk)
        if self._limit_reached:
            return
        start = self._skip(chunk)
        if start is not None:
            self._take(chunk, start)

    def excerpt(self, *, counted_all: bool) -> Excerpt:
        begun = 0 if self._at_line_start and not self._limit_reached else 1
        return Excerpt(
            first=self._first,
            window=bytes(self._window),
            lines=self._newlines + begun,
            size=self._size,
            first_line_size=self._first_line_size,
            total_lines=self._total_newlines + 1,
            counted_all=counted_all,
        )

    def _skip(self, chunk: bytes) -> int | None:
        """Where the wanted lines begin in this chunk, if they do."""
        if not self._to_skip:
            return 0
        newlines = chunk.count(b"\n")
        if newlines < self._to_skip:
            self._to_skip -= newlines
            return None
        start = _after_newlines(chunk, 0, self._to_skip)
        self._to_skip = 0
        return start

    def _take(self, chunk: bytes, start: int) -> None:
        end, newlines = len(chunk), chunk.count(b"\n", start)
        if self._limit is not None and self._newlines + newlines >= self._limit:
            wanted = self._limit - self._newlines
            end, newlines = _after_newlines(chunk, start, wanted) - 1, wanted - 1
            self._limit_reached = True
        if not self._newlines:
            line_end = chunk.find(b"\n", start, end)
            self._first_line_size += (end if line_end < 0 else line_end) - start
        self._newlines += newlines
        self._size += end - start
        self._window += chunk[start : min(end, start + _WINDOW_BYTES - len(self._window))]
        if end > start:
            self._at_line_start = chunk[end - 1] == 0x0A


def _after_newlines(chunk: bytes, start: int, count: int) -> int:
    """The position after the `count`th newline from `start` on; there are that many."""
    for _ in range(count):
        start = chunk.index(b"\n", start) + 1
    return start
