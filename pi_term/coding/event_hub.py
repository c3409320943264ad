"""Tells those who watch a session what happens to it, and owns the work in its background."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from typing import Any, TypeAlias

from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.listeners import Listeners, Telling
from pi_term.base.log import log
from pi_term.coding.events import DiagnosticRaised, SessionEvent
from pi_term.coding.feed import EventFeed

Listener: TypeAlias = Callable[[SessionEvent], Awaitable[None]]


BUSY = PiTermError("busy", "The agent is working.", "Steer it, or wait until it has settled.")

_heard: ContextVar[Telling[SessionEvent] | None] = ContextVar("_heard", default=None)
"""What the listener is being told that the running code belongs to, be it as a task that it started."""


class EventHub:
    """Listeners are awaited in order; feeds are for front ends and hold nothing up.

    Events are told one at a time, in the order in which they were emitted, by whichever tasks. `unheard`
    is what was found wrong while nobody listened.
    """

    def __init__(self) -> None:
        self.unheard: list[Diagnostic] = []
        self._listeners: Listeners[SessionEvent] = Listeners()
        self._feeds: list[EventFeed[SessionEvent]] = []
        self._waiting: deque[Telling[SessionEvent]] = deque()
        self._current: Telling[SessionEvent] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add a listener that is awaited for every event; returns what takes it away.

        Whoever emits waits for it, so it must not wait for them: a run that others began never ends then.
        """
        return self._listeners.add(listener)

    def feed(self) -> EventFeed[SessionEvent]:
        """A queue of all events from now on, for one front end."""
        feed: EventFeed[SessionEvent] = EventFeed()
        self._feeds.append(feed)
        return feed

    async def emit(self, event: SessionEvent) -> None:
        """Tell the listeners, then the feeds; returns when that is done.

        A listener that emits does not wait, nor does what it started while it is being told: its event
        comes after those that were there before. Whoever is cancelled here has emitted all the same.
        """
        telling = self._listeners.telling(event)
        self._waiting.append(telling)
        if self._current is None:
            await self._tell_until(telling)
        elif _heard.get() is not self._current:
            await telling.done.wait()

    def note(self, event: SessionEvent) -> None:
        """Tell of something soon, in its turn; does not wait."""
        self._waiting.append(self._listeners.telling(event))
        if self._current is None:
            self.spawn(self._tell_until(None))

    def report(self, diagnostic: Diagnostic) -> None:
        """Tell of something that is wrong; does not wait."""
        if not self._feeds and not self._listeners:
            self.unheard.append(diagnostic)
            return
        self.note(DiagnosticRaised(diagnostic))

    async def _tell_until(self, last: Telling[SessionEvent] | None) -> None:
        """Tell what waits, `last` of all (None: everything), unless another task does so already.

        What is left then, and also when this task is cancelled, is told by a task of its own.
        """
        if self._current is not None:
            return
        try:
            while self._waiting and not (last is not None and last.done.is_set()):
                self._current = self._waiting[0]
                token = _heard.set(self._current)
                try:
                    await self._current.tell()
                finally:
                    _heard.reset(token)
                self._waiting.popleft()
                for feed in self._feeds:
                    feed.push(self._current.event)
                self._current.done.set()
        finally:
            self._current = None
            if self._waiting:
                self.spawn(self._tell_until(None))

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
