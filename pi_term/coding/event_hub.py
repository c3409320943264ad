"""Tells those who watch a session what happens to it, and owns the work in its background."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeAlias

from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.listeners import Listeners
from pi_term.base.log import log
from pi_term.coding.events import DiagnosticRaised, SessionEvent
from pi_term.coding.feed import EventFeed

Listener: TypeAlias = Callable[[SessionEvent], Awaitable[None]]


BUSY = PiTermError("busy", "The agent is working.", "Steer it, or wait until it has settled.")


class EventHub:
    """Listeners are awaited in order; feeds are for front ends and hold nothing up.

    `unheard` is what was found wrong while nobody listened.
    """

    def __init__(self) -> None:
        self.unheard: list[Diagnostic] = []
        self._listeners: Listeners[SessionEvent] = Listeners()
        self._feeds: list[EventFeed[SessionEvent]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add a listener that is awaited for every event; returns what takes it away."""
        return self._listeners.add(listener)

    def feed(self) -> EventFeed[SessionEvent]:
        """A queue of all events from now on, for one front end."""
        feed: EventFeed[SessionEvent] = EventFeed()
        self._feeds.append(feed)
        return feed

    async def emit(self, event: SessionEvent) -> None:
        """Tell the listeners, then the feeds."""
        await self._listeners.tell(event)
        for feed in self._feeds:
            feed.push(event)

    def report(self, diagnostic: Diagnostic) -> None:
        """Tell of something that is wrong; does not wait."""
        if not self._feeds and not self._listeners:
            self.unheard.append(diagnostic)
            return
        self.spawn(self.emit(DiagnosticRaised(diagnostic)))

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Do `work` in the background; `drain` waits for it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("work in the background failed", exc_info=task.exception())

    async def drain(self) -> None:
        """Wait until nothing is left in the background."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def close(self) -> None:
        """No more events come."""
        for feed in self._feeds:
            feed.close()
