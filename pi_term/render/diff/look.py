"""What unified and side-by-side differences have in common: the lines in their colours, on their grounds."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from rich.segment import Segment
from rich.style import Style

from pi_term.render.diff.groups import Changes
from pi_term.render.diff.model import DiffLine
from pi_term.render.diff.words import Part
from pi_term.render.highlight import CodeLine, plain
from pi_term.render.margin import Margin
from pi_term.render.theme import syntax_token
from pi_term.render.tools.code import CodeColours
from pi_term.render.tools.panel import Panel
from pi_term.render.wrap import Run

TOKENS = {"+": "toolDiffAdded", "-": "toolDiffRemoved"}
"""The colours of signs and numbers; with `Bg` and `WordBg` behind the name, those of grounds."""


class DiffColours:
    """The syntax colours of a difference: those of the new text in its context, of the old in its own.

    Between two gaps a text is whole; after a gap the colours start anew.
    """

    def __init__(self, lines: Sequence[DiffLine], lexer: Any) -> None:
        self._lines = lines
        self._lexer = lexer
        self._starts = [0, *(at + 1 for at, line in enumerate(lines) if line.sign == "~"), len(lines) + 1]
        self._texts: dict[tuple[int, bool], tuple[CodeColours, dict[int, int]]] = {}

    @property
    def behind(self) -> bool:
        """See `Colours`."""
        return any(colours.behind for colours, _ in self._texts.values())

    def line(self, at: int) -> CodeLine:
        """A line, coloured if that takes little time."""
        if self._lexer is None:
            return plain(self._lines[at].text)
        is_old = self._lines[at].sign == "-"
        start = self._starts[bisect_right(self._starts, at) - 1]
        if (start, is_old) not in self._texts:
            self._texts[start, is_old] = self._text(start, "+" if is_old else "-")
        colours, places = self._texts[start, is_old]
        return colours.line(places[at])

    def refine(self, deadline: float) -> bool:
        """See `Colours`."""
        behind = [colours for colours, _ in self._texts.values() if colours.behind]
        found = [colours.refine(deadline) for colours in behind if time.perf_counter() < deadline]
        return any(found)

    def _text(self, start: int, other: str) -> tuple[CodeColours, dict[int, int]]:
        """One of the two texts from `start` to the next gap, and which of its lines each line is."""
        end = self._starts[bisect_right(self._starts, start)] - 1
        chosen = [at for at in range(start, end) if self._lines[at].sign != other]
        colours = CodeColours(self._lexer, [self._lines[at].text for at in chosen])
        return colours, {at: number for number, at in enumerate(chosen)}


class DiffLook:
    """Makes runs and margins for the lines of one difference on one panel."""

    def __init__(
        self,
        lines: Sequence[DiffLine],
        digits: int,
        colours: DiffColours,
        changes: Changes,
        panel: Panel,
    ) -> None:
        """`digits`: room for line numbers; 0 for none."""
        self.lines = lines
        self.changes = changes
        self.panel = panel
        self._colours = colours
        self._digits = digits

    def fill(self, line: DiffLine) -> Style:
        """What fills a row behind the line's text."""
        token = TOKENS.get(line.sign)
        if token is None:
            return self.panel.fill
        return self.panel.view.theme.style(token, f"{token}Bg")

    def runs(self, at: int) -> list[Run]:
        """The line's text: syntax colours on the ground of its kind, changed words on a stronger one."""
        line = self.lines[at]
        theme = self.panel.view.theme
        token = TOKENS.get(line.sign)
        code = self._colours.line(at)
        if token is None:
            style = partial(theme.style, bg=self.panel.ground)
            return [(text, style(syntax_token(kind))) for text, kind in code] or [("", self.panel.fill)]
        runs: list[Run] = []
        for text, kind, is_word in _marked(code, self._words(at)):
            colour = syntax_token(kind)
            if not is_word:
                runs.append((text, theme.style(colour, f"{token}Bg")))
            elif theme.marks_words:
                runs.append((text, theme.style(colour, f"{token}WordBg")))
            else:
                runs.append((text, theme.style(token, f"{token}Bg", reverse=True)))
        return runs or [("", self.fill(line))]

    def gap(self, line: DiffLine) -> list[Run]:
        """What stands for lines that are left out."""
        count = line.left_out
        text = "⋯" if count is None else f"⋯ {count:,} unchanged line{'' if count == 1 else 's'}"
        return [(text, self.panel.style("muted"))]

    def mark(self, line: DiffLine, number: int | None, gutter: int) -> Segment:
        """Number and sign before a line."""
        token = TOKENS.get(line.sign)
        theme = self.panel.view.theme
        style = theme.style(token, f"{token}Bg", bold=True) if token else self.panel.style("toolDiffContext")
        digits = f"{number or '':>{self._digits}} " if self._digits else ""
        return Segment(f"{'':{gutter}}{digits}{line.sign} ", style)

    def _words(self, at: int) -> Sequence[Part]:
        pair = self.changes.partner(at)
        changed = self.changes.words(*pair) if pair is not None else None
        if changed is None:
            return ()
        return changed.old if self.lines[at].sign == "-" else changed.new


def _marked(code: CodeLine, parts: Sequence[Part]) -> list[tuple[str, tuple[str, ...], bool]]:
    """The pieces of a line, divided where a changed part begins or ends, and whether they are in one."""
    bounds = [bound for part in parts for bound in part]
    pieces: list[tuple[str, tuple[str, ...], bool]] = []
    begin = 0
    for text, kind in code:
        end = begin + len(text)
        cuts = [begin, *(bound for bound in bounds if begin < bound < end), end]
        for first, last in pairwise(cuts):
            inside = bisect_right(bounds, first) % 2 == 1
            pieces.append((text[first - begin : last - begin], kind, inside))
        begin = end
    return pieces


def margin_of(mark: Segment, line: DiffLine, width: int) -> Margin:
    """A mark as margin; where there is no room for it, the sign alone. The sign is part of the source."""
    margin = Margin.of_mark(mark, width)
    if not margin.cells:
        margin = Margin.of_mark(Segment(line.sign, mark.style), width)
    return Margin(margin.first, margin.rest, margin.cells, line.sign, line.sign)
