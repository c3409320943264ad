"""Rows of the editor as strips of cells."""

from __future__ import annotations

from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from pi_term.tui.widgets.editor.graphemes import is_simple
from pi_term.tui.widgets.editor.layout import Layout

MARGIN = 1
"""Empty cells left and right of the text; the right one has room for the cursor behind a full row."""


class Palette(NamedTuple):
    """The styles of the editor's parts."""

    text: Style
    cursor: Style
    block: Style
    placeholder: Style
    rule: Style


class RowView(NamedTuple):
    """All that decides how a row looks: its text, and where in it the cursor is (None: elsewhere)."""

    text: str
    cursor: int | None
    placeholder: str = ""


def paint_row(view: RowView, layout: Layout, palette: Palette, width: int, margin: int = MARGIN) -> Strip:
    """One row of text, exactly `width` cells."""
    segments = [Segment(" " * margin, palette.text)]
    if is_simple(view.text):
        filled = _paint_simple(segments, view, layout.width, palette)
    else:
        filled = _paint_any(segments, view, layout, palette)
    if view.placeholder:
        shown = view.placeholder[1:] if view.cursor is not None else view.placeholder
        segments.append(Segment(shown, palette.placeholder))
        return Strip(segments).adjust_cell_length(width, palette.text)
    segments.append(Segment(" " * max(width - margin - filled, 0), palette.text))
    return Strip([each for each in segments if each.text]).adjust_cell_length(width, palette.text)


def paint_rule(width: int, note: str, style: Style) -> Strip:
    """A line of `width` cells with a note near its left end."""
    text = f"─── {note} " if note else ""
    return Strip([Segment((text + "─" * width)[:width], style)], width)


def _paint_simple(segments: list[Segment], view: RowView, limit: int, palette: Palette) -> int:
    text = view.text[:limit]
    if view.cursor is None:
        segments.append(Segment(text, palette.text))
        return len(text)
    # Behind the text, and over blanks that hang over the row, the cursor is a cell of its own.
    at = min(view.cursor, len(text))
    under = text[at : at + 1] or view.placeholder[:1] or " "
    segments += [
        Segment(text[:at], palette.text),
        Segment(under, palette.cursor),
        Segment(text[at + 1 :], palette.text),
    ]
    return max(len(text), at + 1)


def _paint_any(segments: list[Segment], view: RowView, layout: Layout, palette: Palette) -> int:
    filled = 0
    run: list[str] = []
    cursor = view.cursor
    for index, drawn, cells in layout.pieces(view.text):
        block = "\ud800" <= view.text[index] <= "\udfff"
        if index == cursor or block:
            segments.append(Segment("".join(run), palette.text))
            run.clear()
            segments += _special(drawn, palette, block=block, cursor=index == cursor)
            cursor = None if index == cursor else cursor
        else:
            run.append(drawn)
        filled += cells
    segments.append(Segment("".join(run), palette.text))
    if cursor is not None:
        segments.append(Segment(" ", palette.cursor))
        filled += 1
    return filled


def _special(drawn: str, palette: Palette, *, block: bool, cursor: bool) -> list[Segment]:
    """A block, or what the cursor is on; of a wide blank (a tab) it covers the first cell."""
    if block:
        return [Segment(drawn, palette.block + palette.cursor if cursor else palette.block)]
    if drawn.isspace() and len(drawn) > 1:
        return [Segment(drawn[0], palette.cursor), Segment(drawn[1:], palette.text)]
    return [Segment(drawn, palette.cursor)]
