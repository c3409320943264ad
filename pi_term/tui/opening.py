"""Keys that are pressed while a screen that was asked for is still coming up: they are meant for it."""

from __future__ import annotations

import asyncio

from textual import events
from textual.app import App
from textual.screen import Screen

from pi_term.tui.background import after

_LONGEST = 1.0  # seconds; what has not come up by then does so without the keys


class Opening:
    """Holds keys and pastes from the moment a screen is asked for until it is there."""

    def __init__(self, app: App[int]) -> None:
        self._app = app
        self._held: list[events.Key | events.Paste] | None = None
        self._limit: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """A screen was asked for."""
        if self._held is None:
            self._held = []
            self._limit = after(self._app, _LONGEST, self.end)

    def takes(self, event: events.Event) -> bool:
        """Hold the event, if it is a key or a paste, and a screen is coming up; whether it is held."""
        if self._held is None or not isinstance(event, events.Key | events.Paste):
            return False
        self._held.append(event)
        return True

    def end(self) -> None:
        """The screen is there, or none will come: whoever has the keys now gets what was held."""
        if self._held is None:
            return
        # Some went to the editor first and came from there, behind later ones.
        held, self._held = sorted(self._held, key=lambda event: event.time), None
        if self._limit is not None:
            self._limit.cancel()
        target = self._app.focused or self._app.screen
        for event in held:
            target.post_message(again(event))


def is_homeless(app: App[int], main: Screen[None], event: events.Event) -> bool:
    """Whether it is a key or a paste that nothing has the focus for, as in the first moments.

    Passed on by the screen, it would be overtaken by those that come once the editor has the focus.
    """
    if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
        return False
    if main not in app.screen_stack:
        return True
    return app.screen is main and main.focused is None


def again(event: events.Key | events.Paste) -> events.Key | events.Paste:
    """The same key or paste, to be sent once more."""
    if isinstance(event, events.Paste):
        return events.Paste(event.text)
    return events.Key(event.key, event.character)
