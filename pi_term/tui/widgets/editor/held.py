"""Typed text that may be the beginning of a chord: it waits for the next key, but not for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.widget import Widget

from pi_term.tui.background import after


class HeldText:
    """Keeps what was typed until `drop` or `release`, which gives it to `insert`."""

    def __init__(self, owner: Widget, insert: Callable[[str], None]) -> None:
        self._owner = owner
        self._insert = insert
        self._text = ""
        self._timer: asyncio.TimerHandle | None = None

    def hold(self, typed: str, seconds: float) -> None:
        """Keep it for so long."""
        self._text += typed
        if self._text and self._timer is None:
            self._timer = after(self._owner, seconds, self.release)

    def release(self) -> None:
        """It was no chord: insert it."""
        text = self._text
        self.drop()
        if text:
            self._insert(text)

    def drop(self) -> None:
        """It was one: forget it."""
        self._text = ""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
