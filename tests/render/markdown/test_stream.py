"""Markdown looks the same however it arrives, fits the width, and costs what its length asks for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from pi_term.base.paths import shipped
from pi_term.render.line import Line
from pi_term.render.markdown import code_view, table_view, text_view
from pi_term.render.markdown.look import Look
from pi_term.render.markdown.stream import MarkdownStream
from pi_term.render.theme import load_theme

THEME, _ = load_theme(shipped("themes") / "dark.json")
assert THEME is not None
LOOK = Look(THEME)

PIECES = [
    *(
        "word ",
        "**bold** ",
        "*it",
        "`code` ",
        "\n",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "> ",
        "# ",
        "```",
        "```py\n",
        "---\n",
    ),
    *(
        "| a | b |\n",
        "|---|:-:|\n",
        "| 1 | 2 |\n",
        "    ",
        "\t",
        "[t](http://x.y) ",
        "[r]",
        "[r]: http://z.z\n",
    ),
    *(
        "中文字",
        "👨‍👩‍👧‍👦",
        "e\u0301",
        "x = 'y' # z\n",
        '"""',
        "/*",
        "<b>",
        "&amp;",
        "\\",
        "  \n",
        "===\n",
        "[ ] ",
    ),
    *(
        "\x1b[31m",
        "\x1b]0;t\x07",
        "\r",
        "\x9b",
        "[/bold]",
        "\x1b",
        "* ",
        "~~s~~",
        "https://a.b/c_(d)",
        "\u202e",
    ),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def finished(stream: MarkdownStream) -> MarkdownStream:
    stream.finish()
    return stream


def rows(stream: MarkdownStream, width: int = 30, look: Look = LOOK) -> list[Line]:
    lines = list(stream.lines(width, look))
    while stream.refine(1.0):
        pass
    return list(stream.lines(width, look)) if lines else lines


def at_once(text: str, width: int = 30, look: Look = LOOK) -> list[Line]:
    return rows(MarkdownStream(text, finished=True), width, look)


def drawn(lines: Sequence[Line]) -> list[str]:
    return [line.text.rstrip() for line in lines]


@settings(max_examples=150)
@given(TEXTS, st.data(), st.integers(1, 50))
def test_the_rows_do_not_depend_on_how_the_text_arrived(text: str, data: st.DataObject, width: int) -> None:
    stream = MarkdownStream()
    at = 0
    while at < len(text):
        size = data.draw(st.integers(1, 12))
        stream.append(text[at : at + size])
        at += size
        if data.draw(st.booleans()):
            stream.lines(width, LOOK)
    assert rows(finished(stream), width) == at_once(text, width)


@settings(max_examples=150)
@given(TEXTS, st.data(), st.integers(1, 50))
def test_nor_where_long_blocks_are_frozen(text: str, data: st.DataObject, width: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_view, "PIECE", 40)
        patch.setattr(table_view, "SAMPLE", 2)
        patch.setattr(code_view, "LINES_AT_ONCE", 3)
        patch.setattr(code_view, "WINDOW", 2)
        patch.setattr(code_view, "LONGEST_LINE", 20)
        stream = MarkdownStream()
        at = 0
        while at < len(text):
            size = data.draw(st.integers(1, 30))
            stream.append(text[at : at + size])
            at += size
            stream.lines(width, LOOK)
        assert rows(finished(stream), width) == at_once(text, width)


@given(TEXTS, st.integers(1, 60), st.integers(0, 4))
def test_no_row_is_wider_than_asked(text: str, width: int, gutter: int) -> None:
    for stream in (MarkdownStream(text), MarkdownStream(text, finished=True)):
        lines = stream.lines(width, Look(LOOK.theme, gutter=gutter))
        assert [line.text for line in lines if cell_len(line.text) > width] == []
        assert all(line.cell_length == sum(cell_len(each.text) for each in line.segments) for line in lines)


@given(TEXTS)
def test_no_control_character_is_drawn_or_copied(text: str) -> None:
    for line in at_once(text):
        assert not any(char < " " or "\x7f" <= char < "\xa0" or char == "\u202e" for char in line.text)
        assert not any(char < " " and char != "\t" for char in line.source_text)


@given(TEXTS, st.integers(5, 40), st.integers(5, 40))
def test_another_width_is_like_a_fresh_rendering(text: str, one: int, other: int) -> None:
    stream = MarkdownStream(text)
    stream.lines(one, LOOK)
    assert list(stream.lines(other, LOOK)) == list(MarkdownStream(text).lines(other, LOOK))


@given(TEXTS)
def test_what_was_released_is_drawn_again(text: str) -> None:
    stream = MarkdownStream(text, finished=True)
    before = list(stream.lines(30, LOOK))
    stream.release()
    assert list(stream.lines(30, LOOK)) == before
    assert stream.text == text
