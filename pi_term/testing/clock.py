"""An event loop without waiting: when nothing can be done before a timer, its time has come."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_PATIENCE = 30.0  # real seconds in which something from outside, as a thread, may wake a loop without timers


def run_in_virtual_time(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, as `asyncio.run` does; `loop.time()` tells how many seconds it would have taken.

    For work of this one loop: what threads and processes do takes no virtual time.
    """
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop whose clock stands still while there is something to do, and then jumps to the next timer."""

    def __init__(self) -> None:
        self._selector_of_time = _JumpingSelector()
        super().__init__(self._selector_of_time)

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._selector_of_time.now


class _JumpingSelector(selectors.DefaultSelector):
    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(_PATIENCE if timeout is None else 0)
        if not ready:
            if timeout is None:
                raise RuntimeError("all wait for each other: nothing will ever happen any more")
            self.now += timeout
        return ready
