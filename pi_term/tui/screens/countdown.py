"""How long a question that closes by itself still waits for its answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import ceil

from textual.message_pump import MessagePump

from pi_term.tui.text import seconds_text


class Countdown:
    """Tells the seconds that are left, and has them painted each time they change.

    Without a `timeout` (in seconds) it tells nothing and costs nothing. The time begins with `start`.
    """

    def __init__(self, timeout: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._timeout = timeout
        self._clock = clock
        self._ends = clock() + (timeout or 0)

    def start(self, screen: MessagePump, paint: Callable[[], None]) -> None:
        """The question is on the screen."""
        if self._timeout is not None:
            self._ends = self._clock() + self._timeout
            screen.set_interval(1, paint)

    @property
    def text(self) -> str:
        """` (5 s)`, to be put behind a title; "" where nothing closes by itself."""
        if self._timeout is None:
            return ""
        return f" ({seconds_text(max(0, ceil(self._ends - self._clock())))})"
