"""The buffer against a model that is one string."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from pi_term.tui.widgets.editor.buffer import Buffer, Position

texts = st.text(alphabet="ab \nü你", max_size=8)


def offset_of(buffer: Buffer, position: Position) -> int:
    return sum(len(line) + 1 for line in buffer.lines[: position.row]) + position.column


def position_of(text: str, offset: int) -> Position:
    head = text[:offset]
    return Position(head.count("\n"), len(head) - head.rfind("\n") - 1)


class BufferMachine(RuleBasedStateMachine):
    """Edits, undo and redo; the mirror also replays the changes that the buffer reports."""

    def __init__(self) -> None:
        super().__init__()
        self.buffer = Buffer()
        self.text = ""
        self.cursor = 0
        self.done: list[tuple[tuple[str, int], tuple[str, int]]] = []
        self.undone: list[tuple[tuple[str, int], tuple[str, int]]] = []
        self.mirror = [""]

    @rule(data=st.data(), text=texts)
    def replace(self, data: st.DataObject, text: str) -> None:
        start = data.draw(st.integers(0, len(self.text)))
        end = data.draw(st.integers(start, len(self.text)))
        if start == end and not text:
            return
        before = self.text, self.cursor
        self.buffer.replace(position_of(self.text, start), position_of(self.text, end), text)
        self.text = self.text[:start] + text + self.text[end:]
        self.cursor = start + len(text)
        self.done.append((before, (self.text, self.cursor)))
        self.undone.clear()

    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        self.cursor = data.draw(st.integers(0, len(self.text)))
        self.buffer.move(position_of(self.text, self.cursor))

    @rule()
    def undo(self) -> None:
        assert self.buffer.undo() is bool(self.done)
        if self.done:
            self.undone.append(self.done.pop())
            self.text, self.cursor = self.undone[-1][0]

    @rule()
    def redo(self) -> None:
        assert self.buffer.redo() is bool(self.undone)
        if self.undone:
            self.done.append(self.undone.pop())
            self.text, self.cursor = self.done[-1][1]

    @invariant()
    def agrees(self) -> None:
        assert self.buffer.text == self.text
        assert offset_of(self.buffer, self.buffer.cursor) == self.cursor

    @invariant()
    def reported_changes_lead_from_the_old_lines_to_the_new(self) -> None:
        changes = self.buffer.take_changes()
        for number, change in enumerate(changes):
            new = ["?"] * change.inserted
            if number == len(changes) - 1:
                new = self.buffer.lines[change.row : change.row + change.inserted]
                first, last = self.mirror[change.row], self.mirror[change.row + change.removed - 1]
                assert new[0][: change.column] == first[: change.column]
                assert new[-1][change.tail :] == last[change.tail - change.shift :]
            self.mirror[change.row : change.row + change.removed] = new
        assert self.mirror == self.buffer.lines


TestBuffer = BufferMachine.TestCase
TestBuffer.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)


@given(texts, texts)
def test_slice_and_insert_are_opposites(before: str, after: str) -> None:
    buffer = Buffer(before)
    buffer.move(buffer.end)
    start = buffer.cursor
    buffer.insert(after)
    assert buffer.slice(start, buffer.cursor) == after
    buffer.undo()
    assert buffer.text == before


def test_edits_of_one_kind_are_undone_together_until_the_cursor_moves() -> None:
    buffer = Buffer()
    for char in "abc":
        buffer.insert(char, "type")
    buffer.move(buffer.cursor)
    buffer.insert("d", "type")
    buffer.undo()
    assert buffer.text == "abc"
    buffer.undo()
    assert buffer.text == ""
    buffer.redo()
    assert (buffer.text, buffer.cursor) == ("abc", Position(0, 3))


def test_a_new_edit_forgets_what_was_undone() -> None:
    buffer = Buffer("x")
    buffer.insert("a")
    buffer.undo()
    buffer.insert("b")
    assert not buffer.redo()
    assert buffer.text == "bx"


def test_places_outside_are_clamped() -> None:
    buffer = Buffer("ab\nc")
    assert buffer.clamp(Position(9, 9)) == Position(1, 1)
    assert buffer.clamp(Position(-1, -1)) == Position(0, 0)
    buffer.move(Position(0, 99))
    assert buffer.cursor == Position(0, 2)


def test_reset_leaves_nothing_to_undo() -> None:
    buffer = Buffer("ab\nc")
    buffer.insert("x")
    buffer.reset()
    assert buffer.text == ""
    assert not buffer.undo()
