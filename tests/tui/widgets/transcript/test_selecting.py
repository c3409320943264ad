"""Selected text is the source's, whatever was drawn around it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.segment import Segment
from textual.geometry import Offset

from pi_term.render.line import Line
from pi_term.tui.widgets.transcript.items import ItemList
from pi_term.tui.widgets.transcript.selecting import (
    Span,
    cells,
    character_at,
    paragraph_at,
    place_of,
    selected_text,
    source_slice,
    with_offsets,
    word_at,
)


def line(drawn: str, source: str | None = None, *, wrapped: bool = False, indent: int = 0) -> Line:
    return Line((Segment(drawn),), drawn if source is None else source, wrapped, (), indent)


@pytest.mark.parametrize(
    ("row", "first", "end", "text"),
    [
        (line("hello world"), 0, None, "hello world"),
        (line("hello world"), 6, 9, "wor"),
        (line("▌ hello    ", "hello", indent=2), 0, None, "hello"),
        (line("▌ hello    ", "hello", indent=2), 1, 5, "hel"),
        (line("▌ hello    ", "hello", indent=2), 7, None, ""),
        (line("│ if x:   y │", "\tif x:\ty", indent=2), 0, None, "\tif x:\ty"),
        (line("│     if x:   y │", "\tif x:\ty", indent=2), 6, 11, "if x:"),
        (line("│     if x:   y │", "\tif x:\ty", indent=2), 6, None, "if x:\ty"),
        (line("漢 漢字", "漢字", indent=3), 2, 3, "漢"),
        (line("──────", ""), 0, 4, ""),
        (line("            deep", "\t\t\tdeep"), 12, None, "deep"),
        (line("            deep", "\t\t\tdeep"), 0, 13, "\t\t\td"),
        (line("  Title  ", "# Title", indent=2), 0, 4, "# Ti"),
        (line("  Title  ", "# Title", indent=2), 2, 7, "Title"),
        (line("  • one-two", "- one-two", indent=4), 4, 11, "one-two"),
        (line("  a │ b", "| a | b |", indent=2), 2, 3, "a"),
        (line("  a │ b", "| a | b |", indent=2), 6, 7, "b"),
    ],
)
def test_a_part_of_a_row_stands_for_its_source(row: Line, first: int, end: int | None, text: str) -> None:
    assert source_slice(row, first, end) == text


@given(st.text(st.sampled_from("ab \t漢│"), max_size=20), st.integers(0, 30), st.integers(0, 30))
@settings(max_examples=100, deadline=None)
def test_two_parts_make_the_whole(source: str, cut: int, indent: int) -> None:
    drawn = "│" * indent + source.replace("\t", "    ")
    row = line(drawn, source, indent=indent)
    assert source_slice(row, 0, cut) + source_slice(row, cut, None) == source


def items_of(kit: SimpleNamespace, *blocks: list[Line]) -> ItemList:
    items = ItemList()
    for n, lines in enumerate(blocks):
        block = kit.Block(f"b{n}", "")
        block.lines = lines
        items.append(block, len(lines))
    return items


def text_of(items: ItemList, start: Offset, end: Offset) -> str:
    return selected_text(items, Span(start, end), lambda item: item.block.lines)  # type: ignore[arg-type, return-value]


def test_wrapped_rows_are_joined_and_padding_is_left_out(kit: SimpleNamespace) -> None:
    first = [
        line("one two    ", "one two ", wrapped=True),
        line("three      ", "three"),
        line("", ""),
        line("    code   ", "    code"),
    ]
    second = [line("", ""), line("▌ next   ", "next", indent=2)]
    items = items_of(kit, first, second)
    top, bottom = items.first, items.last
    assert top is not None
    assert bottom is not None
    whole = text_of(items, Offset(0, place_of(top, 0)), Offset(99, place_of(bottom, 1)))
    assert whole == "one two three\n\n    code\n\nnext"
    part = text_of(items, Offset(4, place_of(top, 0)), Offset(5, place_of(bottom, 1)))
    assert part == "two three\n\n    code\n\nnex"


def test_a_selection_survives_older_blocks_and_removed_ones(kit: SimpleNamespace) -> None:
    items = items_of(kit, [line("a")], [line("b")], [line("c")])
    first, last = items.first, items.last
    assert first is not None
    assert last is not None
    start, end = Offset(0, place_of(first, 0)), Offset(1, place_of(last, 0))
    older = kit.Block("old", "")
    older.lines = [line("old")]
    items.prepend([(older, 1)])
    assert text_of(items, start, end) == "a\nb\nc"
    items.remove(first)
    assert text_of(items, start, end) == "b\nc"
    before = items.first
    assert before is not None
    assert text_of(items, Offset(0, place_of(before, 0)), end) == "old\nb\nc"


def test_marked_cells_are_those_of_the_text() -> None:
    assert cells(line("漢字 ab   "), 0, None) == (0, 7)
    assert cells(line("漢字 ab   "), 1, 3) == (2, 5)


def test_words_and_paragraphs() -> None:
    row = line("see src/a-b.py: 漢字!")
    assert row.text[slice(*word_at(row, character_at(row, 6)))] == "src/a-b.py"
    assert row.text[slice(*word_at(row, character_at(row, 18)))] == "漢字"
    assert word_at(row, 99) == (99, 99)
    lines = [line("a"), line("b", wrapped=True), line("c", wrapped=True), line("d"), line("e")]
    assert [paragraph_at(lines, at) for at in range(5)] == [(0, 0), (1, 3), (1, 3), (1, 3), (4, 4)]


def test_the_hit_test_gets_a_place_for_every_row() -> None:
    strip = with_offsets(Line((Segment("ab"), Segment("cd")), "abcd"), 77)
    assert [segment.style.meta["offset"] for segment in strip if segment.style] == [(0, 77), (2, 77)]
    empty = with_offsets(None, 5)
    assert [segment.style.meta["offset"] for segment in empty if segment.style] == [(0, 5)]
