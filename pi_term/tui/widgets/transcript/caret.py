"""A cursor in the transcript, to select text with keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.geometry import Offset
from textual.selection import Selection

from pi_term.render.cells import clusters, width_of
from pi_term.render.line import EMPTY_LINE
from pi_term.tui.widgets.transcript.selecting import character_at, own_text, place_of

if TYPE_CHECKING:
    from pi_term.render.line import Line
    from pi_term.tui.widgets.transcript.items import Item, ItemList
    from pi_term.tui.widgets.transcript.store import LineStore

_WORD = re.compile(r"\w+|[^\w\s]+")


class Caret:
    """A place in a row of an item: `x` counts drawn characters. The row's decoration is passed over.

    `mark` is the other end of what is selected, None while nothing is.
    """

    def __init__(self, items: ItemList, store: LineStore, item: Item, line: int) -> None:
        self._items = items
        self._store = store
        self.item = item
        self.line = line
        self.mark: Offset | None = None
        self.x = self._start
        self._column = 0  # where it would like to be in rows that are long enough
        self._keep_column()

    # What is there

    @property
    def _lines(self) -> Sequence[Line]:
        return self._store.render(self.item).lines

    @property
    def _row(self) -> Line:
        lines = self._lines
        self.line = max(0, min(self.line, len(lines) - 1))
        return lines[self.line] if lines else EMPTY_LINE  # a block may come to show nothing

    @property
    def _start(self) -> int:
        return own_text(self._row)

    @property
    def _end(self) -> int:
        return max(self._start, len(self._row.text.rstrip()))

    @property
    def offset(self) -> Offset:
        """Its place as selections count."""
        return Offset(self.x, place_of(self.item, self.line))

    @property
    def cell(self) -> tuple[int, int]:
        """The drawn characters it stands on: first, and behind the last."""
        text = self._row.text
        for each in clusters(text[self.x :])[:1]:
            return self.x, self.x + each.end
        return self.x, self.x + 1

    @property
    def selection(self) -> Selection | None:
        """What is between the mark and the caret, the character under it included where it comes last."""
        if self.mark is None:
            return None
        here = self.offset
        if (here.y, here.x) < (self.mark.y, self.mark.x):
            return Selection(here, self.mark)
        return Selection(self.mark, Offset(min(self.cell[1], max(self._end, self.x)), here.y))

    # Moving

    def set_mark(self) -> None:
        """Begin to select here; the second time, select nothing."""
        self.mark = self.offset if self.mark is None else None

    def move_rows(self, count: int) -> bool:
        """Up (negative) or down; whether it moved."""
        moved = False
        for _ in range(abs(count)):
            if not self._step_row(1 if count > 0 else -1):
                break
            moved = True
        self.x = max(self._start, min(self._column_at(), max(self._start, self._end - 1)))
        return moved

    def move_characters(self, count: int) -> None:
        """Left (negative) or right, over the ends of rows."""
        ends = [0, *(each.end for each in clusters(self._row.text[self._start :]))]
        stops = [self._start + end for end in ends if self._start + end <= self._end]
        if count < 0:
            before = [stop for stop in stops if stop < self.x]
            if before:
                self.x = before[-1]
            elif self._step_row(-1):
                self.x = max(self._start, self._end - 1)
        else:
            after = [stop for stop in stops if self.x < stop < self._end]
            if after:
                self.x = after[0]
            elif self._step_row(1):
                self.x = self._start
        self._keep_column()

    def move_words(self, count: int) -> None:
        """To the beginning of the word before (negative) or of the next one."""
        while True:
            starts = [match.start() for match in _WORD.finditer(self._row.text, self._start)]
            if count < 0:
                found = [start for start in starts if start < self.x]
                self.x = found[-1] if found else self.x
            else:
                found = [start for start in starts if start > self.x]
                self.x = found[0] if found else self.x
            if found or not self._step_row(1 if count > 0 else -1):
                break
            self.x = -1 if count > 0 else len(self._row.text) + 1
        self.x = max(self._start, min(self.x, self._end))
        self._keep_column()

    def move_to_end(self, *, end: bool) -> None:
        """To the first or the last character of the row."""
        self.x = max(self._start, self._end - 1) if end else self._start
        self._keep_column()

    def go_to(self, item: Item, line: int) -> None:
        """To a row, keeping the column."""
        self.item, self.line = item, line
        self.move_rows(0)

    def _step_row(self, step: int) -> bool:
        """To the next row that has text; whether there is one."""
        item: Item | None = self.item
        line = self.line + step
        while item is not None:
            lines = self._store.render(item).lines
            while 0 <= line < len(lines):
                if lines[line].source_text.strip() or lines[line].text.strip():
                    self.item, self.line = item, line
                    return True
                line += step
            item = self._items.after(item) if step > 0 else self._items.before(item)
            if item is not None:
                line = 0 if step > 0 else self._store.measure(item) - 1
        return False

    def _keep_column(self) -> None:
        self._column = width_of(self._row.text[: self.x])

    def _column_at(self) -> int:
        return character_at(self._row, self._column)
