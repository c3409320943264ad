"""A row above the editor that has the keys while it is there: for searching and selecting."""

from __future__ import annotations

from typing import Protocol

from textual import events
from textual.widget import Widget

from pi_term.tui.opening import again
from pi_term.tui.widgets.rows import Rows


class KeyTaker(Protocol):
    """What gets the keys of the row."""

    def key(self, event: events.Key) -> None:
        """A key was pressed."""

    def paste(self, text: str) -> None:
        """Something was pasted."""

    def paint(self) -> None:
        """Draw the row anew: it has another width."""


class KeyRow(Rows, can_focus=True):
    """Not shown and without the focus, unless somebody takes the keys."""

    DEFAULT_CSS = "KeyRow { height: 1; display: none; }"

    def __init__(self, home: Widget, *, id: str | None = None) -> None:
        """`home` has the keys at all other times."""
        super().__init__(id=id)
        self._home = home
        self.taker: KeyTaker | None = None

    def give_to(self, taker: KeyTaker) -> None:
        """Show the row and give it the keys, for `taker`."""
        self.taker = taker
        self.display = True
        # Not `focus`, which comes later: the next key may have been pressed already.
        self.screen.set_focus(self)

    def take_away(self) -> None:
        """Hide the row, and give the keys back."""
        self.taker = None
        self.display = False
        self.screen.set_focus(self._home)

    def divert(self, event: events.Key | events.Paste) -> bool:
        """Take what was on its way to the home of the keys when they were given here; whether it was."""
        if self.taker is None or self.screen.focused is not self:
            return False
        self._take(event)
        return True

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        self._take(event)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self._take(event)

    def _take(self, event: events.Key | events.Paste) -> None:
        if self.taker is None:  # it was on its way when the keys were given back
            self._home.post_message(again(event))
        elif isinstance(event, events.Key):
            self.taker.key(event)
        else:
            self.taker.paste(event.text)

    def on_resize(self) -> None:
        if self.taker is not None:
            self.taker.paint()
