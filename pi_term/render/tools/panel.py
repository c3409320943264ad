"""Drawing on the ground of a tool row: indented, filled to the width."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style

from pi_term.render.blocks.base import EXPAND_ACTION, GUTTER, padded
from pi_term.render.blocks.hints import more_lines
from pi_term.render.cells import TAB_WIDTH
from pi_term.render.line import Line, ViewOptions
from pi_term.render.margin import Margin, to_lines
from pi_term.render.wrap import Run, wrap_runs

LONGEST_LINE = 10_000
"""Characters of a line that are shown; the rest is counted."""


class Panel:
    """Makes rows `width` cells wide on the ground `ground` (a background token)."""

    def __init__(self, width: int, view: ViewOptions, ground: str) -> None:
        self.width = width
        self.view = view
        self.ground = ground
        self.fill = view.theme.style("toolOutput", ground)
        self.margin = Margin.of_mark(Segment(" " * GUTTER, self.fill), width)
        self.room = max(1, width - self.margin.cells)

    @property
    def expanded(self) -> bool:
        """Whether the call is shown expanded."""
        return self.view.expanded

    def style(self, token: str, *, bold: bool | None = None, italic: bool | None = None) -> Style:
        """A style on the ground."""
        return self.view.theme.style(token, self.ground, bold=bold, italic=italic)

    def rows(
        self,
        runs: Sequence[Run],
        *,
        words: bool = False,
        tab: int = TAB_WIDTH,
        margin: Margin | None = None,
        fill: Style | None = None,
        actions: tuple[str, ...] = (),
    ) -> list[Line]:
        """The rows of a line of text."""
        margin = margin or self.margin
        rows = wrap_runs(runs, self.width - margin.cells, words=words, tab=tab)
        return self.filled(to_lines(rows, margin, actions=actions), fill)

    def filled(self, lines: Sequence[Line], fill: Style | None = None) -> list[Line]:
        """Rows filled to the width."""
        return [padded(line, self.width, fill or self.fill) for line in lines]

    def words(self, text: str, token: str) -> list[Line]:
        """Prose in one colour."""
        return self.rows([(text, self.style(token))], words=True)

    def hint(self, hidden: int, what: str = "more") -> list[Line]:
        """The row that tells how many lines are not shown; the key only where it shows them."""
        key = "" if self.expanded else self.view.expand_key
        runs = [(more_lines(hidden, key, what), self.style("muted"))]
        return self.rows(runs, words=True, actions=(EXPAND_ACTION,))


def clipped(line: str) -> str:
    """A line of sensible length."""
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:LONGEST_LINE]}… ({len(line) - LONGEST_LINE:,} more characters)"
