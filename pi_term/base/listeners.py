"""Those who are told what happens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from pi_term.base.log import log

E = TypeVar("E")


class Listeners(Generic[E]):
    """Listeners of events of one kind, told in the order in which they came, each awaited.

    One that throws is logged; it neither ends what is going on nor starves the others.
    """

    def __init__(self) -> None:
        self._listeners: list[Callable[[E], Awaitable[None]]] = []

    def __len__(self) -> int:
        return len(self._listeners)

    def add(self, listener: Callable[[E], Awaitable[None]]) -> Callable[[], None]:
        """Tell `listener` from now on; returns what takes it away."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def tell(self, event: E) -> None:
        """Tell all who listen now."""
        for listener in tuple(self._listeners):
            try:
                await listener(event)
            except Exception:  # noqa: BLE001 - see the class
                log.exception("a listener of %s failed", type(event).__name__)
