"""The searched half of the transcript: matches are marked, and shown one after the other."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from pi_term.tui.widgets.transcript.paint import with_matches
from pi_term.tui.widgets.transcript.view import BlockView

if TYPE_CHECKING:
    from textual.strip import Strip

    from pi_term.render.line import Block, Line
    from pi_term.tui.widgets.transcript.found import Hit
    from pi_term.tui.widgets.transcript.items import Item
    from pi_term.tui.widgets.transcript.paint import Palette
    from pi_term.tui.widgets.transcript.query import Mark, Query
    from pi_term.tui.widgets.transcript.viewport import Place

SLICE = 0.002
"""Seconds of work after which the keys have their turn."""
_ABOVE = 3  # of the rows of the view, this part is above a match that had to be scrolled to


class Slices:
    """Lets others have their turn in the middle of long work."""

    def __init__(self) -> None:
        self._until = time.perf_counter() + SLICE

    async def breathe(self) -> None:
        """To be called after each little piece of the work."""
        if time.perf_counter() > self._until:
            await asyncio.sleep(0)
            self._until = time.perf_counter() + SLICE


class SearchView(BlockView, can_focus=False, inherit_bindings=False):
    """Blocks of which some hold what is looked for."""

    _query: Query | None = None
    _current: tuple[Item, Sequence[Line], list[Mark]] | None = None
    _back: Place = None
    _wanted: Hit | None = None

    def _begin(self) -> None:
        self._changed_ids: set[str] = set()
        self._opened: list[str] = []

    # What is looked for

    def begin_search(self) -> None:
        """Remember the place, to come back to."""
        self._back = self._viewport.place
        self._begin()

    def mark(self, query: Query | None) -> None:
        """Mark what is looked for from now on."""
        self._query, self._current = query, None
        self._changed_ids.clear()
        self._show()

    def end_search(self, *, back: bool) -> None:
        """Mark nothing any more; with `back`, show what was shown before, as it was."""
        self._query = self._current = None
        if back:
            for block_id in self._opened:
                self._look.forget(block_id)
            self._act(lambda: self._viewport.back(self._back))
        self._back = None
        self._begin()
        self._show()

    def go_back(self) -> None:
        """Show the place where the search began, while it goes on."""
        self._act(lambda: self._viewport.back(self._back))

    def take_changed(self) -> list[tuple[str, int, Block | None]]:
        """The blocks that came, changed or went since the last call: id, order and block."""
        ids, self._changed_ids = self._changed_ids, set()
        items = [(each, self._items.get(each)) for each in ids]
        return [(each, 0, None) if item is None else (each, item.seq, item.block) for each, item in items]

    # What there is to be searched

    @property
    def bottom_order(self) -> int:
        """The order of the lowest block that is shown."""
        return self._shown[-1][0].seq if self._shown else 0

    @property
    def earlier_order(self) -> int:
        """The order that the next block has which comes before all others."""
        return self._items.before_first

    def holds(self, block_id: str) -> bool:
        """Whether the block is here."""
        return self._items.get(block_id) is not None

    def newest_first(self) -> Iterable[tuple[int, Block]]:
        """All blocks with their order; others may come and go meanwhile."""
        item = self._items.last
        while item is not None:
            yield item.seq, item.block
            item = self._items.before(item)

    # Showing a match

    async def reveal(self, hit: Hit, query: Query) -> int:
        """Show a match, and open its block if it is not seen otherwise; how many the block really has."""
        item = self._items.get(hit.block_id)
        if item is None:
            return 0
        self._wanted = hit
        found = await self._matches(item, query)
        if len(found) <= hit.number:
            for show in (self._open, self._show_thoughts):
                if show(item):
                    found = await self._matches(item, query)
                    break
        if not found or self._query is not query:
            return 0
        if self._wanted is not hit:  # another one was asked for meanwhile
            return len(found)
        marks = found[min(hit.number, len(found) - 1)]
        lines = self._store.render(item).lines
        self._current = (item, lines, marks)
        self._bring_into_view(item, marks[0].row)
        return len(found)

    async def _matches(self, item: Item, query: Query) -> list[list[Mark]]:
        """All matches in the rows of a block."""
        lines = self._store.render(item).lines
        slices = Slices()
        found: list[list[Mark]] = []
        for match in query.matches(lines):
            if match:
                found.append(match)
            await slices.breathe()
        return found

    def _open(self, item: Item) -> bool:
        block = item.block
        if not block.expandable or self._look.is_open(block):
            return False
        self._look.toggle(block)
        self._opened.append(block.id)
        return True

    def _show_thoughts(self, item: Item) -> bool:
        if self._look.shows_thoughts(item.block):
            return False
        self._look.toggle_thoughts(item.block)
        self._opened.append(item.block.id)
        return True

    def _bring_into_view(self, item: Item, row: int) -> None:
        """Show a row where it is if it is seen already."""
        if any(shown is item and line == row for shown, line in self._viewport.rows()):
            self._show()
        else:
            self._act(lambda: self._viewport.go_to(item, row, y=self.size.height // _ABOVE))

    # Marking

    def _with_matches(
        self, strip: Strip, item: Item, at: int, lines: Sequence[Line], palette: Palette
    ) -> Strip:
        if self._query is None:
            return strip
        spans = self._query.marks(lines, at)
        if not spans:
            return strip
        current: list[tuple[int, int]] = []
        if self._current is not None and self._current[0] is item and self._current[1] is lines:
            current = [(mark.first, mark.end) for mark in self._current[2] if mark.row == at]
        return with_matches(strip, lines[at], spans, current, palette)

    # What changes meanwhile

    def append(self, block: Block) -> None:
        super().append(block)
        self._note_change(block.id)

    def touch(self, block_id: str) -> None:
        super().touch(block_id)
        self._note_change(block_id)

    def discard(self, block_id: str) -> None:
        super().discard(block_id)
        self._note_change(block_id)

    def _note_change(self, block_id: str) -> None:
        if self._query is not None:
            self._changed_ids.add(block_id)


def text_of(block: Block) -> str:
    """What is searched of a block; of one that does not tell, what is copied of it."""
    search_text: Callable[[], str] = getattr(block, "search_text", block.copy_text)
    return search_text()
