"""Rows as strips: exact width, visible cursor, no half characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from pi_term.tui.widgets.editor.graphemes import characters
from pi_term.tui.widgets.editor.layout import Layout
from pi_term.tui.widgets.editor.paint import MARGIN, Palette, RowView, paint_row, paint_rule

CURSOR = Style(reverse=True)
PALETTE = Palette(Style(), CURSOR, Style(color="blue"), Style(dim=True), Style(color="red"))
PIECES = [*"abc .", "\t", "é", "e\u0301", "你", "🇩🇪", "👨‍👩‍👧", "👍🏽", "\udc00"]
lines = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def layout(width: int, text: str = "") -> Layout:
    return Layout([text], width - 2 * MARGIN, lambda char: "[paste #1 +30 lines]")


@given(lines, st.integers(4, 41), st.data())
def test_rows_are_exactly_as_wide_as_the_widget(text: str, width: int, data: st.DataObject) -> None:
    grid = layout(width, text)
    row = grid.row(data.draw(st.integers(0, grid.row_count - 1)))
    shown = text[row.start : row.end]
    places = [start for start, _ in characters(shown)] + [len(shown)]
    strip = paint_row(RowView(shown, data.draw(st.sampled_from(places))), grid, PALETTE, width)
    assert strip.cell_length == width
    assert "\t" not in strip.text
    assert not any("\ud800" <= char <= "\udfff" for char in strip.text)
    assert [
        segment for segment in strip if segment.style == CURSOR or segment.style == PALETTE.block + CURSOR
    ]


@pytest.mark.parametrize(
    ("text", "cursor", "under"),
    [
        ("abc", 1, "b"),
        ("abc", 3, " "),
        ("", 0, " "),
        ("a你b", 1, "你"),
        ("a\tb", 1, " "),
        ("x\udc00", 1, "[paste #1 +30 lines]"),
    ],
)
def test_the_cursor_covers_a_whole_character(text: str, cursor: int, under: str) -> None:
    strip = paint_row(RowView(text, cursor), layout(40), PALETTE, 40)
    reversed_text = [segment.text for segment in strip if segment.style and segment.style.reverse]
    assert reversed_text == [under]


def test_rows_look_as_expected() -> None:
    grid = layout(30)
    assert paint_row(RowView("hi", None), grid, PALETTE, 30).text == " hi" + " " * 27
    assert paint_row(RowView("", 0, "Ask"), grid, PALETTE, 12).text == " Ask" + " " * 8
    assert paint_row(RowView("", None, "Ask anything"), grid, PALETTE, 8).text == " Ask any"


def test_rules_carry_a_note_and_keep_their_width() -> None:
    assert paint_rule(12, "", Style()).text == "─" * 12
    assert paint_rule(20, "↑ 3 more", Style()).text == "─── ↑ 3 more ───────"
    assert paint_rule(6, "↑ 3 more", Style()).text == "─── ↑ "
