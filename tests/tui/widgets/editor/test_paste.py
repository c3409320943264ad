"""Folded pastes: objects that no text can be mistaken for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.base.json import dumps, loads
from pi_term.tui.widgets.editor.document import Document
from pi_term.tui.widgets.editor.paste import Block, BlockTable, Draft, should_fold

typed = st.text(alphabet="ab \n[paste #1 +30 lines]\ufffc你", max_size=30)
large = st.integers(11, 40).map(lambda count: "\n".join(f"line {number}" for number in range(count)))


@pytest.mark.parametrize(
    ("text", "folds"),
    [
        ("x" * 1000, False),
        ("x" * 1001, True),
        ("x\n" * 10, False),
        ("x\n" * 10 + "x", True),
        ("short", False),
    ],
)
def test_what_is_large(text: str, folds: bool) -> None:
    assert should_fold(text) is folds


def test_labels() -> None:
    assert Block(1, "x\n" * 300).label == "[paste #1 +300 lines]"
    assert Block(2, "x" * 1234).label == "[paste #2 1234 chars]"


@given(
    st.lists(
        st.one_of(typed.map(lambda text: (False, text)), large.map(lambda text: (True, text))), max_size=6
    )
)
def test_what_comes_out_is_what_was_typed_and_pasted(pieces: list[tuple[bool, str]]) -> None:
    document = Document()
    for pasted, text in pieces:
        if pasted:
            document.paste(text)
        else:
            document.insert(text)
    whole = "".join(text for _, text in pieces)
    assert document.text == whole
    draft = document.snapshot()
    assert draft.text == whole
    assert draft.size == len(whole)
    assert sum(isinstance(part, Block) for part in draft.parts) == sum(pasted for pasted, _ in pieces)
    restored = Draft.from_json(loads(dumps(draft.to_json())))
    assert restored is not None
    assert restored.text == whole
    assert restored.cursor == draft.cursor
    assert [type(part) for part in restored.parts] == [type(part) for part in draft.parts]
    other = Document()
    other.load(restored)
    assert other.text == whole
    assert other.snapshot().cursor == draft.cursor


@given(st.lists(st.sampled_from(["a", "b", "P", "\n"]), max_size=12), st.data())
def test_deleting_characters_and_blocks_never_touches_another(kinds: list[str], data: st.DataObject) -> None:
    """The model is a list of pieces; each deletion removes one of them, be it a letter or a whole paste."""
    document = Document()
    model: list[str] = []
    for number, kind in enumerate(kinds):
        text = f"paste {number}\n" * 20 if kind == "P" else kind
        document.paste(text)
        model.append(text)
    for _ in range(data.draw(st.integers(0, len(model)))):
        back = data.draw(st.integers(0, len(model) - 1))
        place = document.buffer.end
        for _ in range(back):
            place = document.step_left(place)
        document.replace(document.step_left(place), place, "")
        del model[len(model) - 1 - back]
        assert document.text == "".join(model)


def test_a_table_without_room_keeps_the_text() -> None:
    table = BlockTable()
    for _ in range(0x800):
        table.add("x")
    assert table.add("the text") == "the text"


def test_blocks_survive_the_table_they_came_from() -> None:
    table = BlockTable()
    parts = table.decode("a" + table.add("content") + "b")
    assert table.encode(parts) == "a\ud800b"
    table.clear()
    again = table.encode(parts)
    assert table.expand(again) == "acontentb"
    assert table.masked(again) == "a\ufffcb"


def test_a_draft_for_sending_has_no_blanks_around_it_but_keeps_its_indentation() -> None:
    assert Draft.of("\n\n  code\n  more  \n").stripped().text == "  code\n  more"
    block = Block(1, "\nx\n")
    assert Draft(("\n", block, " \n")).stripped().text == "\nx\n"
    assert Draft.of("  \n").stripped().parts == ()


@pytest.mark.parametrize(
    "data",
    [
        {"text": "abc", "pastes": [[2, 9], [0, 1], [0, 2], "x", [1, 0], None], "cursor": 99},
        {"text": "abc", "pastes": 3, "cursor": "x"},
        {"text": "abc"},
    ],
)
def test_places_that_make_no_sense_are_text(data: dict[str, object]) -> None:
    draft = Draft.from_json(data)
    assert draft is not None
    assert draft.text == "abc"
    assert draft.cursor == draft.length


def test_no_text_is_no_draft() -> None:
    assert Draft.from_json({"text": 3}) is None
