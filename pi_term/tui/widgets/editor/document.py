"""What the editor edits: a buffer whose large pastes are blocks, laid out at a width."""

from __future__ import annotations

from pi_term.base.sanitize import sanitize
from pi_term.tui.widgets.editor.buffer import Buffer, Position
from pi_term.tui.widgets.editor.graphemes import end_of, start_before
from pi_term.tui.widgets.editor.layout import Layout
from pi_term.tui.widgets.editor.paste import Block, BlockTable, Draft, should_fold


def clean(text: str) -> str:
    """`text` as the editor may hold it: every kind of line end a newline, nothing that acts on a terminal."""
    return sanitize(text.replace("\r\n", "\n").replace("\r", "\n"))


class Document:
    """Text, cursor, blocks and grid, always in step with each other."""

    def __init__(self, width: int = 80) -> None:
        self.buffer = Buffer()
        self.blocks = BlockTable()
        self.layout = Layout(self.buffer.lines, width, self.blocks.label)

    @property
    def text(self) -> str:
        """The whole text, blocks with their contents."""
        return self.blocks.expand(self.buffer.text)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing at all, not even a blank."""
        lines = self.buffer.lines
        return len(lines) == 1 and not lines[0]

    def settle(self) -> None:
        """Bring the grid up to date with the text; to be called after every edit."""
        self.layout.apply(self.buffer.take_changes())

    def insert(self, text: str, kind: str = "") -> None:
        """Insert text at the cursor as it is, whatever its size."""
        self.buffer.insert(clean(text), kind)
        self.settle()

    def paste(self, text: str) -> None:
        """Insert pasted text at the cursor, as a block if it is large."""
        text = clean(text)
        self.buffer.insert(self.blocks.add(text) if should_fold(text) else text)
        self.settle()

    def put(self, block: Block) -> str:
        """Insert a block at the cursor; returns the character that stands for it."""
        stand_in = self.blocks.put(block)
        self.buffer.insert(stand_in)
        self.settle()
        return stand_in

    def resolve(self, stand_in: str, found: Block | str) -> bool:
        """Put something else where a block stands, the cursor keeping its place; False if it is not there."""
        if isinstance(found, Block):
            self.blocks.swap(stand_in, found)
        place = next(
            (
                Position(row, line.index(stand_in))
                for row, line in enumerate(self.buffer.lines)
                if stand_in in line
            ),
            None,
        )
        if place is None:
            return False
        text = self.blocks.put(found) if isinstance(found, Block) else clean(found)
        cursor = self.buffer.cursor
        self.buffer.replace(place, Position(place.row, place.column + 1), text)
        if cursor > place:
            end = self.buffer.cursor
            shift = end.column - place.column - 1 if cursor.row == place.row else 0
            cursor = Position(cursor.row + end.row - place.row, cursor.column + shift)
        self.buffer.move(cursor)
        self.settle()
        return True

    def replace(self, start: Position, end: Position, text: str, kind: str = "") -> None:
        """`Buffer.replace`; `text` may hold stand-ins of this document's blocks."""
        self.buffer.replace(start, end, text, kind)
        self.settle()

    def reset(self) -> None:
        """Start over: no text, no blocks, nothing to undo."""
        self.buffer.reset()
        self.blocks.clear()
        self.settle()

    def snapshot(self) -> Draft:
        """The text with its blocks and the cursor, to come back to with `load`."""
        return Draft(self.blocks.decode(self.buffer.text), self._offset(self.buffer.cursor))

    def load(self, draft: Draft) -> None:
        """Show `draft`, as one edit that can be undone."""
        text = self.blocks.encode(clean(part) if isinstance(part, str) else part for part in draft.parts)
        self.buffer.replace(Position(0, 0), self.buffer.end, text)
        self.buffer.move(self._position(draft.cursor))
        self.settle()

    def step_left(self, position: Position) -> Position:
        """The place one character before, across line ends."""
        if position.column:
            line = self.buffer.lines[position.row]
            return Position(position.row, start_before(line, position.column))
        if position.row:
            return Position(position.row - 1, len(self.buffer.lines[position.row - 1]))
        return position

    def step_right(self, position: Position) -> Position:
        """The place one character after, across line ends."""
        line = self.buffer.lines[position.row]
        if position.column < len(line):
            return Position(position.row, end_of(line, position.column))
        if position.row + 1 < len(self.buffer.lines):
            return Position(position.row + 1, 0)
        return position

    def _offset(self, position: Position) -> int:
        return sum(len(line) + 1 for line in self.buffer.lines[: position.row]) + position.column

    def _position(self, offset: int) -> Position:
        for row, line in enumerate(self.buffer.lines):
            if offset <= len(line):
                return Position(row, offset)
            offset -= len(line) + 1
        return self.buffer.end
