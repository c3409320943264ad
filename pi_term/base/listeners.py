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
        await self.telling(event).tell()

    def telling(self, event: E) -> Telling[E]:
        """What tells all who listen when it begins."""
        return Telling(event, iter(self))


class Telling(Generic[E]):
    """One event on its way to listeners. `done` is for whoever sees to it to set."""

    __slots__ = ("_rest", "done", "event")

    def __init__(self, event: E, listeners: Iterator[Callable[[E], Awaitable[None]]]) -> None:
        self.event = event
        self.done = asyncio.Event()
        self._rest = listeners

    async def tell(self) -> None:
        """Tell those who have not heard of it; also what goes on where a cancelled one broke off."""
        for listener in self._rest:
            try:
                await listener(self.event)
            except asyncio.CancelledError:
                if _being_cancelled():
                    raise
                log.warning("a listener of %s awaited what was cancelled", type(self.event).__name__)
            except Exception:  # noqa: BLE001 - see `Listeners`
                log.exception("a listener of %s failed", type(self.event).__name__)


def _being_cancelled() -> bool:
    """Whether somebody cancels this very task, and not only something that it waited for."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
