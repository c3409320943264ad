"""The queue between a session and one front end.

The session pushes and goes on; the front end takes what has come when it is ready to draw. Deltas of
one block merge while they wait; of what one tool call or one command has shown so far, the latest stays.
Nothing else drops.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Generic, TypeVar, cast

from pi_term.agent.events import MessageUpdate, ToolExecutionEnd, ToolExecutionUpdate
from pi_term.ai.events import BlockDelta
from pi_term.coding.events import ShellOutput

E = TypeVar("E")


class EventFeed(Generic[E]):
    """First in, first out, unbounded in kinds of events, bounded by merging in their number.

    A front end may put what is its own among the events of the session, to keep one order.
    """

    def __init__(self) -> None:
        self._events: list[E] = []
        self._pieces: list[str] = []  # more text for the last event, when that is a delta
        self._progress: dict[str | int, int] = {}  # where the latest of a call or command waits
        self._arrived = asyncio.Event()
        self._closed = False

    def __len__(self) -> int:
        return len(self._events)

    def push(self, event: E) -> None:
        """Add an event; never waits."""
        last = self._events[-1] if self._events else None
        more = _more_of(last, event)
        if more is not None:
            self._pieces.append(more)
            return
        shown = _shown_by(event)
        if shown in self._progress:
            self._events[self._progress[shown]] = event
            return
        self._settle()
        if shown is not None:
            self._progress[shown] = len(self._events)
        elif isinstance(event, ToolExecutionEnd):
            self._progress.pop(event.tool_call_id, None)  # a careless model may use an id twice
        self._events.append(event)
        self._arrived.set()

    def close(self) -> None:
        """No more events come; what waits can still be taken."""
        self._closed = True
        self._arrived.set()

    async def take(self) -> list[E]:
        """All events that wait, at least one; an empty list once the feed is closed and drained."""
        while not self._events and not self._closed:
            self._arrived.clear()
            await self._arrived.wait()
        self._settle()
        taken, self._events = self._events, []
        self._progress.clear()
        return taken

    def _settle(self) -> None:
        """Put the gathered pieces into the delta that they extend."""
        if not self._pieces:
            return
        last = self._events[-1]
        assert isinstance(last, MessageUpdate)
        event = last.event
        assert isinstance(event, BlockDelta)
        joined = event.delta + "".join(self._pieces)
        self._events[-1] = cast(E, replace(last, event=replace(event, delta=joined)))
        self._pieces.clear()


def _more_of(last: object, new: object) -> str | None:
    """What `new` adds to the delta that `last` is, or None."""
    if not isinstance(last, MessageUpdate) or not isinstance(new, MessageUpdate):
        return None
    delta = new.event
    return delta.delta if isinstance(delta, BlockDelta) and delta.extends(last.event) else None


def _shown_by(event: object) -> str | int | None:
    """The tool call, or the command of the user, of which `event` shows all that there is so far."""
    match event:
        case ToolExecutionUpdate():
            return event.tool_call_id
        case ShellOutput():
            return event.run_id
    return None
