"""Selecting text of the transcript with keys: the keys that move in the editor move there, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from textual import events

from pi_term.tui.actions import BY_ID
from pi_term.tui.keymap.resolver import KeyResolver, Match
from pi_term.tui.opening import again
from pi_term.tui.text import Span, ends, spans_width

if TYPE_CHECKING:
    from pi_term.tui.screens.main import MainScreen
    from pi_term.tui.widgets.transcript import Transcript

_CONTEXTS = ("marking", "transcript", "editor", "app")
_MOVES: Final[dict[str, Callable[[Transcript], None]]] = {
    "tui.editor.cursorUp": lambda transcript: transcript.move_rows(-1),
    "tui.editor.cursorDown": lambda transcript: transcript.move_rows(1),
    "tui.editor.cursorLeft": lambda transcript: transcript.move_characters(-1),
    "tui.editor.cursorRight": lambda transcript: transcript.move_characters(1),
    "tui.editor.cursorWordLeft": lambda transcript: transcript.move_words(-1),
    "tui.editor.cursorWordRight": lambda transcript: transcript.move_words(1),
    "tui.editor.cursorLineStart": lambda transcript: transcript.move_in_row(end=False),
    "tui.editor.cursorLineEnd": lambda transcript: transcript.move_in_row(end=True),
    "tui.altScreen.pageUp": lambda transcript: transcript.move_pages(-1),
    "tui.altScreen.pageDown": lambda transcript: transcript.move_pages(1),
    "tui.editor.pageUp": lambda transcript: transcript.move_pages(-1),
    "tui.editor.pageDown": lambda transcript: transcript.move_pages(1),
    "tui.altScreen.top": lambda transcript: transcript.move_to_edge(end=False),
    "tui.altScreen.bottom": lambda transcript: transcript.move_to_edge(end=True),
}
_HINTS = (
    ("app.marking.mark", "marks"),
    ("app.marking.row", "row"),
    ("app.marking.copy", "copies"),
    ("app.message.copy", "message"),
    ("app.marking.close", "back"),
)


class Marking:
    """From the key that begins it to the one that copies or closes. What is typed goes to the editor."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._keys = KeyResolver(screen.keys.table)
        self._open = False

    def open(self) -> bool:
        """Show the cursor and take the keys; False where there is no text."""
        if not self._screen.transcript.begin_marking():
            return False
        self._open = True
        self._keys = KeyResolver(self._screen.keys.table)
        self._screen.key_row.give_to(self)
        self.paint()
        return True

    def close(self) -> bool:
        """Give the keys back, with nothing selected. False when it was not open."""
        if not self._open:
            return False
        self._open = False
        self._screen.transcript.end_marking()
        self._screen.clear_selection()
        self._screen.key_row.take_away()
        return True

    def key(self, event: events.Key) -> None:
        """Move, mark or copy."""
        found = self._keys.resolve(_CONTEXTS, event.key)
        if not isinstance(found, Match) and event.key.startswith("shift+"):
            found = self._keys.resolve(_CONTEXTS, event.key.removeprefix("shift+"))
            if isinstance(found, Match) and any(each in _MOVES for each in found.action_ids):
                self._screen.transcript.begin_mark()
        if isinstance(found, Match) and self._do(found.action_ids):
            return
        if event.character and event.is_printable:
            self.close()
            self._screen.editor.post_message(again(event))

    def paste(self, text: str) -> None:
        """A paste is for the editor."""
        self.close()
        self._screen.editor.post_message(events.Paste(text))

    def _do(self, action_ids: tuple[str, ...]) -> bool:
        for action_id in action_ids:
            if action_id in _MOVES:
                _MOVES[action_id](self._screen.transcript)
                return True
            if BY_ID[action_id].scope == "marking":
                getattr(self, BY_ID[action_id].handler)()
                return True
            if action_id in ("app.interrupt", "tui.input.copy"):
                self.action_mark_copy() if action_id == "tui.input.copy" else self.close()
                return True
            if action_id == "app.message.copy":
                self._copy_block()
                return True
            if action_id == "app.suspend":
                return self._screen.dispatch(action_id)
        return False

    def action_mark(self) -> None:
        """Begin to select at the cursor, or select nothing."""
        self._screen.transcript.toggle_mark()

    def action_mark_row(self) -> None:
        """Select the row."""
        self._screen.transcript.select_row()

    def action_mark_copy(self) -> None:
        """Copy what is selected, and end."""
        text = self._screen.transcript.selected_text()
        if text:
            self._screen.transcript_actions.copy(text, "Selection copied.")
        self.close()

    def action_mark_close(self) -> None:
        """End."""
        self.close()

    def _copy_block(self) -> None:
        """Copy the whole message the cursor is in, as it was written."""
        block = self._screen.transcript.caret_block
        if block is not None:
            self._screen.transcript_actions.copy(block.copy_text(), "Message copied.")
        self.close()

    def paint(self) -> None:
        """Draw the row."""
        screen = self._screen
        theme = screen.program.theme_colours
        keys = screen.program.keys
        left: list[Span] = [("Select", theme.style("accent"))]
        for action_id, what in _HINTS:
            if key := keys.hint(action_id):
                left.append((f" · {key} {what}", theme.style("dim")))
        while len(left) > 1 and spans_width(left) + 2 > screen.size.width:
            left.pop(-2 if len(left) > 2 else -1)
        screen.key_row.show([ends(left, [], screen.key_row.size.width or screen.size.width)])
