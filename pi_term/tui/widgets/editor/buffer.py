"""The text of the editor: lines, a cursor, and a history of edits to undo.

Positions are (row, column), columns count code points. Every edit goes through `replace`; what it
touched is handed out once by `take_changes`, so that a layout can follow without comparing texts.
"""

from __future__ import annotations

from collections import deque
from dataclasses import field
from typing import NamedTuple

from pi_term.base.dataclass import dataclass

_UNDO_STEPS = 500


class Position(NamedTuple):
    """A place between two characters."""

    row: int
    column: int


class Change(NamedTuple):
    """Lines `row` to `row + removed` became `inserted` lines.

    The first is as before up to `column`, the last from `tail` on; that tail moved by `shift` columns.
    """

    row: int
    removed: int
    inserted: int
    column: int
    tail: int
    shift: int


class _Edit(NamedTuple):
    start: Position
    removed: str
    inserted: str


@dataclass(slots=True)
class _Step:
    """Edits that one undo takes back, and where the cursor was around them."""

    kind: str
    before: Position
    after: Position
    edits: list[_Edit] = field(default_factory=list)


class Buffer:
    """Lines of text with a cursor and undo."""

    def __init__(self, text: str = "") -> None:
        self._lines = text.split("\n")
        self._cursor = Position(0, 0)
        self._undo: deque[_Step] = deque(maxlen=_UNDO_STEPS)
        self._redo: list[_Step] = []
        self._open = False
        self._changes: list[Change] = []
        self.version = 0

    @property
    def lines(self) -> list[str]:
        """The lines, never none; not to be changed by the caller."""
        return self._lines

    @property
    def text(self) -> str:
        """All lines, joined by newlines."""
        return "\n".join(self._lines)

    @property
    def cursor(self) -> Position:
        """Where typing goes."""
        return self._cursor

    @property
    def end(self) -> Position:
        """The place after the last character."""
        return Position(len(self._lines) - 1, len(self._lines[-1]))

    def move(self, position: Position) -> None:
        """Put the cursor at `position`, clamped to the text; the next edit begins a new undo step."""
        self._cursor = self.clamp(position)
        self._open = False

    def seal(self) -> None:
        """The next edit begins a new undo step, whatever its kind."""
        self._open = False

    def clamp(self, position: Position) -> Position:
        """The nearest place that exists."""
        row = min(max(position.row, 0), len(self._lines) - 1)
        return Position(row, min(max(position.column, 0), len(self._lines[row])))

    def slice(self, start: Position, end: Position) -> str:
        """The text from `start` to `end`."""
        if start.row == end.row:
            return self._lines[start.row][start.column : end.column]
        first = self._lines[start.row][start.column :]
        last = self._lines[end.row][: end.column]
        return "\n".join([first, *self._lines[start.row + 1 : end.row], last])

    def insert(self, text: str, kind: str = "") -> None:
        """Insert at the cursor, which ends up behind; see `replace` for `kind`."""
        self.replace(self._cursor, self._cursor, text, kind)

    def replace(self, start: Position, end: Position, text: str, kind: str = "") -> None:
        """Put `text` where `start` to `end` was and the cursor behind it.

        Edits of the same `kind` that follow each other without a cursor movement between them are
        undone together; `kind` "" stands alone.
        """
        removed = self.slice(start, end)
        if not removed and not text:
            return
        step = self._step(kind)
        step.edits.append(_Edit(start, removed, text))
        self._cursor = step.after = self._splice(start, end, text)
        self._redo.clear()

    def undo(self) -> bool:
        """Take back the last step; False if there is none."""
        if not self._undo:
            return False
        step = self._undo.pop()
        for edit in reversed(step.edits):
            self._splice(edit.start, _after(edit.start, edit.inserted), edit.removed)
        self._redo.append(step)
        self.move(step.before)
        return True

    def redo(self) -> bool:
        """Do the step again that was taken back last; False if there is none."""
        if not self._redo:
            return False
        step = self._redo.pop()
        for edit in step.edits:
            self._splice(edit.start, _after(edit.start, edit.removed), edit.inserted)
        self._undo.append(step)
        self.move(step.after)
        return True

    def reset(self) -> None:
        """Start over with an empty text and nothing to undo."""
        self._splice(Position(0, 0), self.end, "")
        self._undo.clear()
        self._redo.clear()
        self.move(Position(0, 0))

    def take_changes(self) -> list[Change]:
        """The changes since the last call, in the order they happened."""
        changes, self._changes = self._changes, []
        return changes

    def _step(self, kind: str) -> _Step:
        if not (self._open and kind and self._undo and self._undo[-1].kind == kind):
            self._undo.append(_Step(kind, self._cursor, self._cursor))
        self._open = True
        return self._undo[-1]

    def _splice(self, start: Position, end: Position, text: str) -> Position:
        lines = self._lines
        head = lines[start.row][: start.column]
        tail = lines[end.row][end.column :]
        new = text.split("\n")
        stop = _after(start, text)
        new[0] = head + new[0]
        new[-1] += tail
        lines[start.row : end.row + 1] = new
        removed = end.row - start.row + 1
        shift = stop.column - end.column
        self._changes.append(Change(start.row, removed, len(new), start.column, stop.column, shift))
        self.version += 1
        return stop


def _after(start: Position, text: str) -> Position:
    """Where `text` ends when it begins at `start`."""
    breaks = text.count("\n")
    if not breaks:
        return Position(start.row, start.column + len(text))
    return Position(start.row + breaks, len(text) - text.rfind("\n") - 1)
