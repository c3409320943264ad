"""Which rows are shown: the last ones, or those from an anchored line on."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pi_term.tui.widgets.transcript.anchor import Anchor

if TYPE_CHECKING:
    from pi_term.tui.widgets.transcript.items import Item, ItemList
    from pi_term.tui.widgets.transcript.store import LineStore

Row: TypeAlias = tuple["Item", int]
"""A line of an item."""

Place: TypeAlias = Row | None
"""The line at the top; None: the end is followed."""

FAR = 2_000
"""Rows beyond which scrolling goes by the estimated heights, not by measuring all that is passed."""


class Viewport:
    """A window of `height` rows over the items.

    Either it follows the end, or it holds an anchored line at its top. What is added, measured or
    changed elsewhere moves neither; only what the person does (the methods here) changes between them.
    """

    def __init__(self, items: ItemList, store: LineStore) -> None:
        self.height = 0
        self._items = items
        self._store = store
        self._anchor: Anchor | None = None

    @property
    def following(self) -> bool:
        """Whether the newest row is always shown."""
        return self._anchor is None

    def follow(self) -> None:
        """Show the end, from now on."""
        self._anchor = None

    @property
    def place(self) -> Place:
        """Where it is, to come `back` to."""
        anchor = self._anchor
        return None if anchor is None else (anchor.item, anchor.line)

    def back(self, place: Place) -> None:
        """Show what was shown there; the end, if that was followed."""
        if place is None or self._items.get(place[0].block.id) is not place[0]:
            self.follow()
        else:
            self.go_to(*place)

    def rows(self) -> list[Row]:
        """The rows to show, from the top, at most `height`."""
        start = self._start()
        rows: list[Row] = []
        if start is None:
            return rows
        item: Item | None
        item, line = start
        while item is not None and len(rows) < self.height:
            count = self._store.measure(item)
            rows.extend((item, at) for at in range(line, min(count, line + self.height - len(rows))))
            item, line = self._items.after(item), 0
        return rows

    def move(self, delta: int) -> None:
        """Scroll by rows, down when positive. Reaching the end means following it."""
        start = self._start()
        if start is None or not delta:
            return
        if abs(delta) > FAR:
            self.go_to_row(self._items.top(start[0]) + start[1] + delta)
        elif delta < 0:
            item, line = self._up(start[0], start[1] + delta)
            self._hold(item, line)
            if self._is_first(item, line) and self._reaches_end(item, line):
                self.follow()
        elif not self.following:
            self._go(*self._down(start[0], start[1] + delta))

    def go_to_row(self, row: int) -> None:
        """Put a row counted from the top (by heights that may be estimates) at the top of the view."""
        place = self._items.at_row(row)
        if place is not None:
            item, line = place
            self._go(item, max(0, min(line, self._store.measure(item) - 1)))

    def go_to(self, item: Item, line: int = 0, *, y: int = 0) -> None:
        """Put a line of an item at row `y` of the view, or as near as the ends allow."""
        line = max(0, min(line, self._store.measure(item) - 1))
        self._go(*self._up(item, line - y))

    def settle(self) -> None:
        """After the person changed the look: never leave empty rows below the end."""
        start = self._start()
        if start is not None and not self.following and self._reaches_end(*start):
            self.follow()

    def leave(self, item: Item) -> None:
        """An item is about to be removed: what is read next moves up in its place."""
        if self._anchor is None or self._anchor.item is not item:
            return
        after = self._items.after(item)
        if after is not None:
            self._hold(after, 0)
            return
        before = self._items.before(item)
        if before is None:
            self.follow()
        else:
            self._hold(before, max(0, self._store.measure(before) - 1))

    def _go(self, item: Item, line: int) -> None:
        if self._reaches_end(item, line):
            self.follow()
        else:
            self._hold(item, line)

    def _hold(self, item: Item, line: int) -> None:
        self._anchor = Anchor(item, line)

    def _start(self) -> Row | None:
        """The row at the top of the view."""
        return self._tail() if self._anchor is None else self._pinned(self._anchor)

    def _pinned(self, anchor: Anchor) -> Row | None:
        """The anchored line, found again if its block got other rows."""
        rendered = self._store.render(anchor.item)
        if not rendered.lines:
            return self._next_shown(anchor)
        anchor.settle(rendered.lines, rendered.look)
        anchor.line = max(0, min(anchor.line, len(rendered.lines) - 1))
        return anchor.item, anchor.line

    def _next_shown(self, anchor: Anchor) -> Row | None:
        """The row to read on when the anchored block shows nothing now: the next one, else the end."""
        item = self._items.after(anchor.item)
        while item is not None:
            if self._store.measure(item):
                return item, 0
            item = self._items.after(item)
        return self._tail()

    def _tail(self) -> Row | None:
        """The top row when the last row is at the bottom."""
        missing = self.height
        item = self._items.last
        top: Row | None = None
        while item is not None:
            count = self._store.measure(item)
            if count:
                top = item, max(0, count - missing)
                missing -= count
                if missing <= 0:
                    break
            item = self._items.before(item)
        return top

    def _up(self, item: Item, line: int) -> Row:
        """Where a line number below zero lies in the items before; the very first row at most."""
        while line < 0:
            before = self._items.before(item)
            if before is None:
                return item, 0
            item = before
            line += self._store.measure(item)
        return item, line

    def _down(self, item: Item, line: int) -> Row:
        """Where a line number behind an item's last lies in the items after."""
        while line >= (count := self._store.measure(item)):
            after = self._items.after(item)
            if after is None:
                return item, max(0, count - 1)
            item, line = after, line - count
        return item, line

    def _is_first(self, item: Item, line: int) -> bool:
        return line == 0 and self._items.before(item) is None

    def _reaches_end(self, item: Item, line: int) -> bool:
        """Whether a view with this row at its top shows the last row."""
        rest = self.height + line
        at: Item | None = item
        while at is not None:
            rest -= self._store.measure(at)
            if rest < 0:
                return False
            at = self._items.after(at)
        return True
