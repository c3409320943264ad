"""How often a streaming transcript is painted."""

from __future__ import annotations

USUAL = 1 / 30
FLOOD = 1 / 15
SLOWEST = 0.5
SHARE = 5
"""A flush may take at most one part in this many of the time."""


class FlushPace:
    """When the next flush may be. All times in seconds on one clock that never goes back."""

    def __init__(self) -> None:
        self._interval = USUAL
        self._last = float("-inf")

    def delay(self, now: float) -> float:
        """How long to wait before the next flush; 0 when it is due."""
        return max(0.0, self._last + self._interval - now)

    def flushed(self, now: float, cost: float, *, flood: bool) -> None:
        """A flush ended. `flood`: more is to come than anybody can read, so that fewer paints do."""
        self._last = now
        self._interval = min(SLOWEST, max(FLOOD if flood else USUAL, SHARE * cost))
