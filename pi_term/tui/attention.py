"""Whose keys they are when a question comes up that nobody asked for.

It waits until the person has paused, so that it never breaks into a word; and what is typed in the moment in
which it appears still goes where it was meant to go.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from textual import events

PAUSE = 0.6
"""Seconds without a key after which a question may come up."""
QUIET = 0.5
"""Seconds without a key after which a question that has come up gets the keys."""


class Attention:
    """Follows what is typed, and tells for each key whether it is still meant for the editor.

    `clock` gives seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._typed_at = -PAUSE
        self._asked_at = 0.0
        self._quiet_since = 0.0
        self._guarded = False  # a question is on the screen that has not got the keys yet
        self._letters_are_text = False

    @property
    def paused(self) -> bool:
        """Whether nothing was typed for a while."""
        return self._clock() - self._typed_at >= PAUSE

    async def pause(self) -> None:
        """Return when nothing has been typed for a while."""
        while True:
            left = self._typed_at + PAUSE - self._clock()
            if left <= 0:
                return
            await asyncio.sleep(left)

    @contextmanager
    def question(self, *, letters_are_text: bool) -> Iterator[None]:
        """Inside, a question is on the screen that came unasked.

        `letters_are_text`: what types something goes to the editor all the time, as before the first prompt,
        when people do not expect questions.
        """
        self._guarded, self._letters_are_text = True, letters_are_text
        self._asked_at = self._quiet_since = self._clock()
        try:
            yield
        finally:
            self._guarded = False

    def diverts(self, event: events.Event) -> bool:
        """Note a key or a paste; whether it is for the editor, whatever is on the screen.

        Escape belongs to no word: it closes a question that has been there for a moment, whatever else was
        typed since.
        """
        if not isinstance(event, events.Key | events.Paste):
            return False
        now = self._clock()
        self._typed_at = now
        if not self._guarded:
            return False
        if isinstance(event, events.Key) and event.key == "escape" and now - self._asked_at >= QUIET:
            return False
        types = isinstance(event, events.Paste) or bool(event.character and event.is_printable)
        if now - self._quiet_since < QUIET or (self._letters_are_text and types):
            self._quiet_since = now
            return True
        self._guarded = self._letters_are_text
        return False
