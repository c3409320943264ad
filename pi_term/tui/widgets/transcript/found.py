"""What was found so far: which blocks hold how many matches, in their order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort

from pi_term.base.dataclass import dataclass


@dataclass(slots=True)
class Found:
    """A block with matches. `order` grows from the oldest block to the newest."""

    block_id: str
    order: int
    count: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One match: the `number`-th (from 0) of a block."""

    block_id: str
    order: int
    number: int


class Results:
    """Blocks with matches, and which match comes after which. `total` counts all matches."""

    def __init__(self) -> None:
        self.total = 0
        self._orders: list[int] = []
        self._found: dict[int, Found] = {}
        self._order_of: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._orders)

    def put(self, block_id: str, order: int, count: int) -> None:
        """A block was looked at. One that was found before keeps its place."""
        order = self._order_of.get(block_id, order)
        known = self._found.get(order)
        self.total += count - (known.count if known is not None else 0)
        if not count:
            if known is not None:
                del self._found[order], self._order_of[block_id]
                self._orders.remove(order)
        elif known is not None:
            known.count = count
        else:
            self._found[order] = Found(block_id, order, count)
            self._order_of[block_id] = order
            insort(self._orders, order)

    def place(self, hit: Hit) -> int:
        """Which match it is, counted from the oldest one that was found, from 1."""
        at = bisect_left(self._orders, hit.order)
        return sum(self._found[order].count for order in self._orders[:at]) + hit.number + 1

    def at_or_before(self, order: int) -> Hit | None:
        """The last match in a block up to this order; else the first of all."""
        at = bisect_right(self._orders, order)
        if at:
            return self._last_of(self._orders[at - 1])
        return self._hit(self._orders[0]) if self._orders else None

    def following(self, hit: Hit | None) -> Hit | None:
        """The next newer match; after the newest, the oldest one that was found."""
        if not self._orders:
            return None
        if hit is None:
            return self._hit(self._orders[0])
        known = self._found.get(hit.order)
        if known is not None and hit.number + 1 < known.count:
            return Hit(hit.block_id, hit.order, hit.number + 1)
        at = bisect_right(self._orders, hit.order)
        return self._hit(self._orders[at % len(self._orders)])

    def preceding(self, hit: Hit | None) -> Hit | None:
        """The next older match; before the oldest, the newest."""
        if not self._orders:
            return None
        if hit is None:
            return self._last_of(self._orders[-1])
        if hit.number and hit.order in self._found:
            return Hit(hit.block_id, hit.order, min(hit.number, self._found[hit.order].count) - 1)
        return self._last_of(self._orders[bisect_left(self._orders, hit.order) - 1])

    def _hit(self, order: int) -> Hit:
        return Hit(self._found[order].block_id, order, 0)

    def _last_of(self, order: int) -> Hit:
        found = self._found[order]
        return Hit(found.block_id, order, found.count - 1)
