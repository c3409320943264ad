"""Drawing on the ground of a tool row: indented, filled to the width."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style

from pi_term.render.blocks.base import EXPAND_ACTION, GUTTER, padded
from pi_term.render.blocks.hints import more_lines
from pi_term.render.cells import TAB_WIDTH
from pi_term.render.line import EMPTY_LINE, Line, ViewOptions
from pi_term.render.margin import Margin, to_lines
from pi_term.render.wrap import Row, Run, wrap_runs

LONGEST_LINE = 10_000
"""Characters of a line that are shown; the rest is counted."""
_CUT = "…"
_PER_CELL = 4
"""Characters that are looked at for each cell to be filled: more than a letter has marks, mostly."""


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

    def cut_rows(
        self, runs: Sequence[Run], most: int = 1, *, margin: Margin | None = None, fill: Style | None = None
    ) -> list[Line]:
        """The first rows of a line of text, an ellipsis where it is cut; copied, they are all of the line."""
        margin = margin or self.margin
        rows = first_rows(runs, max(1, self.width - margin.cells), most)
        return self.filled(to_lines(rows, margin), fill)

    def filled(self, lines: Sequence[Line], fill: Style | None = None) -> list[Line]:
        """Rows filled to the width."""
        return [padded(line, self.width, fill or self.fill) for line in lines]

    def words(self, text: str, token: str) -> list[Line]:
        """Prose in one colour."""
        return self.rows([(text, self.style(token))], words=True)

    def empty(self) -> list[Line]:
        """A row with nothing on it."""
        return self.filled([EMPTY_LINE])

    def hint(self, hidden: int, what: str = "more") -> list[Line]:
        """The row that tells how many lines are not shown; the key only where it shows them."""
        key = "" if self.expanded else self.view.expand_key
        return self.offer(more_lines(hidden, key, what))

    def offer(self, text: str) -> list[Line]:
        """A remark that opens or closes the block when it is clicked."""
        return self.rows([(text, self.style("muted"))], words=True, actions=(EXPAND_ACTION,))


def first_rows(runs: Sequence[Run], room: int, most: int) -> list[Row]:
    """At most `most` rows of a line, the last of which stands for the rest of the line as well."""
    source = "".join(text for text, _ in runs)
    looked_at = room * most * _PER_CELL
    rows = wrap_runs(_beginning(runs, looked_at), room, words=False)
    if len(rows) <= most and len(source) <= looked_at:
        return rows
    last = min(most, len(rows)) - 1
    segments = rows[last].segments
    styles = [style or Style.null() for _, style, _ in segments] or [runs[-1][1]]
    drawn = [(segment.text, style) for segment, style in zip(segments, styles, strict=False)]
    shorter = wrap_runs(drawn, max(1, room - 1), words=False)[0]
    end = Segment(_CUT, styles[-1])
    kept = shorter.segments if room > 1 else []
    before = sum(len(row.source) for row in rows[:last])
    return [*rows[:last], Row([*kept, end], source[before:], False)]


def _beginning(runs: Sequence[Run], count: int) -> list[Run]:
    """The first characters of styled text."""
    found: list[Run] = []
    for text, style in runs:
        if count <= 0:
            break
        found.append((text[:count], style))
        count -= len(text)
    return found


def clipped(line: str) -> str:
    """A line of sensible length."""
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:LONGEST_LINE]}… ({len(line) - LONGEST_LINE:,} more characters)"
