"""Documents: clean text in, cursor by characters, text and grid in step."""

from __future__ import annotations

import pytest

from pi_term.tui.widgets.editor.buffer import Position
from pi_term.tui.widgets.editor.document import Document, clean
from pi_term.tui.widgets.editor.paste import Draft


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("\ttab", "\ttab"),
        ("x\x1b[2Jy\x1b]0;title\x07z", "xyz"),
        ("a\x00b\x7fc\x9b", "abc"),
        ("\ud800lone", "\ufffdlone"),
    ],
)
def test_text_is_data(text: str, kept: str) -> None:
    assert clean(text) == kept
    document = Document()
    document.paste(text)
    assert document.text == kept


def test_steps_cross_lines_and_take_whole_characters() -> None:
    document = Document()
    document.insert("a👨‍👩‍👧\nb")
    place = document.buffer.end
    walked = []
    while place != (place := document.step_left(place)):
        walked.append(place)
    assert walked == [Position(1, 0), Position(0, 6), Position(0, 1), Position(0, 0)]
    assert document.step_right(Position(0, 1)) == Position(0, 6)
    assert document.step_right(document.buffer.end) == document.buffer.end


def test_loading_a_draft_is_an_edit_that_can_be_undone() -> None:
    document = Document()
    document.insert("before")
    document.load(Draft(("one\ntwo",), 5))
    assert document.buffer.cursor == Position(1, 1)
    document.buffer.undo()
    assert document.text == "before"


def test_reset_starts_numbering_again() -> None:
    document = Document()
    document.paste("x\n" * 20)
    document.reset()
    assert document.is_empty
    document.paste("y\n" * 20)
    assert document.blocks.label(document.buffer.text) == "[paste #1 +20 lines]"
    assert not Document(80).buffer.undo()


def test_the_grid_follows() -> None:
    document = Document(width=5)
    document.insert("one two")
    assert document.layout.row_count == 2
    document.reset()
    assert document.layout.row_count == 1
