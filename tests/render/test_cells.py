"""Text takes the cells that the terminal gives it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from pi_term.render import cells

PIECES = ["a", "中", "🇩🇪", "👨‍👩‍👧‍👦", "é", "♥️", "ไทย", "한", "👍🏽", " ", "…", "\u200b", "ｆ"]
TEXTS = st.lists(st.sampled_from(PIECES) | st.characters(exclude_categories=("Cc", "Cs")), max_size=30).map(
    "".join
)


def test_characters_taken_for_narrow_are_narrow() -> None:
    wrong = [
        hex(code)
        for code in range(0x20, 0x30000)
        if not 0x7F <= code < 0xA0 and cells.is_narrow(chr(code)) and get_character_cell_size(chr(code)) != 1
    ]
    assert wrong == []


@pytest.mark.parametrize("piece", ["🇩🇪", "👨‍👩‍👧‍👦", "e\u0301", "♥️", "👍🏽", "각"])
def test_what_is_drawn_as_one_stays_one(piece: str) -> None:
    assert cells.clusters(f"a{piece}b") == [
        (0, 1, 1),
        (1, 1 + len(piece), cell_len(piece)),
        (1 + len(piece), 2 + len(piece), 1),
    ]


@given(TEXTS)
def test_clusters_cover_the_text_and_add_up(text: str) -> None:
    found = cells.clusters(text)
    assert "".join(text[each.start : each.end] for each in found) == text
    assert sum(each.width for each in found) == cell_len(text)


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("\tx", "    x"),
        ("ab\tx", "ab  x"),
        ("abcd\tx", "abcd    x"),
        ("中\tx", "中  x"),
        ("\t\tx", "        x"),
    ],
)
def test_tabs_reach_the_next_stop(text: str, expanded: str) -> None:
    assert cells.expand_tabs(text, 4) == expanded


def test_tabs_count_from_the_column_where_the_text_starts() -> None:
    assert cells.expand_tabs("\tx", 4, 3) == " x"
    assert cells.expand_tabs("\t中", 4, 2) == "  中"


@given(TEXTS, st.integers(0, 12))
def test_fitted_text_fits(text: str, width: int) -> None:
    assert cell_len(cells.fit(text, width)) <= width
    assert cell_len(cells.fit_end(text, width)) <= width


def test_fitting_keeps_the_start_or_the_end() -> None:
    assert cells.fit("abcdef", 4) == "abc…"
    assert cells.fit_end("abcdef", 4) == "…def"
    assert cells.fit("abc", 3) == "abc"


def test_cutting_by_cells() -> None:
    assert cells.cut_cells("a中b", 1, 3) == "中"
    assert cells.cut_cells("abc", 1, 9) == "bc"
    assert cells.cut_cells("中文字", 2, 6) == "文字"
