"""Code between two rules, with the language in the upper one. A click on a rule copies the code."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style

from pi_term.base.sanitize import sanitize_line
from pi_term.render.cells import fit, width_of
from pi_term.render.highlight import (
    LINES_AT_ONCE,
    LONGEST_LINE,
    WINDOW,
    CodeLine,
    Highlighter,
    TokenType,
    plain,
)
from pi_term.render.line import Line
from pi_term.render.margin import to_lines
from pi_term.render.markdown.leaf import Leaf
from pi_term.render.markdown.look import Look, margin_of
from pi_term.render.markdown.view import Drawn
from pi_term.render.theme import syntax_token
from pi_term.render.wrap import wrap_runs

COPY_ACTION = "app.message.copyCode"
_COPY = " copy "
_COPY_FROM = 24
"""Cells from which on the upper rule has room to say what a click does."""


class CodeView:
    """Draws code as far as the highlighter has come; settled lines once, the others when they change."""

    def __init__(self, leaf: Leaf, width: int, look: Look, highlighter: Highlighter) -> None:
        self._look = look
        self._margin = margin_of(leaf, look, width)
        self._width = max(1, width - self._margin.cells)
        self._highlighter = highlighter
        self._lines = leaf.lines
        self._settled = 0
        self._drawn: dict[int, tuple[CodeLine, list[Line]]] = {}
        self._long_read = ""
        self._long_rows: list[Line] = []
        self._styles: dict[TokenType, Style] = {}
        self._stable = [self._rule(leaf, sanitize_line(leaf.info), first=True)]
        self._bottom = self._rule(leaf, "", first=False)

    def follows(self, leaf: Leaf) -> bool:
        return leaf.lines is self._lines and leaf.kind == "code"

    def draw(self, leaf: Leaf, *, growing: bool) -> Drawn:
        highlighter = self._highlighter
        count, partial = _shown(leaf)
        # What comes in a flood is mostly gone before it can be read.
        most = WINDOW if self._drawn or self._settled else LINES_AT_ONCE
        for line in leaf.lines[highlighter.received : min(count, highlighter.received + most)]:
            highlighter.push(line)
        for number in range(self._settled, len(highlighter.done)):
            self._stable.extend(self._rows(number, highlighter.done[number]))
            self._drawn.pop(number, None)
        number = self._settled = len(highlighter.done)
        tail: list[Line] = []
        behind = leaf.lines[highlighter.received : count]
        short = None if behind or partial is None or len(partial) > LONGEST_LINE else partial
        for coloured in [*highlighter.tail(short), *map(plain, behind)]:
            tail.extend(self._rows(number, coloured))
            number += 1
        growing_rows = [] if partial is None or short is not None else self._grow(partial)
        return [self._stable, tail, *growing_rows, [self._bottom]]

    def _grow(self, partial: str) -> Drawn:
        """A line too long to be coloured, which may still grow: full rows are drawn once."""
        if not partial.startswith(self._long_read):
            self._long_read, self._long_rows = "", []
        rest = partial[len(self._long_read) :]
        rows = wrap_runs([(rest, self._style(()))], self._width, words=False)
        # Tab stops count from the start of the line; and the last row may join with what follows.
        if "\t" not in partial:
            self._long_rows.extend(to_lines(rows[:-1], self._margin, begin=False))
            self._long_read = partial[: len(partial) - len(rows[-1].source)]
            rows = rows[-1:]
        return [self._long_rows, to_lines(rows, self._margin, begin=False)]

    def _rows(self, number: int, coloured: CodeLine) -> list[Line]:
        known = self._drawn.get(number)
        if known is not None and known[0] == coloured:
            return known[1]
        runs = [(text, self._style(kind)) for text, kind in coloured] or [("", self._style(()))]
        lines = to_lines(wrap_runs(runs, self._width, words=False), self._margin, begin=False)
        self._drawn[number] = (coloured, lines)
        return lines

    def _style(self, kind: TokenType) -> Style:
        style = self._styles.get(kind)
        if style is None:
            style = self._styles[kind] = self._look.style(syntax_token(kind))
        return style

    def _rule(self, leaf: Leaf, label: str, *, first: bool) -> Line:
        margin, width = self._margin, self._width
        border = self._look.style("mdCodeBlockBorder")
        segments = [Segment("─" * width, border)]
        end = [Segment(_COPY, self._look.style("muted")), Segment("──", border)]
        if not first or width < _COPY_FROM:
            end = []
        room = width - sum(segment.cell_length for segment in end)
        if label and width > 6:
            shown = fit(label, room - 5)
            rest = "─" * (room - 4 - width_of(shown))
            segments = [Segment("── ", border), Segment(shown, self._look.style("muted"))]
            segments += [Segment(f" {rest}", border), *end]
        elif end:
            segments = [Segment("─" * room, border), *end]
        lead = margin.first if first else margin.rest
        source = (margin.source_first if first else margin.source_rest) + (leaf.fence or "```") + label
        return Line((*lead, *segments), source, action_ids=(COPY_ACTION,), indent=margin.cells)


def _shown(leaf: Leaf) -> tuple[int, str | None]:
    """How many complete lines belong to the code, and the partial one: blank ends of indented code do not."""
    count, partial = len(leaf.lines), leaf.partial
    if leaf.fence or (partial and not partial.isspace()):
        return count, partial
    while count and (not leaf.lines[count - 1] or leaf.lines[count - 1].isspace()):
        count -= 1
    return count, None
