"""From rows to strips: pure functions over a palette."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.filter import LineFilter
from textual.strip import Strip

from pi_term.base.dataclass import dataclass

if TYPE_CHECKING:
    from textual.color import Color

    from pi_term.render.line import Line

BAR = 2
"""Columns at the right edge that belong to the thumb; no text is ever there."""
THUMB = " ▐"


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours that are the view's own, and the filters every row goes through on its way out."""

    base: Style
    thumb: Style
    pill: Style
    selection: Style
    match: Style
    current: Style
    background: Color
    filters: tuple[LineFilter, ...]

    def filtered(self, strip: Strip) -> Strip:
        """A strip as it may go to the terminal (without colours, dimmed, in terminal colours)."""
        for line_filter in self.filters:
            strip = strip.apply_filter(line_filter, self.background)
        return strip


class WithoutLinks(LineFilter):
    """For terminals that know no links: the sequences would be noise to them."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            Segment(text, style.update_link(None) if style is not None and style.link else style, control)
            for text, style, control in segments
        ]


@dataclass(frozen=True, slots=True)
class Bar:
    """Where the thumb is: its first row and its height, in rows of the view."""

    top: int
    height: int

    def covers(self, y: int) -> bool:
        """Whether the thumb is on this row."""
        return self.top <= y < self.top + self.height


def place_bar(top: int, total: int, height: int, *, at_end: bool) -> Bar | None:
    """The thumb for a view of `height` rows at row `top` of `total`; None when all rows fit."""
    if total <= height or height < 1:
        return None
    size = max(1, height * height // total)
    room = height - size
    at = room if at_end else min(room, round(top / (total - height) * room))
    return Bar(max(0, at), size)


def row_strip(line: Line, width: int, palette: Palette) -> Strip:
    """A row on the view's background, with an empty cell for the thumb.

    A row wider than `width` is cut; a wide character at the cut becomes a blank.
    """
    base = palette.base
    segments = [
        Segment(text, base + style if style is not None else base)
        for text, style, control in line.segments
        if text and not control
    ]
    strip = Strip(segments)
    if strip.cell_length > width:
        strip = strip.adjust_cell_length(width, base)
    missing = width + BAR - strip.cell_length
    return Strip([*strip, Segment(" " * missing, base)], width + BAR)


def blank_strip(width: int, palette: Palette) -> Strip:
    """An empty row as wide as the view."""
    return Strip.blank(width + BAR, palette.base)


def with_thumb(strip: Strip, palette: Palette) -> Strip:
    """A row with the thumb in its last cell."""
    width = strip.cell_length - BAR
    return Strip([*strip.crop(0, width), Segment(THUMB, palette.base + palette.thumb)], width + BAR)


def with_pill(strip: Strip, label: str, palette: Palette) -> Strip:
    """A row with the pill before its last cell; the row as it is when there is no room."""
    size = cell_len(label)
    width = strip.cell_length
    left = width - BAR - size
    if left < 0:
        return strip
    pill = Segment(label, palette.base + palette.pill)
    return Strip([*strip.crop(0, left), pill, *strip.crop(width - BAR, width)], width)


def with_selection(strip: Strip, span: tuple[int, int], palette: Palette) -> Strip:
    """A row with the cells of `span` (first, behind the last) marked as selected."""
    first, end = span
    width = strip.cell_length
    marked = Segment.apply_style(strip.crop(first, end), post_style=palette.selection)
    return Strip([*strip.crop(0, first), *marked, *strip.crop(end, width)], width)


def with_matches(
    strip: Strip,
    line: Line,
    spans: Sequence[tuple[int, int]],
    current: Sequence[tuple[int, int]],
    palette: Palette,
) -> Strip:
    """A row with what was looked for in it marked; `spans` and `current` count drawn characters."""
    for first, end in spans:
        style = palette.current if (first, end) in current else palette.match
        strip = with_cells(strip, line, first, end, style)
    return strip


def with_cells(strip: Strip, line: Line, first: int, end: int, style: Style) -> Strip:
    """A row with its drawn characters from `first` up to `end` in another style."""
    text = line.text
    start = cell_len(text[:first])
    stop = max(start + 1, cell_len(text[:end]))
    width = strip.cell_length
    marked = Segment.apply_style(strip.crop(start, stop), post_style=style)
    return Strip([*strip.crop(0, start), *marked, *strip.crop(stop, width)], width)


def changed_runs(old: Sequence[Strip], new: Sequence[Strip]) -> Iterator[tuple[int, int]]:
    """Runs of rows that differ, as (first row, number of rows)."""
    start: int | None = None
    for y, strip in enumerate(new):
        before = old[y] if y < len(old) else None
        if before is strip or before == strip:
            if start is not None:
                yield start, y - start
                start = None
        elif start is None:
            start = y
    if start is not None:
        yield start, len(new) - start
