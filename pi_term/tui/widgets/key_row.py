"""A row above the editor that has the keys while it is there: for searching and selecting."""

from __future__ import annotations

from typing import Protocol

from textual import events

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

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.taker: KeyTaker | None = None

    def give_to(self, taker: KeyTaker) -> None:
        """Show the row and give it the keys, for `taker`."""
        self.taker = taker
        self.display = True
        self.focus()

    def take_away(self) -> None:
        """Hide the row."""
        self.taker = None
        self.display = False

    def on_key(self, event: events.Key) -> None:
        if self.taker is not None:
            event.stop()
            event.prevent_default()
            self.taker.key(event)

    def on_paste(self, event: events.Paste) -> None:
        if self.taker is not None:
            event.stop()
            self.taker.paste(event.text)

    def on_resize(self) -> None:
        if self.taker is not None:
            self.taker.paint()
