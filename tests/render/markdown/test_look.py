"""How the parts of Markdown look, and what they give when copied."""

from __future__ import annotations

import pytest
from rich.style import Style

from pi_term.render.line import copied_text
from pi_term.render.markdown.look import Look
from pi_term.render.markdown.stream import MarkdownStream
from pi_term.render.markdown.table_view import fit_columns
from pi_term.render.theme import Theme


def drawn(text: str, theme: Theme, width: int = 40) -> list[str]:
    lines = MarkdownStream(text, finished=True).lines(width, Look(theme))
    return [line.text.rstrip() for line in lines]


def style_of(part: str, text: str, theme: Theme) -> Style:
    lines = MarkdownStream(text, finished=True).lines(60, Look(theme))
    found = [segment.style for line in lines for segment in line.segments if segment.text.strip() == part]
    assert found, [segment.text for line in lines for segment in line.segments]
    assert found[0] is not None
    return found[0]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("# One\nText", ["One", "", "Text"]),
        ("Two\n---\n\n\n\nText", ["Two", "", "Text"]),
        ("a\nb  \nc\\\nd", ["a b", "c", "d"]),
        ("- a\n- b\n\n- c", ["• a", "• b", "", "• c"]),
        ("- a\n  - b\n    - c\n      - d", ["• a", "  ◦ b", "    ▪ c", "      • d"]),
        ("3. a\n3. b", ["3. a", "4. b"]),
        ("9. a\n10. b", ["9. a", "10. b"]),
        ("- [ ] a\n- [x] b\n- [y] c", ["☐ a", "☑ b", "• [y] c"]),
        ("1. a\n\n   b\n\n2. c", ["1. a", "", "   b", "", "2. c"]),
        ("> a\n>\n> b\n\nc", ["│ a", "│", "│ b", "", "c"]),
        ("> - a\n>   b", ["│ • a b"]),
        ("a\n\n---\n\nb", ["a", "", "─" * 40, "", "b"]),
        ("```py\nx\n\n y\n```", ["── py " + "─" * 26 + " copy ──", "x", "", " y", "─" * 40]),
        ("- a\n  ```\n  x\n  ```", ["• a", "  " + "─" * 30 + " copy ──", "  x", "  " + "─" * 38]),
        ("    code\n\nx", ["─" * 32 + " copy ──", "code", "─" * 40, "", "x"]),
        ("<b>x</b>\n<!-- y -->", ["<b>x</b> <!-- y -->"]),
        ("a &lt; b &amp; c", ["a < b & c"]),
        ("\\*a\\* [x] [y](", ["*a* [x] [y]("]),
        ("[a](http://b.c/d)", ["a (http://b.c/d)"]),
        ("<http://b.c/d> http://e.f", ["http://b.c/d http://e.f"]),
        ("![pic](http://b.c)", ["[image: pic] (http://b.c)"]),
        ("[a][1]\n\n[1]: http://b.c", ["a (http://b.c)"]),
        ("-\n- x", ["•", "• x"]),
        ("", []),
    ],
)
def test_rows(text: str, rows: list[str], theme: Theme) -> None:
    assert drawn(text, theme) == rows


def test_tables_line_up(theme: Theme) -> None:
    text = "| Name | N | Note |\n|:--|--:|:-:|\n| a | 1 | `x` |\n| bbb | 22 | a \\| b |\n| c |"
    assert drawn(text, theme) == [
        "Name │  N │ Note",
        "─────┼────┼──────",
        "a    │  1 │   x",
        "bbb  │ 22 │ a | b",
        "c    │    │",
    ]


def test_wide_tables_wrap_their_cells(theme: Theme) -> None:
    text = "| k | text |\n|---|---|\n| a | " + "word " * 12 + "|\n| b | x<br>y |"
    rows = drawn(text, theme, 30)
    assert rows[2:] == [
        "a │ word word word word word",
        "  │ word word word word word",
        "  │ word word",
        "b │ x",
        "  │ y",
    ]


def test_tables_in_no_space_become_lists(theme: Theme) -> None:
    rows = drawn("| key | value |\n|---|---|\n| one | 1 |\n| two | 2 |", theme, 10)
    assert rows == ["key value", "───", "key: one", "value: 1", "───", "key: two", "value: 2", "───"]


def test_rows_of_long_tables_do_not_wrap_for_a_digit_more(theme: Theme) -> None:
    text = "| n | m |\n|---|---|\n" + "".join(f"| row {n} | {n} |\n" for n in range(2000))
    assert len(drawn(text, theme, 60)) == 2002


@pytest.mark.parametrize(
    ("natural", "available", "widths"),
    [([3, 4], 20, [3, 4]), ([3, 40], 20, [3, 17]), ([30, 40], 21, [10, 11]), ([5, 50, 50], 45, [5, 20, 20])],
)
def test_columns_share_the_space(natural: list[int], available: int, widths: list[int]) -> None:
    assert fit_columns(natural, available) == widths


def test_styles(theme: Theme) -> None:
    assert style_of("x", "**x**", theme) == theme.style("text", bold=True)
    assert style_of("x", "*x*", theme) == theme.style("text", italic=True)
    assert style_of("x", "~~x~~", theme) == theme.style("text", strike=True)
    assert style_of("x", "`x`", theme) == theme.style("mdCode")
    assert style_of("x", "***x***", theme) == theme.style("text", bold=True, italic=True)
    assert style_of("x", "# x", theme) == theme.style("mdHeading", bold=True, underline=True)
    assert style_of("x", "## x", theme) == theme.style("mdHeading", bold=True)
    assert style_of("x", "> x", theme) == theme.style("mdQuote", italic=True)
    assert style_of("•", "- x", theme) == theme.style("mdListBullet")
    assert style_of("def", "```python\ndef f(): pass\n```", theme) == theme.style("syntaxKeyword")


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[x](https://a.b/c)", "https://a.b/c"),
        ("[x](mailto:a@b.c)", "mailto:a@b.c"),
        ("[x](HTTP://a.b)", "HTTP://a.b"),
        ("[x](file:///etc/hosts)", "file:///etc/hosts"),
        ("[x](javascript:alert(1))", None),
        ("[x](JaVa%0Ascript:alert)", None),
        ("[x](../a/b)", None),
        ("[x](file://host/share)", None),
        ("see file:///tmp/x.", "file:///tmp/x"),
        ("[x](https://b.c/\x1b]52;c;aGk=\x07)", "https://b.c/"),
        ("[x](ssh://a.b)", None),
    ],
)
def test_only_safe_addresses_become_links(text: str, link: str | None, theme: Theme) -> None:
    lines = MarkdownStream(text, finished=True).lines(60, Look(theme))
    links = {segment.style.link for line in lines for segment in line.segments if segment.style}
    assert links - {None} == ({link} if link else set())


def test_an_address_in_the_text_ends_before_the_full_stop(theme: Theme) -> None:
    lines = MarkdownStream("see (https://a.b/c_(d)). Or https://e.f!", finished=True).lines(60, Look(theme))
    links = [
        segment.text for line in lines for segment in line.segments if segment.style and segment.style.link
    ]
    assert links == ["https://a.b/c_(d)", "https://e.f"]


@pytest.mark.parametrize(
    ("growing", "shown"),
    [
        ("a **bo", "a bo"),
        ("a **", "a"),
        ("a `co", "a co"),
        ("a `", "a"),
        ("a *b*", "a b"),
        ("**a** b", "a b"),
        ("2 ** 3 ** 4", "2 ** 3 ** 4"),
    ],
)
def test_marks_do_not_flicker_while_text_streams_in(growing: str, shown: str, theme: Theme) -> None:
    stream = MarkdownStream(growing)
    assert [line.text.rstrip() for line in stream.lines(40, Look(theme))] == [shown]
    stream.finish()
    final = [line.text.rstrip() for line in stream.lines(40, Look(theme))]
    assert final == drawn(growing, theme)


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\nA paragraph that is longer than the row, so that it wraps.",
        "- one\n- two\n  - three\n- [ ] four",
        "1. one\n2. two",
        "> a quote\n>\n> - with a list",
        "| a | b |\n|---|---|\n| " + "word " * 20 + "| y |",
        "```python\ndef f():\n\treturn 1\n```",
        "1. one\n   ```sh\n   ls\n   ```",
        "中文字中文字中文字中文字中文字中文字中文字中文字中文字中文字中文字中文字",
    ],
)
@pytest.mark.parametrize("width", [12, 24, 40, 80])
def test_copying_rows_gives_the_markdown_again(text: str, width: int, theme: Theme) -> None:
    for gutter in (0, 2):
        lines = MarkdownStream(text, finished=True).lines(width, Look(theme, gutter=gutter))
        assert copied_text(lines) == text


def test_a_gutter_stands_before_every_row(theme: Theme) -> None:
    text = "# A\n\n- b\n\n```\nc\n```\n\n| d |\n|---|\n| e |\n\n---"
    lines = MarkdownStream(text, finished=True).lines(40, Look(theme, gutter=2))
    assert all(line.text.startswith("  ") for line in lines if line.text)
    assert all(line.cell_length <= 40 for line in lines)
