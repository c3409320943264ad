"""Code that is still written: what came last of it, in colours.

All work is on what is new: the text is never looked at twice, however often somebody asks.
"""

from __future__ import annotations

import time
from collections import deque
from itertools import islice
from typing import Any

from pi_term.base.sanitize import sanitize
from pi_term.render.highlight import LINES_AT_ONCE, LONGEST_LINE, CodeLine, Highlighter, plain
from pi_term.render.tools.output import finished
from pi_term.render.tools.panel import clipped

KEPT = 200
"""Lines that can be shown: more than a screen has."""
_SEAM = 64
"""Characters before the new ones by which a text is known to be the same one, grown."""


class GrowingCode:
    """Follows one text. `count`: how many lines it has so far."""

    def __init__(self) -> None:
        self._start(None)

    def _start(self, lexer: Any) -> None:
        self._lexer = lexer
        self._highlighter = Highlighter(lexer)
        self._waiting: deque[str] = deque()
        self._partial = ""
        self._size = 0
        self._line_start = 0
        self._whole = 0
        self._seam = ""

    @property
    def count(self) -> int:
        """How many lines there are, the unfinished one included."""
        return self._whole + (self._size > self._line_start)

    @property
    def behind(self) -> bool:
        """Whether there are lines without colours yet."""
        return bool(self._waiting)

    def feed(self, text: str, lexer: Any) -> None:
        """The text as far as it has come, and the lexer for it; another lexer colours it all anew."""
        if lexer is not self._lexer or not self._continues(text):
            self._start(lexer)
        if len(text) > self._size:
            self._take(text)
        self._push(LINES_AT_ONCE)

    def refine(self, deadline: float) -> bool:
        """See `Colours`."""
        while self._waiting and time.perf_counter() < deadline:
            self._push(1)
        return not self._waiting

    def tail(self, count: int) -> list[CodeLine]:
        """The last lines, at most `KEPT`; the unfinished one as far as it has come."""
        partial = self._partial if self._size > self._line_start else None
        lines = [plain(line) for line in islice(self._waiting, max(0, len(self._waiting) - count), None)]
        if self._waiting:
            lines += [] if partial is None else [plain(partial)]
            coloured = self._highlighter.tail()
        else:
            coloured = self._highlighter.tail(partial)
        lines = [*coloured, *lines][-count:]
        missing = min(count, KEPT) - len(lines)
        return [*self._highlighter.done[-missing:], *lines] if missing > 0 else lines

    def _continues(self, text: str) -> bool:
        before = self._size - len(self._seam)
        return len(text) >= self._size and text[before : self._size] == self._seam

    def _take(self, text: str) -> None:
        if text.find("\n", self._size) >= 0:
            *ended, _ = text[self._line_start :].split("\n")
            self._whole += len(ended)
            self._waiting.extend(clipped(sanitize(line)) for line in ended)
            self._line_start = text.rfind("\n") + 1
        self._size = len(text)
        self._seam = text[max(0, self._size - _SEAM) :]
        # Of a very long line the end is shown while it grows.
        begin = max(self._line_start, self._size - LONGEST_LINE)
        self._partial = sanitize(finished(text[begin:]))

    def _push(self, most: int) -> None:
        coloured = self._highlighter.colours
        while self._waiting and (most > 0 or not coloured):
            self._highlighter.push(self._waiting.popleft())
            most -= 1
        if len(self._highlighter.done) > 2 * KEPT:
            self._highlighter.forget(KEPT)
