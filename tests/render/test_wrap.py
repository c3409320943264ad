"""Wrapped text fits, loses nothing, and can be put together again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from pi_term.render.wrap import Row, wrap_runs

PLAIN = Style()
BOLD = Style(bold=True)
WORDS = ["a", "word ", "    ", "longer-word", "\t", "\n"]
WIDE = ["中文字", "🇩🇪", "👨‍👩‍👧‍👦", "e\u0301", "♥️", "ไทย", "。", "👍🏽"]
PIECES = WORDS + WIDE
TEXTS = st.lists(st.sampled_from(PIECES) | st.text("ab \t中", max_size=4), max_size=25).map("".join)
RUNS = st.lists(st.tuples(TEXTS, st.sampled_from([PLAIN, BOLD])), min_size=1, max_size=4)


def drawn(rows: list[Row]) -> list[str]:
    return ["".join(segment.text for segment in row.segments) for row in rows]


def source(rows: list[Row]) -> str:
    return "".join(row.source + ("" if row.soft else "\n") for row in rows)[:-1]


@given(RUNS, st.integers(1, 45), st.booleans())
def test_no_row_is_wider_than_asked(runs: list[tuple[str, Style]], width: int, words: bool) -> None:
    rows = wrap_runs(runs, width, words=words)
    assert [text for text in drawn(rows) if cell_len(text) > width] == []


@given(RUNS, st.integers(1, 45), st.booleans())
def test_the_rows_hold_the_whole_source(runs: list[tuple[str, Style]], width: int, words: bool) -> None:
    rows = wrap_runs(runs, width, words=words)
    assert source(rows) == "".join(text for text, _ in runs)


@given(RUNS, st.integers(2, 45))
def test_folding_draws_every_character(runs: list[tuple[str, Style]], width: int) -> None:
    text = "".join(text for text, _ in runs).replace("\t", "").replace("\n", "")
    rows = wrap_runs([(part.replace("\t", ""), style) for part, style in runs], width, words=False)
    assert "".join(drawn(rows)) == text


@given(st.lists(st.sampled_from(["one", "two", "three", "eleven", "中文"]), min_size=1, max_size=20))
def test_words_that_fit_are_not_cut(words: list[str]) -> None:
    rows = wrap_runs([(" ".join(words), PLAIN)], 8)
    assert " ".join(drawn(rows)).split() == words or "中文" in words


def test_a_paragraph_breaks_at_blanks_and_is_one_line_when_copied() -> None:
    rows = wrap_runs([("the quick brown ", PLAIN), ("fox", BOLD), (" jumps", PLAIN)], 10)
    assert drawn(rows) == ["the quick", "brown fox", "jumps"]
    assert [row.source for row in rows] == ["the quick ", "brown fox ", "jumps"]
    assert [row.soft for row in rows] == [True, True, False]
    assert [(each.text, each.style) for each in rows[1].segments] == [("brown ", PLAIN), ("fox", BOLD)]


def test_scripts_without_blanks_break_anywhere_but_before_their_full_stop() -> None:
    assert drawn(wrap_runs([("中文字中文字。", PLAIN)], 12)) == ["中文字中文", "字。"]


def test_a_wide_character_in_one_cell_is_replaced_not_cut() -> None:
    rows = wrap_runs([("a中", PLAIN)], 1)
    assert drawn(rows) == ["a", "…"]
    assert source(rows) == "a中"


def test_tabs_are_drawn_as_columns_and_copied_as_tabs() -> None:
    rows = wrap_runs([("\tif x:", BOLD), ("\ty", PLAIN)], 40)
    assert drawn(rows) == ["    if x:   y"]
    assert source(rows) == "\tif x:\ty"
    folded = wrap_runs([("ab\tcd\tef", PLAIN)], 7, words=False)
    assert drawn(folded) == ["ab  cd ", " ef"]
    assert [row.source for row in folded] == ["ab\tcd\t", "ef"]


def test_a_newline_ends_a_row() -> None:
    rows = wrap_runs([("a\n\nb", PLAIN)], 10)
    assert drawn(rows) == ["a", "", "b"]
    assert not any(row.soft for row in rows)
