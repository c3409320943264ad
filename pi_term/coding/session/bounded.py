"""A memory of limited size that forgets what was not asked for longest."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Bounded(Generic[K, V]):
    """Values by key: at most `most`, and at most `most_bytes` of them together. Not safe for threads.

    A value larger than a quarter of the whole is not taken in: it would drive all others out.
    """

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0
        self._held: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def get(self, key: K) -> V | None:
        """The value, if it is still there; from now on the one that was asked for last."""
        found = self._held.get(key)
        if found is None:
            return None
        self._held.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, size: int) -> None:
        """Take in a value that is `size` bytes large."""
        self.drop(key)
        if size > self._most_bytes // 4:
            return
        self._held[key] = (value, size)
        self._bytes += size
        while len(self._held) > self._most or self._bytes > self._most_bytes:
            _, (_, old) = self._held.popitem(last=False)
            self._bytes -= old

    def drop(self, key: K) -> None:
        """Forget a value, if it is there."""
        found = self._held.pop(key, None)
        if found is not None:
            self._bytes -= found[1]

    def clear(self) -> None:
        """Forget all."""
        self._held.clear()
        self._bytes = 0
