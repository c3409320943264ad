"""Code under a tool row: coloured as far as one call may, the rest when there is time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from pi_term.base.sanitize import sanitize
from pi_term.render.highlight import LINES_AT_ONCE, CodeLine, Highlighter, lexer_for_file, plain
from pi_term.render.line import Line
from pi_term.render.theme import syntax_token
from pi_term.render.tools.call import ToolCallState
from pi_term.render.tools.output import first_lines
from pi_term.render.tools.panel import Panel, clipped
from pi_term.render.wrap import Run


class ColouredCode:
    """The lines of a file, with colours for as many of the first as have been asked for."""

    def __init__(self, lexer: Any, lines: Sequence[str], capacity: int) -> None:
        """`capacity`: how many lines there may be at most."""
        self.capacity = capacity
        self._lines = lines
        self._highlighter = Highlighter(lexer)
        self._wanted = 0

    @property
    def behind(self) -> bool:
        """Whether lines are shown that have no colours yet."""
        return self._highlighter.received < self._wanted

    def first(self, count: int) -> list[CodeLine]:
        """The first lines, coloured as far as possible."""
        self._wanted = min(count, len(self._lines))
        received = self._highlighter.received
        for line in self._lines[received : min(self._wanted, received + LINES_AT_ONCE)]:
            self._highlighter.push(line)
        known = [*self._highlighter.done, *self._highlighter.tail()][: self._wanted]
        return [*known, *map(plain, self._lines[len(known) : self._wanted])]

    def refine(self, budget: float) -> bool:
        """Colour more, for about `budget` seconds; True while some is left."""
        deadline = time.perf_counter() + budget
        while self.behind and time.perf_counter() < deadline:
            self._highlighter.push(self._lines[self._highlighter.received])
        return self.behind


def code_lines(call: ToolCallState, path: str, text: str, count: int) -> list[CodeLine]:
    """The first lines of a call's code; what was coloured is kept while the call does not change."""
    known: ColouredCode | None = call.memo.get("code")
    if known is None or known.capacity < count:
        lines, _ = first_lines(text, count)
        lexer = lexer_for_file(file_name(path))
        known = ColouredCode(lexer, [clipped(sanitize(line)) for line in lines], count)
        call.memo["code"] = known
    return known.first(count)


def file_name(path: str) -> str:
    """The last part of a path."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def code_rows(lines: Sequence[CodeLine], panel: Panel) -> list[Line]:
    """Coloured lines as rows."""
    return [row for line in lines for row in panel.rows(code_runs(line, panel))]


def code_runs(line: CodeLine, panel: Panel, ground: str | None = None) -> list[Run]:
    """A coloured line as runs, on the panel's ground or another."""
    theme = panel.view.theme
    behind = ground or panel.ground
    return [(text, theme.style(syntax_token(kind), behind)) for text, kind in line]
