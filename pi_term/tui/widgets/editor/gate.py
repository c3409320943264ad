"""Keys and pastes that have to wait for something that was asked for before them, and keep their order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeAlias

from textual import events
from textual.widget import Widget

from pi_term.tui.background import after

Typed: TypeAlias = events.Key | events.Paste


class Gate:
    """Holds what is typed while an answer is looked up, or while a text to be sent is not complete.

    `handle` is given what waited, in order.
    """

    def __init__(self, owner: Widget, handle: Callable[[Typed], None]) -> None:
        self.pending: set[str] = set()
        """Stand-ins in the text for what is still being read."""
        self._owner = owner
        self._handle = handle
        self._waiting: list[Typed] = []
        self._looking: asyncio.TimerHandle | None = None

    def close(self, seconds: float) -> None:
        """Something is looked up: hold everything until `open`, at most for so long."""
        if self._looking is None:
            self._looking = after(self._owner, seconds, self.open)

    def open(self) -> None:
        """It has been looked up, or takes too long."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
            self._go_on()

    def arrived(self, stand_in: str) -> None:
        """What a stand-in stood for is there."""
        self.pending.discard(stand_in)
        self._go_on()

    def holds(self, event: Typed, sends: Callable[[Typed], bool]) -> bool:
        """Whether `event` has to wait, which it does then; `sends` tells whether it sends the text."""
        waits = self._looking is not None or bool(self._waiting)
        if not waits and not (self.pending and sends(event)):
            return False
        self._waiting.append(event)
        return True

    def _go_on(self) -> None:
        # Not through the queue of messages, where later keys wait already.
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            self._handle(event)
