"""The blocks of a transcript in order, with their heights.

Heights are kept in chunks with a sum each: adding at either end costs the same however long the
transcript is, and so does a change of height; finding a row looks at the sums first, then at one chunk.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pi_term.render.line import Block

Sized = tuple["Block", int]
"""A block and its height in rows, estimated or exact."""

LookKey = tuple[int, int, bool, bool]
"""Block version, width, expanded, thinking hidden: all that the rows of a block depend on, save colours."""

CHUNK = 256


class Item:
    """A block in its place.

    `seq` orders items: it grows from the first to the last and never changes, also when older ones are
    put in front. `height` is exact when `measured` is the present look of the block, else a guess.
    """

    __slots__ = ("block", "height", "measured", "seq")

    def __init__(self, block: Block, seq: int, height: int) -> None:
        self.block = block
        self.seq = seq
        self.height = height
        self.measured: LookKey | None = None


class _Chunk:
    __slots__ = ("items", "rows")

    def __init__(self, items: list[Item]) -> None:
        self.items = items
        self.rows = sum(item.height for item in items)


def _first_seq(chunk: _Chunk) -> int:
    return chunk.items[0].seq


def _seq(item: Item) -> int:
    return item.seq


class ItemList:
    """Ordered items, found by block id, by `seq` or by row. `rows` is the sum of all heights."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all items."""
        self.rows = 0
        self._chunks: list[_Chunk] = []
        self._by_id: dict[str, Item] = {}
        self._next_seq = 0
        self._first_free = -1

    def __len__(self) -> int:
        return sum(len(chunk.items) for chunk in self._chunks)

    def __iter__(self) -> Iterator[Item]:
        for chunk in self._chunks:
            yield from chunk.items

    def get(self, block_id: str) -> Item | None:
        """The item of a block; of the newest when several blocks share the id."""
        return self._by_id.get(block_id)

    @property
    def before_first(self) -> int:
        """The `seq` of the next item that is put in front."""
        return self._first_free

    @property
    def first(self) -> Item | None:
        """The oldest item."""
        return self._chunks[0].items[0] if self._chunks else None

    @property
    def last(self) -> Item | None:
        """The newest item."""
        return self._chunks[-1].items[-1] if self._chunks else None

    def append(self, block: Block, height: int) -> Item:
        """Add one block at the end."""
        item = Item(block, self._next_seq, height)
        self._next_seq += 1
        self._by_id[block.id] = item
        self.rows += height
        last = self._chunks[-1] if self._chunks else None
        if last is None or len(last.items) >= CHUNK:
            self._chunks.append(_Chunk([item]))
        else:
            last.items.append(item)
            last.rows += height
        return item

    def prepend(self, sized: Sequence[Sized]) -> None:
        """Add older blocks, given oldest first, before all others."""
        start = self._first_free - len(sized) + 1
        items = [Item(block, start + n, height) for n, (block, height) in enumerate(sized)]
        self._first_free = start - 1
        for item in items:
            self._by_id.setdefault(item.block.id, item)
        self.rows += sum(item.height for item in items)
        head = self._chunks[0] if self._chunks else None
        if head is not None and len(head.items) + len(items) <= CHUNK:
            head.items[:0] = items
            head.rows += sum(item.height for item in items)
        else:
            self._chunks[:0] = [_Chunk(items[at : at + CHUNK]) for at in range(0, len(items), CHUNK)]

    def remove(self, item: Item) -> None:
        """Take an item out."""
        index = self._chunk_index(item.seq)
        chunk = self._chunks[index]
        del chunk.items[self._index(chunk, item)]
        chunk.rows -= item.height
        self.rows -= item.height
        if not chunk.items:
            del self._chunks[index]
        if self._by_id.get(item.block.id) is item:
            del self._by_id[item.block.id]

    def set_height(self, item: Item, height: int) -> None:
        """Change the height of an item."""
        change = height - item.height
        if change:
            item.height = height
            self._chunks[self._chunk_index(item.seq)].rows += change
            self.rows += change

    def after(self, item: Item) -> Item | None:
        """The next newer item."""
        at = self._chunk_index(item.seq)
        items = self._chunks[at].items
        index = bisect_right(items, item.seq, key=_seq)
        if index < len(items):
            return items[index]
        return self._chunks[at + 1].items[0] if at + 1 < len(self._chunks) else None

    def before(self, item: Item) -> Item | None:
        """The next older item."""
        at = self._chunk_index(item.seq)
        items = self._chunks[at].items
        index = bisect_left(items, item.seq, key=_seq)
        if index:
            return items[index - 1]
        return self._chunks[at - 1].items[-1] if at else None

    def from_seq(self, seq: int) -> Item | None:
        """The item with this `seq`, or the first after it."""
        if not self._chunks:
            return None
        at = self._chunk_index(seq)
        items = self._chunks[at].items
        index = bisect_left(items, seq, key=_seq)
        if index < len(items):
            return items[index]
        return self._chunks[at + 1].items[0] if at + 1 < len(self._chunks) else None

    def top(self, item: Item) -> int:
        """How many rows are above an item."""
        at = self._chunk_index(item.seq)
        chunk = self._chunks[at]
        rows = sum(other.rows for other in self._chunks[:at])
        return rows + sum(other.height for other in chunk.items[: self._index(chunk, item)])

    def at_row(self, row: int) -> tuple[Item, int] | None:
        """The item at a row counted from the top, and the line within it; the nearest when outside."""
        rest = max(0, min(row, self.rows - 1))
        for chunk in self._chunks:
            if rest >= chunk.rows:
                rest -= chunk.rows
                continue
            for item in chunk.items:
                if rest < item.height:
                    return item, rest
                rest -= item.height
        return None

    def _chunk_index(self, seq: int) -> int:
        return max(0, bisect_right(self._chunks, seq, key=_first_seq) - 1)

    @staticmethod
    def _index(chunk: _Chunk, item: Item) -> int:
        return bisect_left(chunk.items, item.seq, key=_seq)
