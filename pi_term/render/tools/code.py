"""Code under a tool row: made row by row where it is looked at, coloured as far as time allows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from rich.segment import Segment

from pi_term.base.sanitize import sanitize
from pi_term.render.highlight import WINDOW, CodeLine, Highlighter, plain
from pi_term.render.line import Line
from pi_term.render.margin import Margin
from pi_term.render.theme import syntax_token
from pi_term.render.tools.lazy import LazyRows, rows_of
from pi_term.render.tools.output import first_lines
from pi_term.render.tools.panel import Panel, clipped
from pi_term.render.wrap import Run

MOST_LINES = 5000
"""Lines of a file that are shown expanded."""
_AT_ONCE = 2 * WINDOW
"""Lines that are coloured while somebody waits for them: what takes a few milliseconds."""
_AHEAD = 200
"""Lines behind those that were looked at that are coloured in idle time."""
FEWEST_DIGITS = 3
"""Room for line numbers, so that rows do not move as soon as there are ten lines."""


class CodeColours:
    """The lines of some code with their colours, which are found out as far as lines are looked at.

    Only few at once: other lines are plain until `refine` has come there, which also goes a bit ahead.
    """

    def __init__(self, lexer: Any, lines: Sequence[str]) -> None:
        """`lines`: sanitised, of sensible length."""
        self._lines = lines
        self._highlighter = Highlighter(lexer)
        self._credit = _AT_ONCE
        self._wanted = 0
        self._plain_to = 0  # lines before this one were shown plain, though they have colours

    @property
    def behind(self) -> bool:
        """Whether there are no colours yet of lines that are looked at, or soon may be."""
        return self._highlighter.received < min(self._wanted + _AHEAD, len(self._lines))

    def line(self, index: int) -> CodeLine:
        """A line, coloured if that takes little time."""
        highlighter = self._highlighter
        self._wanted = max(self._wanted, index + 1)
        if highlighter.received <= index:
            ahead = min(index + WINDOW, len(self._lines))
            missing = ahead - highlighter.received
            if missing > self._credit and highlighter.colours:
                self._plain_to = max(self._plain_to, index + 1)
                return plain(self._lines[index])
            self._credit -= missing
            self._push(ahead)
        known = len(highlighter.done)
        return highlighter.done[index] if index < known else highlighter.tail()[index - known]

    def refine(self, deadline: float) -> bool:
        """See `Colours`."""
        self._credit = _AT_ONCE
        while self.behind and time.perf_counter() < deadline:
            self._push(self._highlighter.received + 1)
        if not 0 < self._plain_to <= self._highlighter.received:
            return False
        self._plain_to = 0
        return True

    def _push(self, end: int) -> None:
        while self._highlighter.received < end:
            self._highlighter.push(self._lines[self._highlighter.received])


class CodeView:
    """The first lines of a text as code."""

    def __init__(self, text: str, lexer: Any, *, most: int, first: int | None = None) -> None:
        """At most `most` lines are ever shown. `first`: the number of the first one; None: no numbers."""
        self.capacity = most
        lines, self.hidden = first_lines(text, most)
        self._lines = [clipped(line) for line in sanitize("\n".join(lines)).split("\n")] if lines else []
        self._first = first
        self.colours = CodeColours(lexer, self._lines)

    def rows(self, panel: Panel) -> Sequence[Line]:
        """All lines, long ones wrapped."""
        room = panel.width - self._margin(0, panel).cells
        counts = [rows_of(line, room) for line in self._lines]
        return LazyRows(counts, lambda at: panel.rows(self._runs(at, panel), margin=self._margin(at, panel)))

    def cut_rows(self, panel: Panel, count: int) -> list[Line]:
        """The first lines, each cut to one row."""
        return [
            row
            for at in range(min(count, len(self._lines)))
            for row in panel.cut_rows(self._runs(at, panel), margin=self._margin(at, panel))
        ]

    def _runs(self, at: int, panel: Panel) -> list[Run]:
        return code_runs(self.colours.line(at), panel)

    def _margin(self, at: int, panel: Panel) -> Margin:
        if self._first is None:
            return panel.margin
        return number_margin(self._first + at, self._first + len(self._lines), panel)


def number_margin(number: int, most: int, panel: Panel) -> Margin:
    """The number of a line before it, in room for numbers up to `most`."""
    digits = max(FEWEST_DIGITS, len(str(most)))
    mark = Segment(f"{'':{panel.margin.cells}}{number:>{digits}}  ", panel.style("dim"))
    margin = Margin.of_mark(mark, panel.width)
    return margin if margin.cells else panel.margin


def file_name(path: str) -> str:
    """The last part of a path."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def code_runs(line: CodeLine, panel: Panel, ground: str | None = None) -> list[Run]:
    """A coloured line as runs, on the panel's ground or another."""
    theme = panel.view.theme
    behind = ground or panel.ground
    return [(text, theme.style(syntax_token(kind), behind)) for text, kind in line] or [
        ("", theme.style("mdCodeBlock", behind))
    ]
