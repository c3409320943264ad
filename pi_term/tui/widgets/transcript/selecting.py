"""Selected text: where it begins and ends, how it is copied.

Textual's selections are pairs of offsets. Here x counts characters of the drawn row, and y is the place
of a line: `Item.seq * LINES + line`, which stays right when other blocks arrive or change their height.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset
from textual.strip import Strip

if TYPE_CHECKING:
    from pi_term.render.line import Line
    from pi_term.tui.widgets.transcript.items import Item, ItemList

LINES = 2**20
"""More lines than any block has."""
NEAR = 4
TAB = 8
"""How far from its neighbour a drawn character is looked for, and how much further behind a tab."""

_WORD = re.compile(r"[\w./~@+-]+|\s+|[^\w\s]")


class Span(NamedTuple):
    """A selected range in order; `end` is behind the last character."""

    start: Offset
    end: Offset

    def on(self, y: int) -> tuple[int, int | None] | None:
        """The characters of a row at place `y` that are selected: first, and behind the last or None."""
        if not self.start.y <= y <= self.end.y:
            return None
        return (self.start.x if y == self.start.y else 0), (self.end.x if y == self.end.y else None)


def place_of(item: Item, line: int) -> int:
    """The y of a line in selections."""
    return item.seq * LINES + line


def with_offsets(line: Line | None, place: int) -> Strip:
    """A row that tells Textual's hit test which character is where. Its looks do not matter."""
    parts = (line.segments if line is not None else ()) or (Segment(""),)
    x = 0
    segments: list[Segment] = []
    for text, _, _ in parts:
        segments.append(Segment(text, Style.from_meta({"offset": (x, place)})))
        x += len(text)
    return Strip(segments)


def cells(line: Line, first: int, end: int | None) -> tuple[int, int]:
    """A range of characters of a drawn row as a range of cells, without decoration and padding."""
    text = line.text.rstrip()
    first = max(first, own_text(line))
    return cell_len(text[:first]), cell_len(text if end is None else text[:end])


def character_at(line: Line, x: int) -> int:
    """The index of the drawn character at cell `x`."""
    passed = 0
    for index, character in enumerate(line.text):
        passed += cell_len(character)
        if x < passed:
            return index
    return len(line.text)


def word_at(line: Line, x: int) -> tuple[int, int]:
    """The word around character `x` of a drawn row, as (first, behind the last)."""
    for match in _WORD.finditer(line.text):
        if match.start() <= x < match.end():
            return match.span()
    return x, x


def paragraph_at(lines: Sequence[Line], at: int) -> tuple[int, int]:
    """The first and the last of the rows that were one line before it was wrapped."""
    first = last = at
    while first and lines[first - 1].soft_wrapped:
        first -= 1
    while last < len(lines) - 1 and lines[last].soft_wrapped:
        last += 1
    return first, last


def selected_text(items: ItemList, span: Span, lines_of: Callable[[Item], Sequence[Line]]) -> str:
    """The text of a range: rows that were only wrapped are joined, decoration and padding are left out."""
    parts: list[str] = []
    newline = ""
    for item, first, count in _pieces(items, span):
        lines = lines_of(item)
        for at in range(first, min(count, len(lines))):
            line = lines[at]
            chosen = span.on(place_of(item, at))
            text = source_slice(line, *chosen) if chosen is not None else ""
            parts.append(newline)
            parts.append(text if line.soft_wrapped else text.rstrip())
            newline = "" if line.soft_wrapped else "\n"
    return "".join(parts)


def _pieces(items: ItemList, span: Span) -> Iterator[tuple[Item, int, int]]:
    """The items of a range, each with its first selected line and the line behind its last one."""
    (first_seq, first_line), (last_seq, last_line) = divmod(span.start.y, LINES), divmod(span.end.y, LINES)
    item = items.from_seq(first_seq)
    while item is not None and item.seq <= last_seq:
        start = first_line if item.seq == first_seq else 0
        yield item, start, last_line + 1 if item.seq == last_seq else LINES
        item = items.after(item)


def source_slice(line: Line, first: int, end: int | None) -> str:
    """The part of a row's source text that the drawn characters `first` to `end` stand for."""
    source = line.source_text
    if first <= 0 and end is None:
        return source
    places = _places(line)
    start = bisect_left(places, 2 * first) if first > 0 else 0
    return source[start : len(source) if end is None else bisect_left(places, 2 * end - 1)]


def _places(line: Line) -> list[int]:
    """For each character of the source text, twice the index of the drawn character that stands for it.

    Marks that are not drawn (of a heading, a list item, a table) are odd: between two drawn characters.
    """
    drawn = line.text
    start = own_text(line)
    own = drawn[start:].rstrip()
    source = line.source_text
    offset = source.find(own) if own else -1
    if offset < 0:
        return _places_by_character(source, drawn, start)
    end = start + len(own)
    before, after = offset, len(source) - offset - len(own)
    return [*[2 * start - 1] * before, *range(2 * start, 2 * end, 2), *[2 * end] * after]


def own_text(line: Line) -> int:
    """The index of the first drawn character that is not decoration."""
    indent, at = line.indent, 0
    drawn = line.text
    while indent > 0 and at < len(drawn):
        indent -= cell_len(drawn[at])
        at += 1
    return at


def _places_by_character(source: str, drawn: str, at: int) -> list[int]:
    """Places found one by one, for rows with tabs or with marks that are not drawn."""
    places: list[int] = []
    tabs = 0
    for character in source:
        if character == "\t":
            places.append(2 * at)
            tabs += 1
            continue
        reach = (1 if character == " " else NEAR) + TAB * tabs
        found = drawn.find(character, at, at + reach)
        places.append(2 * found if found >= 0 else 2 * at - 1)
        if found >= 0:
            # A blank behind a tab may be taken for one of the tab's own: the tab still counts.
            at, tabs = found + 1, tabs if character == " " else 0
    return places
