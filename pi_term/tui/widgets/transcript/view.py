"""The holding half of the transcript: what is in it, how it is looked at, when changes are shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.reactive import reactive

from pi_term.render.line import Refinable
from pi_term.tui.background import after
from pi_term.tui.widgets.transcript.canvas import TranscriptCanvas
from pi_term.tui.widgets.transcript.facts import TopShown
from pi_term.tui.widgets.transcript.look import Look
from pi_term.tui.widgets.transcript.pace import FlushPace

if TYPE_CHECKING:
    from asyncio import TimerHandle

    from pi_term.render.line import Block, Line, Pictures
    from pi_term.render.theme import Theme
    from pi_term.tui.widgets.transcript.items import Item
    from pi_term.tui.widgets.transcript.viewport import Row

GUESSED_WIDTH = 80
"""The width heights are estimated for before the view has one."""
FLOOD_CHANGES = 4
"""Changes between two flushes from which on they are a flood; so is one that changes most of the rows."""
SEEN_PART = 3
"""Of a block that was opened, this part of the view at least, or all of it, is seen."""
_MOST_PARTS = 40  # of an answer that are looked for
REFINE_DELAY = 0.1
REFINE_PAUSE = 0.01
REFINE_BUDGET = 0.004
"""Seconds: how long after a change blocks that are seen may refine their rows, how long between two
slices of that work, and how long one slice may take."""


class BlockView(TranscriptCanvas, can_focus=False, inherit_bindings=False):
    """Blocks one below the other, oldest first, that may change at any time."""

    expanded: reactive[bool] = reactive(False, repaint=False)
    """Whether all blocks are shown expanded."""
    hide_thinking: reactive[bool] = reactive(False, repaint=False)
    """Whether thinking is left out."""

    def __init__(
        self,
        theme: Theme,
        *,
        clock: Callable[[], float] = time.monotonic,
        expand_key: str = "ctrl+o",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """`clock` gives the seconds that blocks are asked with; `expand_key` is what rows call that key."""
        super().__init__(Look(theme, clock, expand_key), id=id, classes=classes)
        self._pace = FlushPace()
        self._dirty: set[str] = set()
        self._changes = 0
        self._flush_coming = False
        self._flush_timer: TimerHandle | None = None  # of a flush that is not due yet
        self._refine_coming = False
        self._top: Item | None = None
        self._climbing = False  # to the oldest row of all, wherever that will be

    # What is in it

    def append(self, block: Block) -> None:
        """Add the newest block. One that `continues` the one before is nothing new to be counted."""
        item = self._items.append(block, self._guess(block))
        if not (self.follow or block.continues):
            self._unseen.append(item.seq)
        self._schedule()

    def extend(self, blocks: Iterable[Block]) -> None:
        """Add blocks at the end, oldest first."""
        for block in blocks:
            self.append(block)

    def prepend(self, blocks: Iterable[Block]) -> None:
        """Add older blocks before all others, oldest first. What is shown stays, but after `go_top`."""
        self._items.prepend([(block, self._guess(block)) for block in blocks])
        first = self._items.first
        if self._climbing and first is not None:
            self._viewport.go_to(first)
        self._schedule()

    @property
    def newest(self) -> Block | None:
        """The block at the end."""
        item = self._items.last
        return None if item is None else item.block

    def touch(self, block_id: str) -> None:
        """A block may look different now; it is asked again when it is next shown."""
        self._dirty.add(block_id)
        self._schedule()

    def discard(self, block_id: str) -> None:
        """Take a block out, if it is there."""
        item = self._items.get(block_id)
        if item is None:
            return
        self._viewport.leave(item)
        self._items.remove(item)
        self._store.forget(item)
        self._look.forget(block_id)
        if item.seq in self._unseen:
            self._unseen.remove(item.seq)
        self._schedule()

    def last_lines(self, most: int) -> list[Line]:
        """The rows of the newest blocks, about `most`, with words in place of pictures."""
        pieces: list[Sequence[Line]] = []
        item = self._items.last
        while item is not None and sum(map(len, pieces)) < most:
            view = replace(self._look.options(item.block), pictures=None)
            pieces.append(item.block.lines(max(1, self._look.width), view))
            item = self._items.before(item)
        return [line for lines in reversed(pieces) for line in lines]

    def clear(self) -> None:
        """Take all blocks out and follow the end again."""
        self._items.clear()
        self._store.clear()
        self._look.forget()
        self._dirty.clear()
        self._unseen.clear()
        self._climbing = False
        self._viewport.follow()
        self._schedule()

    # How it looks

    def set_theme(self, theme: Theme) -> None:
        """Show all blocks in the colours of a theme."""
        self._look.theme = theme
        self._store.clear()
        self._restyled = True
        self._schedule()

    def set_pictures(self, pictures: Pictures | None) -> None:
        """Draw images with these from now on."""
        self._look.pictures = pictures
        self._store.clear()
        self._schedule()

    def watch_expanded(self, expanded: bool) -> None:
        """Open or close all blocks."""
        self._look.set_expanded(expanded)
        self._act(self._viewport.settle)

    def watch_hide_thinking(self, hide_thinking: bool) -> None:
        """Show or hide all thinking."""
        self._look.set_hide_thinking(hide_thinking)
        self._act(self._viewport.settle)

    def toggle_expanded(self, block_id: str) -> None:
        """Open or close one block.

        Its first row stays where it is on the screen, unless hardly anything of what opens would be seen.
        """
        item = self._items.get(block_id)
        if item is not None and item.block.expandable:
            self._toggle(item, self._look.toggle, self._look.is_open)

    def toggle_thoughts(self, block_id: str) -> None:
        """Show or hide what was thought in one block."""
        item = self._items.get(block_id)
        if item is not None:
            self._toggle(item, self._look.toggle_thoughts, self._look.shows_thoughts)

    def _toggle(self, item: Item, change: Callable[[Block], None], is_more: Callable[[Block], bool]) -> None:
        visible = [(y, line) for y, (shown, line) in enumerate(self._shown) if shown is item]
        change(item.block)
        if not visible:
            self._schedule()
            return
        y, line = visible[0]
        y = y if line == 0 else 0
        if is_more(item.block):
            seen = min(self._store.measure(item), self.size.height // SEEN_PART)
            y = max(0, min(y, self.size.height - seen))
        self._act(lambda: self._viewport.go_to(item, 0, y=y))

    # Where it is

    def scroll_to_end(self) -> None:
        """Show the newest row, from now on."""
        self._act(self._viewport.follow)

    def scroll_lines(self, count: int) -> None:
        """Scroll by rows; up when negative."""
        self._act(lambda: self._viewport.move(count))

    def scroll_page(self, count: int) -> None:
        """Scroll by views, less two rows each to read on from; up when negative."""
        self.scroll_lines(count * max(1, self.size.height - 2))

    def scroll_half_page(self, count: int) -> None:
        """Scroll by half views; up when negative."""
        self.scroll_lines(count * max(1, self.size.height // 2))

    def go_top(self) -> None:
        """Show the oldest row; until somebody scrolls, also of what is put before it from now on."""
        self._show_first()
        self._climbing = True

    def show_block(self, block_id: str) -> bool:
        """Put a block, or the first part of an answer, near the top of the view; False: it is not here."""
        ids = (block_id, *(f"{block_id}/{part}" for part in range(_MOST_PARTS)))
        item = next((found for each in ids if (found := self._items.get(each)) is not None), None)
        if item is None:
            return False
        self._act(lambda: self._viewport.go_to(item, 0, y=self.size.height // 5))
        return True

    def _show_first(self) -> None:
        first = self._items.first
        if first is not None:
            self._act(lambda: self._viewport.go_to(first))

    def _act(self, change: Callable[[], None]) -> None:
        self._climbing = False
        super()._act(change)

    # Showing changes

    def prepare(self) -> None:
        """Make the rows of the newest block, as far as they are new, to be shown with the next changes."""
        item = self._items.last
        if item is not None and self._look.width:
            self._store.render(item)

    def hurry(self) -> None:
        """Show the changes so far without waiting for more: what was coming has come."""
        self._pace.rest()
        if self._flush_timer is not None:
            self._flush_timer.cancel()
            self._flush_timer = None
            self.call_later(self._flush)

    def _guess(self, block: Block) -> int:
        return block.estimate_height(self._look.width or GUESSED_WIDTH)

    def _schedule(self) -> None:
        """See to it that changes are shown soon. May be called from any task; shows nothing itself."""
        self._changes += 1
        if not self._flush_coming and self.is_mounted:
            self._flush_coming = self.call_later(self._flush_when_due)

    def _flush_when_due(self) -> None:
        # The timer is made here and not by `_schedule`: it needs the context of Textual's own tasks.
        delay = self._pace.delay(time.perf_counter())
        if delay > 0:
            self._flush_timer = after(self, delay, self._flush)
        else:
            self._flush()

    def _flush(self) -> None:
        """Show all changes since the last time."""
        self._flush_coming = False
        self._flush_timer = None
        changes, self._changes = self._changes, 0
        start = time.perf_counter()
        dirty = [item for block_id in self._dirty if (item := self._items.get(block_id)) is not None]
        self._dirty.clear()
        for item in dirty:
            self._store.invalidate(item)
        changed = self._show()
        for item in dirty:
            if item.measured is None:
                self._items.set_height(item, self._guess(item.block))
        end = time.perf_counter()
        many = changes >= FLOOD_CHANGES or changed * 2 > self.size.height
        self._pace.flushed(end, end - start, flood=self.follow and many)

    def _place(self, rows: list[Row]) -> None:
        super()._place(rows)
        first = rows[0][0] if rows else None
        if first is not self._top and first is self._items.first and first is not None:
            self.post_message(TopShown())
        self._top = first
        if not self._refine_coming and any(hasattr(item.block, "refine") for item in _distinct(rows)):
            self._refine_coming = self.call_later(after, self, REFINE_DELAY, self._refine)

    def _refine(self) -> None:
        """Give idle time to the blocks that are seen, a slice at a time."""
        self._refine_coming = False
        for item in _distinct(self._shown):
            block = item.block
            if not isinstance(block, Refinable):
                continue
            version = block.version
            more = block.refine(REFINE_BUDGET)
            if block.version != version:
                self.touch(block.id)
            if more:
                self._refine_coming = True
                after(self, REFINE_PAUSE, self._refine)
                return


def _distinct(rows: list[Row]) -> Iterable[Item]:
    """The items of rows, each once."""
    return dict.fromkeys(item for item, _ in rows)
