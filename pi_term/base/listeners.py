"""Those who are told what happens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Generic, TypeVar

from pi_term.base.log import log

E = TypeVar("E")
T = TypeVar("T")


class Registry(Generic[T]):
    """What was added, in that order, each until it is taken away.

    It may change while one goes over it: what was taken away in the meantime is left out, what was added
    comes the next time.
    """

    def __init__(self) -> None:
        self._added: dict[object, T] = {}

    def __len__(self) -> int:
        return len(self._added)

    def __iter__(self) -> Iterator[T]:
        for key, each in tuple(self._added.items()):
            if key in self._added:
                yield each

    def add(self, one: T) -> Callable[[], None]:
        """Append; returns what takes it away, which may be called twice."""
        key = object()
        self._added[key] = one

        def remove() -> None:
            self._added.pop(key, None)

        return remove


class Listeners(Registry[Callable[[E], Awaitable[None]]]):
    """Listeners of events of one kind, told in the order in which they came, each awaited.

    One that throws is logged; it neither ends what is going on nor starves the others.
    """

    async def tell(self, event: E) -> None:
        """Tell all who listen now."""
        for listener in self:
            try:
                await listener(event)
            except asyncio.CancelledError:
                if _being_cancelled():
                    raise
                log.warning("a listener of %s awaited what was cancelled", type(event).__name__)
            except Exception:  # noqa: BLE001 - see the class
                log.exception("a listener of %s failed", type(event).__name__)


def _being_cancelled() -> bool:
    """Whether somebody cancels this very task, and not only something that it waited for."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
