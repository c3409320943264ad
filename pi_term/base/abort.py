"""Telling running work that its result is no longer wanted.

One `AbortSignal` belongs to a run and is handed to providers, tools and hooks; its owner holds the
`AbortController`. Both live on one event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar

from pi_term.base.log import log

T = TypeVar("T")

Wanted: TypeAlias = Callable[[], bool]
"""Asked between two pieces of work on another thread: whether the result is still wanted."""

GRACE = 1.0
"""Seconds that work has to end by itself when it is called off, and again when it is cancelled."""

_abandoned: set[asyncio.Future[Any]] = set()


class AbortError(Exception):
    """Work ended because its signal was aborted."""


def always() -> bool:
    """Whether work is still wanted that nobody calls off."""
    return True


def check(wanted: Wanted) -> None:
    """Raise `AbortError` when the work is no longer wanted."""
    if not wanted():
        raise AbortError("no longer wanted")


class AbortSignal:
    """The reading end: is the work still wanted?"""

    __slots__ = ("_callbacks", "_reason")

    def __init__(self) -> None:
        self._reason: str | None = None
        self._callbacks: dict[object, Callable[[], None]] = {}

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
        key = object()
        self._callbacks[key] = callback

        def remove() -> None:
            self._callbacks.pop(key, None)

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
        """Call the work off; a second call changes nothing. A callback that throws is logged."""
        signal = self.signal
        if signal.aborted:
            return
        signal._reason = reason
        callbacks, signal._callbacks = signal._callbacks, {}
        for callback in callbacks.values():
            try:
                callback()
            except Exception:  # noqa: BLE001 - the others have to hear of it as well
                log.exception("a callback of an abort failed")


async def run_abortable(work: Awaitable[T], signal: AbortSignal, grace: float = GRACE) -> T:
    """Await `work`, but not for ever once it is called off.

    After the signal it has `grace` seconds to end in its own way; then it is cancelled, and what ignores
    even that is abandoned a second later. Returns or raises what `work` does, also after the signal, and
    raises `AbortError` when it had to be cancelled. Whoever cancels the caller cancels the work, too; work
    that is cancelled by neither has failed: `RuntimeError`.
    """
    task = asyncio.ensure_future(work)
    try:
        await _done_or_aborted(task, signal)
        if not task.done():
            await asyncio.wait([task], timeout=grace)
    finally:
        await _end(task)
    if not task.done():
        raise AbortError(signal.reason)
    if task.cancelled():
        raise AbortError(signal.reason) if signal.aborted else RuntimeError("was cancelled from within")
    return task.result()


async def _done_or_aborted(task: asyncio.Future[T], signal: AbortSignal) -> None:
    woken = asyncio.Event()

    def wake(_: object = None) -> None:
        woken.set()

    remove = signal.add_callback(wake)
    task.add_done_callback(wake)
    try:
        await woken.wait()
    finally:
        task.remove_done_callback(wake)
        remove()


async def _end(task: asyncio.Future[Any]) -> None:
    """Cancel what still goes on and wait for its end; what has not ended a second later is left to itself."""
    try:
        if not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=GRACE)
    finally:
        if task.done():
            _retrieve(task)
        else:
            log.warning("abandoned, for it ignores being cancelled: %r", task)
            _abandoned.add(task)
            task.add_done_callback(_retrieve)


def _retrieve(task: asyncio.Future[Any]) -> None:
    """Look at the failure of work that perhaps nobody waits for any more, which asyncio would complain of."""
    _abandoned.discard(task)
    if not task.cancelled():
        task.exception()
