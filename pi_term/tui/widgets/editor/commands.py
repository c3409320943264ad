"""The editor's operations on its text, one method for each action of the scope `editor`.

A method answers whether it applied. None of them knows a key or a terminal.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, TypeAlias

from pi_term.tui.widgets.editor.buffer import Position
from pi_term.tui.widgets.editor.document import Document
from pi_term.tui.widgets.editor.history import Browser, PromptHistory
from pi_term.tui.widgets.editor.killring import KillRing
from pi_term.tui.widgets.editor.motions import word_end, word_start
from pi_term.tui.widgets.editor.paste import Block, Draft

Direction: TypeAlias = Literal["forward", "backward"]

_VERTICAL: Final = frozenset(("cursor_up", "cursor_down", "page_up", "page_down"))
_CUTS: Final = frozenset(
    ("delete_word_backward", "delete_word_forward", "delete_to_line_start", "delete_to_line_end")
)
_YANKS: Final = frozenset(("yank", "yank_pop"))


class Commands:
    """Editing with what editing remembers: cuts, goal column, walk through the history, open jump."""

    def __init__(self, document: Document, history: PromptHistory) -> None:
        self.document = document
        self.history = history
        self.page_rows = 1
        self.jump: Direction | None = None
        self._ring = KillRing()
        self._browser = Browser(history)
        self._last = ""
        self._previous = ""
        self._goal = 0
        self._yanked: tuple[Position, Position] | None = None
        self._recalled: tuple[int, Position] | None = None

    def run(self, handler: str) -> bool:
        """Do what the action table calls `handler`; False if it does not apply now."""
        self._note(handler.removeprefix("action_"))
        method: Callable[[], bool] = getattr(self, handler)
        return method()

    def type_text(self, text: str) -> None:
        """Insert what was typed; an undo takes back one word of it."""
        column = self.document.buffer.cursor.column
        line = self.document.buffer.lines[self.document.buffer.cursor.row]
        if column and line[column - 1].isspace() and not text.isspace():
            self.document.buffer.seal()
        self._note("type")
        self.document.insert(text, "type")

    def paste(self, text: str) -> None:
        """Insert what was pasted."""
        self._note("paste")
        self.document.paste(text)

    def put(self, block: Block) -> str:
        """Insert a block; returns the character that stands for it."""
        self._note("paste")
        return self.document.put(block)

    def place(self, position: Position) -> None:
        """Put the cursor somewhere, as a click does."""
        self._note("place")
        self.document.buffer.move(position)

    def load(self, draft: Draft) -> None:
        """Show another draft; an undo brings the present one back."""
        self._note("load")
        self._end_walk()
        self.document.load(draft)

    def finish(self) -> Draft:
        """Take the text out to be sent: it enters the history and leaves the editor. Blank text stays."""
        sent = self.document.snapshot().stripped()
        if not sent.text.strip():
            return Draft(())
        self._end_walk()
        self.history.add(sent)
        self._note("finish")
        self.document.reset()
        return sent

    def land(self, char: str) -> bool:
        """End a jump at the next or previous `char`; False if there is none."""
        direction, self.jump = self.jump, None
        self._note("land")
        target = self._next(char) if direction == "forward" else self._last_before(char)
        if target is not None:
            self.document.buffer.move(target)
        return target is not None

    def action_cursor_up(self) -> bool:
        """Move up; past the top, the previous prompt."""
        return self._vertical(-1) or self._recall(self._browser.older)

    def action_cursor_down(self) -> bool:
        """Move down; past the end, the next prompt."""
        return self._vertical(1) or self._recall(self._browser.newer)

    def action_history_previous(self) -> bool:
        """Show the previous prompt at once."""
        return self._recall(self._browser.older)

    def action_history_next(self) -> bool:
        """Show the next prompt at once."""
        return self._recall(self._browser.newer)

    def action_page_up(self) -> bool:
        """Move up by one editor page."""
        return self._vertical(-self.page_rows)

    def action_page_down(self) -> bool:
        """Move down by one editor page."""
        return self._vertical(self.page_rows)

    def action_cursor_left(self) -> bool:
        """Move one character left."""
        return self._move(self.document.step_left(self._cursor))

    def action_cursor_right(self) -> bool:
        """Move one character right."""
        return self._move(self.document.step_right(self._cursor))

    def action_word_left(self) -> bool:
        """Move to the start of the word."""
        return self._move(self._word_left())

    def action_word_right(self) -> bool:
        """Move to the end of the word."""
        return self._move(self._word_right())

    def action_line_start(self) -> bool:
        """Move to the start of the line."""
        return self._move(Position(self._cursor.row, 0))

    def action_line_end(self) -> bool:
        """Move to the end of the line."""
        return self._move(self._line_end())

    def action_text_start(self) -> bool:
        """Move to the start of the text."""
        return self._move(Position(0, 0))

    def action_text_end(self) -> bool:
        """Move to the end of the text."""
        return self._move(self.document.buffer.end)

    def action_jump_forward(self) -> bool:
        """Move to the next one of the character typed then."""
        self.jump = "forward"
        return True

    def action_jump_backward(self) -> bool:
        """Move to the previous one of the character typed then."""
        self.jump = "backward"
        return True

    def action_new_line(self) -> bool:
        """Insert a line break."""
        self.document.insert("\n")
        return True

    def action_delete_backward(self) -> bool:
        """Delete the character or block before the cursor."""
        self.document.replace(self.document.step_left(self._cursor), self._cursor, "", "rubout")
        return True

    def action_delete_forward(self) -> bool:
        """Delete the character or block after the cursor."""
        # On an empty text the key belongs to whoever is next, as a rule to quitting.
        if self.document.is_empty:
            return False
        self.document.replace(self._cursor, self.document.step_right(self._cursor), "", "delete")
        return True

    def action_delete_word_backward(self) -> bool:
        """Cut back to the start of the word."""
        return self._cut(self._word_left(), self._cursor, forward=False)

    def action_delete_word_forward(self) -> bool:
        """Cut up to the end of the word."""
        return self._cut(self._cursor, self._word_right(), forward=True)

    def action_delete_to_line_start(self) -> bool:
        """Cut back to the start of the line."""
        start = Position(self._cursor.row, 0)
        return self._cut(start if start != self._cursor else self._word_left(), self._cursor, forward=False)

    def action_delete_to_line_end(self) -> bool:
        """Cut up to the end of the line."""
        end = self._line_end()
        return self._cut(self._cursor, end if end != self._cursor else self._word_right(), forward=True)

    def action_yank(self) -> bool:
        """Insert the text cut last."""
        return self._put_back(self._cursor, self._cursor)

    def action_yank_pop(self) -> bool:
        """After that, take the text cut before it."""
        if self._previous not in _YANKS or self._yanked is None:
            return True
        self._ring.rotate()
        return self._put_back(*self._yanked)

    def action_expand_paste(self) -> bool:
        """Show what a folded paste holds: the one at the cursor, else the nearest before, else the first."""
        places = [
            Position(row, column)
            for row, line in enumerate(self.document.buffer.lines)
            if not line.isascii()
            for column, char in enumerate(line)
            if (block := self.document.blocks.get(char)) is not None and not block.shown
        ]
        if not places:
            return False
        place = max((each for each in places if each <= self._cursor), default=places[0])
        content = self.document.blocks.expand(self.document.buffer.lines[place.row][place.column])
        self.document.replace(place, Position(place.row, place.column + 1), content)
        return True

    def action_undo(self) -> bool:
        """Undo the last edit."""
        self.document.buffer.undo()
        self.document.settle()
        return True

    def action_redo(self) -> bool:
        """Do again what was undone."""
        self.document.buffer.redo()
        self.document.settle()
        return True

    @property
    def _cursor(self) -> Position:
        return self.document.buffer.cursor

    def _note(self, name: str) -> None:
        self._previous, self._last = self._last, name
        if not name.startswith("jump"):
            self.jump = None

    def use_history(self, path: Path) -> None:
        """Look back at the prompts of another project from now on."""
        self._end_walk()
        self.history.turn_to(path)

    def _end_walk(self) -> None:
        """What is shown is from now on the draft; the one that waited stays within reach of Up."""
        waiting = self._browser.draft
        self._browser.leave()
        if waiting is not None and waiting.text.strip():
            self.history.remember(waiting)

    def _move(self, position: Position) -> bool:
        self.document.buffer.move(position)
        return True

    def _next(self, char: str) -> Position | None:
        row, column = self._cursor
        column += 1
        for number, line in enumerate(self.document.buffer.lines[row:], row):
            if (found := line.find(char, column)) >= 0:
                return Position(number, found)
            column = 0
        return None

    def _last_before(self, char: str) -> Position | None:
        row, column = self._cursor
        lines = self.document.buffer.lines
        for number in range(row, -1, -1):
            if (found := lines[number].rfind(char, 0, column if number == row else None)) >= 0:
                return Position(number, found)
        return None

    def _word_left(self) -> Position:
        row, column = self._cursor
        if column == 0:
            return self.document.step_left(self._cursor)
        return Position(row, word_start(self.document.buffer.lines[row], column))

    def _word_right(self) -> Position:
        row, column = self._cursor
        line = self.document.buffer.lines[row]
        if column == len(line):
            return self.document.step_right(self._cursor)
        return Position(row, word_end(line, column))

    def _line_end(self) -> Position:
        return Position(self._cursor.row, len(self.document.buffer.lines[self._cursor.row]))

    def _vertical(self, rows: int) -> bool:
        """Move by rows of the grid, towards the cell where the movement began; False at the edge.

        An old prompt that was shown and not touched since is left at once: whoever looks back further
        does not want to walk through its lines.
        """
        if abs(rows) == 1 and self._recalled == (self.document.buffer.version, self._cursor):
            return False
        layout = self.document.layout
        row, cell = layout.locate(self._cursor)
        if self._previous not in _VERTICAL:
            self._goal = cell
        target = min(max(row + rows, 0), layout.row_count - 1)
        if target == row:
            return False
        return self._move(layout.position_at(target, self._goal))

    def _recall(self, walk: Callable[[Draft], Draft | None]) -> bool:
        draft = walk(self.document.snapshot())
        if draft is None:
            return True
        self.document.load(draft)
        self._recalled = (self.document.buffer.version, self._cursor) if self._browser.active else None
        return True

    def _cut(self, start: Position, end: Position, *, forward: bool) -> bool:
        cut = self.document.blocks.decode(self.document.buffer.slice(start, end))
        self._ring.add(cut, forward=forward, grow=self._previous in _CUTS)
        self.document.replace(start, end, "")
        return True

    def _put_back(self, start: Position, end: Position) -> bool:
        self.document.replace(start, end, self.document.blocks.encode(self._ring.newest))
        self._yanked = (start, self._cursor)
        return True
