"""A line of text that is being written in a list: what is searched for, a name, a bookmark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from textual import events

from pi_term.tui.keymap.resolver import KeyResolver, Match

_LONGEST = 500  # characters


class LineInput:
    """A text and a cursor in it. `press` takes the keys that edit it, by the editor's own bindings."""

    def __init__(self, keys: KeyResolver, text: str = "") -> None:
        self.text = text
        self._at = len(text)
        self._keys = keys

    @property
    def shown(self) -> str:
        """The text with a bar where the cursor is."""
        return f"{self.text[: self._at]}▏{self.text[self._at :]}"

    def insert(self, text: str) -> None:
        """Put text in at the cursor, in one line."""
        text = " ".join(text.splitlines())[: max(0, _LONGEST - len(self.text))]
        self.text = self.text[: self._at] + text + self.text[self._at :]
        self._at += len(text)

    def press(self, event: events.Key) -> bool:
        """Take a key; False where it edits nothing."""
        found = self._keys.resolve(("editor",), event.key)
        edit = _EDITS.get(found.action_id) if isinstance(found, Match) else None
        if edit is not None:
            edit(self)
        elif event.character and event.is_printable:
            self.insert(event.character)
        else:
            return False
        return True

    def delete_before(self) -> None:
        """Delete the character before the cursor."""
        self._cut(max(0, self._at - 1), self._at)

    def delete_after(self) -> None:
        """Delete the character after it."""
        self._cut(self._at, self._at + 1)

    def delete_word(self) -> None:
        """Delete back to the start of the word."""
        self._cut(self._word_start(), self._at)

    def delete_to_start(self) -> None:
        """Delete all before the cursor."""
        self._cut(0, self._at)

    def delete_to_end(self) -> None:
        """Delete all after it."""
        self._cut(self._at, len(self.text))

    def left(self) -> None:
        """One character to the left."""
        self._at = max(0, self._at - 1)

    def right(self) -> None:
        """One character to the right."""
        self._at = min(len(self.text), self._at + 1)

    def word_left(self) -> None:
        """To the start of the word."""
        self._at = self._word_start()

    def word_right(self) -> None:
        """To the end of the word."""
        rest = self.text[self._at :]
        blanks = len(rest) - len(rest.lstrip())
        end = rest.find(" ", blanks)
        self._at = len(self.text) if end < 0 else self._at + end

    def start(self) -> None:
        """To the start."""
        self._at = 0

    def end(self) -> None:
        """To the end."""
        self._at = len(self.text)

    def _cut(self, start: int, end: int) -> None:
        self.text = self.text[:start] + self.text[end:]
        self._at = start

    def _word_start(self) -> int:
        return self.text[: self._at].rstrip().rfind(" ") + 1


_EDITS: Final[dict[str, Callable[[LineInput], None]]] = {
    "tui.editor.deleteCharBackward": LineInput.delete_before,
    "tui.editor.deleteCharForward": LineInput.delete_after,
    "tui.editor.deleteWordBackward": LineInput.delete_word,
    "tui.editor.deleteToLineStart": LineInput.delete_to_start,
    "tui.editor.deleteToLineEnd": LineInput.delete_to_end,
    "tui.editor.cursorLeft": LineInput.left,
    "tui.editor.cursorRight": LineInput.right,
    "tui.editor.cursorWordLeft": LineInput.word_left,
    "tui.editor.cursorWordRight": LineInput.word_right,
    "tui.editor.cursorLineStart": LineInput.start,
    "tui.editor.cursorLineEnd": LineInput.end,
}
