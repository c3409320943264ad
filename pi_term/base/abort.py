"""Telling running work that its result is no longer wanted.

One `AbortSignal` belongs to a run and is handed to providers, tools and hooks; its owner holds the
`AbortController`. Both live on one event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


class AbortError(Exception):
    """Work ended because its signal was aborted."""


class AbortSignal:
    """The reading end: is the work still wanted?"""

    __slots__ = ("_callbacks", "_reason")

    def __init__(self) -> None:
        self._reason: str | None = None
        self._callbacks: list[Callable[[], None]] = []

    @property
    def aborted(self) -> bool:
        """Whether the work was called off."""
        return self._reason is not None

    @property
    def reason(self) -> str | None:
        """Why it was called off, in words for people; None while it is still wanted."""
        return self._reason

    def raise_if_aborted(self) -> None:
        """Raise `AbortError` when called off."""
        if self._reason is not None:
            raise AbortError(self._reason)

    def add_callback(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back once on abort (at once if that has happened); returns what takes it back."""
        if self.aborted:
            callback()
            return lambda: None
        self._callbacks.append(callback)

        def remove() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return remove

    async def wait(self) -> None:
        """Return when called off."""
        event = asyncio.Event()
        remove = self.add_callback(event.set)
        try:
            await event.wait()
        finally:
            remove()


class AbortController:
    """The writing end, held by whoever owns the run."""

    __slots__ = ("signal",)

    def __init__(self) -> None:
        self.signal = AbortSignal()

    def abort(self, reason: str = "aborted") -> None:
        """Call the work off; a second call changes nothing."""
        signal = self.signal
        if signal.aborted:
            return
        signal._reason = reason
        callbacks, signal._callbacks = signal._callbacks, []
        for callback in callbacks:
            callback()


async def run_abortable(work: Awaitable[T], signal: AbortSignal, grace: float = 1.0) -> T:
    """Await `work`; if it has not reacted `grace` seconds after the signal, cancel it.

    Raises `AbortError` when it had to be cancelled; whatever `work` itself returns or raises otherwise.
    """
    task = asyncio.ensure_future(work)
    timer: asyncio.TimerHandle | None = None

    def start_grace() -> None:
        nonlocal timer
        timer = asyncio.get_running_loop().call_later(grace, task.cancel)

    remove = signal.add_callback(start_grace)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if task.cancelled() and signal.aborted:
            raise AbortError(signal.reason) from None
        task.cancel()
        raise
    finally:
        remove()
        if timer is not None:
            timer.cancel()
