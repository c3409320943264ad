"""Rows as strips: exact widths, whole characters, the thumb and the pill over them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.strip import Strip

from pi_term.render.line import Line
from pi_term.tui.widgets.transcript.paint import (
    BAR,
    Bar,
    Palette,
    WithoutLinks,
    changed_runs,
    place_bar,
    row_strip,
    with_pill,
    with_selection,
    with_thumb,
)

PALETTE = Palette(
    Style(bgcolor="black"),
    Style(color="red"),
    Style(bgcolor="blue"),
    Style(reverse=True),
    Style(),
    Style(),
    Color(0, 0, 0),
    (),
)
TEXTS = st.text(st.sampled_from("ab 漢字👨é…"), max_size=40)


def cells_of(strip: Strip) -> int:
    return sum(cell_len(segment.text) for segment in strip)


@given(TEXTS, st.integers(1, 30), st.integers(0, 40), st.integers(0, 40))
@settings(max_examples=100, deadline=None)
def test_every_row_is_exactly_as_wide_as_the_view(text: str, width: int, first: int, end: int) -> None:
    row = row_strip(Line((Segment(text),), text), width, PALETTE)
    first, end = sorted((min(first, width), min(end, width)))
    for strip in (
        row,
        with_thumb(row, PALETTE),
        with_pill(row, " ↓ 3 new ", PALETTE),
        with_selection(row, (first, end), PALETTE),
        with_thumb(with_pill(row, " ↓ end ", PALETTE), PALETTE),
    ):
        assert cells_of(strip) == strip.cell_length == width + BAR


def test_a_wide_character_at_the_edge_is_left_out_whole() -> None:
    strip = row_strip(Line((Segment("漢漢漢"),), "漢漢漢"), 5, PALETTE)
    assert strip.text == "漢漢   "


def test_colours_of_a_row_lie_on_the_background_of_the_view() -> None:
    line = Line((Segment("a", Style(color="green")), Segment("b")), "ab")
    strip = row_strip(line, 4, PALETTE)
    assert [segment.style for segment in strip] == [
        Style(color="green", bgcolor="black"),
        PALETTE.base,
        PALETTE.base,
    ]


def test_the_pill_is_left_out_where_it_does_not_fit() -> None:
    row = row_strip(Line((Segment("text"),), "text"), 4, PALETTE)
    assert with_pill(row, " ↓ 3 new ", PALETTE) is row


@pytest.mark.parametrize(
    ("top", "total", "at_end", "bar"),
    [
        (0, 10, True, None),
        (0, 20, False, Bar(0, 5)),
        (10, 20, True, Bar(5, 5)),
        (5, 20, False, Bar(2, 5)),
        (0, 100_000, False, Bar(0, 1)),
        (99_990, 100_000, True, Bar(9, 1)),
        (50, 20, False, Bar(5, 5)),
    ],
)
def test_the_thumb_tells_where_the_view_is(top: int, total: int, at_end: bool, bar: Bar | None) -> None:
    assert place_bar(top, total, 10, at_end=at_end) == bar


def test_only_rows_that_differ_change() -> None:
    def row(text: str) -> Strip:
        return Strip([Segment(text)])

    old = [row(text) for text in "abcdef"]
    new = [old[0], row("X"), row("Y"), row("d"), old[4], row("Z"), row("new")]
    assert list(changed_runs(old, new)) == [(1, 2), (5, 2)]
    assert list(changed_runs(old, old)) == []


def test_links_are_told_to_the_terminal_or_not() -> None:
    line = Line((Segment("see "), Segment("here", Style(link="https://a.b/c", bold=True))), "see here")
    strip = row_strip(line, 20, PALETTE)
    told = strip.render(Console(color_system="truecolor"))
    assert re.search(r"\x1b\]8;id=[^;]*;https://a\.b/c\x1b\\[^\n]*here[^\n]*\x1b\]8;;\x1b\\", told)
    plain = strip.apply_filter(WithoutLinks(), PALETTE.background).render(Console(color_system="truecolor"))
    assert "\x1b]8" not in plain
    assert "here" in plain
    assert plain.count("\x1b[1") == told.count("\x1b[1")
