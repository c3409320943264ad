"""Wrapping: no row too wide, nothing lost, every place found again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from pi_term.render.cells import TAB_WIDTH
from pi_term.tui.widgets.editor.buffer import Buffer, Position
from pi_term.tui.widgets.editor.graphemes import characters
from pi_term.tui.widgets.editor.layout import Layout

LABEL = "[paste #1 +30 lines]"
PIECES = [*"abc .-", "  ", "word ", "\t", "é", "e\u0301", "你", "好Ａ", "🇩🇪", "👨‍👩‍👧", "👍🏽", "ก็", "\udc00"]
lines = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
simple_lines = st.text(alphabet="ab  é", max_size=60)
widths = st.integers(2, 24)


def label(char: str) -> str:
    return LABEL


def rows_of(layout: Layout, text: list[str]) -> list[str]:
    rows = [layout.row(number) for number in range(layout.row_count)]
    return [text[row.line][row.start : row.end] for row in rows]


def drawn(layout: Layout, row: str) -> str:
    return "".join(piece for _, piece, _ in layout.pieces(row))


@given(st.lists(lines, min_size=1, max_size=4), widths)
def test_rows_hold_the_whole_text_and_none_is_too_wide(text: list[str], width: int) -> None:
    layout = Layout(text, width, label)
    rows = [layout.row(number) for number in range(layout.row_count)]
    for number, line in enumerate(text):
        assert "".join(line[row.start : row.end] for row in rows if row.line == number) == line
    for row in rows_of(layout, text):
        assert cell_len(drawn(layout, row)) <= width
        shown = {start for start, _, _ in layout.pieces(row)}
        assert all(start in shown or row[start:end] in (" ", "\t") for start, end in characters(row))


@given(simple_lines, widths)
def test_the_fast_way_wraps_as_the_careful_one(line: str, width: int) -> None:
    layout = Layout([line], width, label)
    assert list(layout._simple_starts(line, 0)) == list(layout._any_starts(line, 0))


@given(st.lists(lines, min_size=1, max_size=3), widths)
def test_every_place_is_found_again_from_its_cell(text: list[str], width: int) -> None:
    layout = Layout(text, width, label)
    for number, line in enumerate(text):
        for column in [*(start for start, _ in characters(line)), len(line)]:
            row, cell = layout.locate(Position(number, column))
            assert 0 <= cell <= width
            back = layout.position_at(row, cell)
            assert layout.locate(back)[0] == row
            # Characters without a cell of their own, and blanks over the edge, share their place.
            assert layout.locate(back)[1] == cell


@given(st.lists(lines, min_size=1, max_size=3), widths, st.integers(0, 30), st.integers(0, 30))
def test_any_cell_leads_to_a_place_in_its_row(text: list[str], width: int, row: int, cell: int) -> None:
    layout = Layout(text, width, label)
    row = row % layout.row_count
    place = layout.position_at(row, cell)
    assert layout.locate(place)[0] == row
    line = text[place.row]
    assert place.column in {start for start, _ in characters(line)} | {len(line)}


@settings(max_examples=60, deadline=None)
@given(st.data(), widths)
def test_following_changes_gives_the_layout_of_the_result(data: st.DataObject, width: int) -> None:
    buffer = Buffer(data.draw(lines) + "\n" + data.draw(lines) * 3)
    layout = Layout(buffer.lines, width, label)
    layout.SHORT_LINE = 0
    for _ in range(6):
        row = data.draw(st.integers(0, len(buffer.lines) - 1))
        places = sorted(data.draw(st.tuples(*[st.integers(0, len(buffer.lines[row]))] * 2)))
        text = data.draw(st.one_of(st.sampled_from(["", "x", " ", "\n"]), lines))
        buffer.replace(Position(row, places[0]), Position(row, places[1]), text)
        layout.apply(buffer.take_changes())
        fresh = Layout(buffer.lines, width, label)
        assert rows_of(layout, buffer.lines) == rows_of(fresh, buffer.lines)


@pytest.mark.parametrize(
    ("line", "width", "rows"),
    [
        ("hello world", 20, ["hello world"]),
        ("hello world", 7, ["hello ", "world"]),
        ("hello    world", 5, ["hello    ", "world"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("ab cdefgh", 4, ["ab ", "cdef", "gh"]),
        ("你好吗", 5, ["你好", "吗"]),
        ("a你好", 4, ["a你", "好"]),
        ("", 5, [""]),
    ],
)
def test_rows_break_behind_blanks_and_beside_wide_characters(line: str, width: int, rows: list[str]) -> None:
    text = [line]
    assert rows_of(Layout(text, width, label), text) == rows


def test_tabs_go_to_fixed_places() -> None:
    text = ["\ta\tbc", "abc\td"]
    layout = Layout(text, 20, label)
    assert drawn(layout, text[0]) == "    a   bc"
    assert drawn(layout, text[1]) == "abc d"
    assert layout.locate(Position(0, 1)) == (0, TAB_WIDTH)


def test_a_block_is_one_character_as_wide_as_its_label() -> None:
    text = ["x\udc00y"]
    layout = Layout(text, 40, label)
    assert drawn(layout, text[0]) == f"x{LABEL}y"
    assert layout.locate(Position(0, 2)) == (0, 1 + len(LABEL))
    assert layout.position_at(0, 5) == Position(0, 1)
    narrow = Layout(text, 10, label)
    assert rows_of(narrow, text) == ["x", "\udc00", "y"]
    assert drawn(narrow, "\udc00") == "[paste #1…"


def test_a_key_in_a_long_line_wraps_only_what_follows_it_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = "wörd 你 " * 10_000
    buffer = Buffer(wide)
    layout = Layout(buffer.lines, 80, label)
    measured = 0
    original = Layout._cells

    def counting(self: Layout, char: str, x: int) -> int:
        nonlocal measured
        measured += 1
        return original(self, char, x)

    monkeypatch.setattr(Layout, "_cells", counting)
    buffer.replace(Position(0, 30_000), Position(0, 30_000), "x")
    layout.apply(buffer.take_changes())
    assert measured < 2_000
    assert rows_of(layout, buffer.lines) == rows_of(Layout(buffer.lines, 80, label), buffer.lines)


def test_a_key_wraps_one_line_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = Buffer("some line of text\n" * 5_000)
    layout = Layout(buffer.lines, 80, label)
    wrapped: list[str] = []
    original = Layout._wrap
    monkeypatch.setattr(Layout, "_wrap", lambda self, line: wrapped.append(line) or original(self, line))
    buffer.replace(Position(70, 3), Position(70, 3), "x")
    layout.apply(buffer.take_changes())
    buffer.replace(Position(90, 3), Position(90, 3), "\n")
    layout.apply(buffer.take_changes())
    assert wrapped == ["somxe line of text", "som", "e line of text"]
    assert layout.row_count == 5_002
