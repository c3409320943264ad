"""Characters as people see them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.tui.widgets.editor.graphemes import characters, end_of, is_simple, start_before

PIECES = [
    "a",
    "é",
    " ",
    "\t",
    "e\u0301",
    "你",
    "Ａ",
    "🇩🇪",
    "🇫🇷",
    "👨‍👩‍👧",
    "👍🏽",
    "ก็",
    "❤️",
    "\udc00",
    "\u200b",
    "1️⃣",
]
texts = st.lists(st.sampled_from(PIECES)).map("".join)


@pytest.mark.parametrize("char", ["e\u0301", "🇩🇪", "👨‍👩‍👧", "👍🏽", "ก็", "❤️", "1️⃣", "한"])
def test_several_code_points_can_be_one_character(char: str) -> None:
    text = f"x{char}y"
    assert [text[start:end] for start, end in characters(text)] == ["x", char, "y"]
    assert start_before(text, 1 + len(char)) == 1


def test_flags_side_by_side_are_taken_in_pairs() -> None:
    text = "🇩🇪🇫🇷🇮"
    assert list(characters(text)) == [(0, 2), (2, 4), (4, 5)]
    assert start_before(text, 4) == 2


def test_a_mark_does_not_stick_to_a_pasted_block_or_a_tab() -> None:
    assert end_of("\udc00\u0301", 0) == 1
    assert end_of("\t\u0301", 0) == 1


@given(texts)
def test_characters_cover_the_text_without_gaps(text: str) -> None:
    spans = list(characters(text))
    assert "".join(text[start:end] for start, end in spans) == text


@given(texts)
def test_walking_back_meets_the_same_places_as_walking_on(text: str) -> None:
    ends = [end for _, end in characters(text)]
    back = []
    index = len(text)
    while index:
        back.append(index)
        index = start_before(text, index)
    assert back[::-1] == ends


def test_simple_text() -> None:
    assert is_simple("plain, größe, привет ─")
    for text in ("\t", "你", "e\u0301", "\udc00", "\u00ad", "\u200b"):
        assert not is_simple(text)
