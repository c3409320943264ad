"""The rows of blocks that were looked at lately, and what was painted of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from pi_term.tui.widgets.transcript.paint import Palette, row_strip

if TYPE_CHECKING:
    from textual.strip import Strip

    from pi_term.render.line import Line
    from pi_term.tui.widgets.transcript.items import Item, ItemList, LookKey
    from pi_term.tui.widgets.transcript.look import Look

MAX_LINES = 6_000
"""Rows kept beyond the visible ones; about 40 screens."""
CARRIED = 256
"""Painted rows kept of a block that changed: more than a screen has."""


class Rendered:
    """The rows of one block in one look. Strips are made when a row is first painted.

    `look` is the part of `key` that is not the block's; `key` is None when the block must be asked again.
    """

    __slots__ = ("key", "lines", "look", "strips")

    def __init__(self, key: LookKey, lines: Sequence[Line], strips: dict[int, Strip]) -> None:
        self.key: LookKey | None = key
        self.look = key[1:]
        self.lines = lines
        self.strips = strips


class LineStore:
    """Asks blocks for their rows, once for each look, and keeps the most recently used ones.

    Of all other blocks only the height is kept, with the items.
    """

    def __init__(self, items: ItemList, look: Look, max_lines: int = MAX_LINES) -> None:
        self._items = items
        self._look = look
        self._max_lines = max_lines
        self._kept: OrderedDict[int, Rendered] = OrderedDict()
        self._lines = 0

    def __contains__(self, item: Item) -> bool:
        return item.seq in self._kept

    @property
    def line_count(self) -> int:
        """How many rows are kept."""
        return self._lines

    def clear(self) -> None:
        """Forget all rows. Heights stay valid."""
        self._kept.clear()
        self._lines = 0

    def drop_strips(self) -> None:
        """Forget what was painted, because colours that are not the blocks' own changed."""
        for rendered in self._kept.values():
            rendered.strips.clear()

    def forget(self, item: Item) -> None:
        """Forget the rows of an item that is gone."""
        rendered = self._kept.pop(item.seq, None)
        if rendered is not None:
            self._lines -= len(rendered.lines)

    def invalidate(self, item: Item) -> None:
        """The block must be asked again, even if its version is the same (the time it shows went on)."""
        item.measured = None
        rendered = self._kept.get(item.seq)
        if rendered is not None:
            rendered.key = None

    def measure(self, item: Item) -> int:
        """The exact height of an item in rows."""
        if item.measured != self._look.key(item.block):
            self.render(item)
        return item.height

    def render(self, item: Item) -> Rendered:
        """The rows of an item, which become the most recently used ones."""
        key = self._look.key(item.block)
        old = self._kept.get(item.seq)
        if old is not None and old.key == key:
            self._kept.move_to_end(item.seq)
            return old
        lines = self._ask(item)
        new = Rendered(key, lines, _carried(old, lines))
        self._lines += len(lines) - (len(old.lines) if old is not None else 0)
        self._kept[item.seq] = new
        self._kept.move_to_end(item.seq)
        item.measured = key
        self._items.set_height(item, len(lines))
        return new

    def peek(self, item: Item) -> Sequence[Line]:
        """The rows of an item, without keeping them when they were not kept before."""
        kept = self._kept.get(item.seq)
        if kept is not None and kept.key == self._look.key(item.block):
            return kept.lines
        return self._ask(item)

    def strip(self, rendered: Rendered, line: int, palette: Palette) -> Strip:
        """One row as it is painted, as wide as the view; the same object as long as it looks the same."""
        strip = rendered.strips.get(line)
        if strip is None:
            if len(rendered.strips) >= self._max_lines:
                rendered.strips.clear()
            strip = rendered.strips[line] = row_strip(rendered.lines[line], self._look.width, palette)
        return strip

    def trim(self, visible: Collection[int]) -> None:
        """Forget the least recently used rows beyond the limit, never those of the items in `visible`."""
        if self._lines <= self._max_lines:
            return
        for seq in [seq for seq in self._kept if seq not in visible]:
            self._lines -= len(self._kept.pop(seq).lines)
            if self._lines <= self._max_lines:
                return

    def _ask(self, item: Item) -> Sequence[Line]:
        return item.block.lines(self._look.width, self._look.options(item.block))


def _carried(old: Rendered | None, lines: Sequence[Line]) -> dict[int, Strip]:
    """What was painted lately of rows that are still the same objects at the same place.

    Not all that was ever painted: a growing block is asked again and again.
    """
    if old is None:
        return {}
    before, count = old.lines, len(lines)
    lately = islice(old.strips.items(), max(0, len(old.strips) - CARRIED), None)
    return {at: strip for at, strip in lately if at < count and lines[at] is before[at]}
