"""How often a streaming transcript is painted."""

from __future__ import annotations

USUAL = 1 / 30
FLOOD = 1 / 15
SLOWEST = 0.2
"""Seconds between flushes: usually, while following a flood, and at the most."""


class FlushPace:
    """When the next flush may be. All times in seconds on one clock that never goes back."""

    def __init__(self) -> None:
        self._interval = USUAL
        self._last = float("-inf")

    def delay(self, now: float) -> float:
        """How long to wait before the next flush; 0 when it is due."""
        return max(0.0, self._last + self._interval - now)

    def rest(self) -> None:
        """Nothing more is to come for now: what came last need not wait."""
        self._interval = 0.0

    def flushed(self, now: float, cost: float, *, flood: bool) -> None:
        """A flush ended. `flood`: more is to come than anybody can read, so that fewer paints do.

        However much a flush costs, as much time again belongs to the keys.
        """
        self._last = now
        self._interval = min(SLOWEST, max(FLOOD if flood else USUAL, cost))
