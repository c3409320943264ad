"""Blocks are found where CommonMark and GFM say, however the text arrives."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from pi_term.render.markdown.block_parser import BlockParser
from pi_term.render.markdown.leaf import Leaf
from pi_term.render.markdown.tables import table_cells

REFERENCE = MarkdownIt("commonmark", {"html": False}).disable("reference")
WITH_TABLES = MarkdownIt("commonmark", {"html": False}).disable("reference").enable("table")

START = ["", "", "", "> ", ">", "- ", "* ", "1. ", "2) ", "  ", "    ", "\t", "-", "10.  "]
LEAVES = [
    "a",
    "b c",
    "",
    "",
    "# h",
    "###",
    "```",
    "~~~",
    "```py",
    "---",
    "===",
    "***",
    "  f",
    "<b>",
    "## x ##",
]
BODY = [*LEAVES, "- - d", "+ e", "1.", "- [ ] t", "`````"]
TABLE_LINES = ["| a | b |", "| - | :-: |", "|-|", "a|b", "x `|` y", "-|-", "\\| c |", ":--", "  | d |"]


def documents(starts: list[str], bodies: list[str]) -> st.SearchStrategy[str]:
    prefix = st.lists(st.sampled_from(starts), max_size=3).map("".join)
    line = st.tuples(prefix, st.sampled_from(bodies)).map("".join)
    return st.lists(line, max_size=14).map("\n".join)


DEEP = re.compile(r"(?m)^[> ]*(?: {4}|\t)|[\t ]{3,}>")
EMPTY_ITEM = re.compile(r"(?m)(?:[-*+]|\d[.)])[ \t]*\n[ \t>]*$")
FAR_ITEM = re.compile(r"(?m) {2}(?:\d+[.)]|[-*+])|10[.]|>|[-*+.)](?: {2}| ?\t)")


def reliable(text: str) -> bool:
    """Whether markdown-it keeps to CommonMark.

    It forgets that deep indentation is no structure where a line may continue a quote or a list lazily,
    and ends a list after an empty item.
    """
    return not (DEEP.search(text) and FAR_ITEM.search(text)) and not EMPTY_ITEM.search(text)


Found = tuple[tuple[str, ...], str, Any]


def parse(text: str) -> list[Leaf]:
    parser = BlockParser()
    for line in text.split("\n"):
        parser.feed(line)
    parser.finish()
    return parser.closed


def described(leaf: Leaf) -> Found:
    path = tuple(each.kind if each.kind != "item" else f"item {each.marker}" for each in leaf.path)
    if leaf.kind == "code":
        lines = list(leaf.lines)
        if not leaf.fence:
            while lines and not lines[-1].strip():
                lines.pop()
        return path, "code", (leaf.info, _code("\n".join(lines)))
    if leaf.kind == "table":
        rows = [table_cells(line) for line in (leaf.lines[0], *leaf.lines[2:])]
        width = len(leaf.aligns)
        return path, "table", [(row + [""] * width)[:width] for row in rows]
    if leaf.kind == "heading":
        return path, "heading", (leaf.level, _text(leaf.text()))
    return path, leaf.kind, _text(leaf.text())


def _code(content: str) -> str:
    return content.strip("\n").rstrip()


def _text(content: str) -> str:
    return "\n".join(line.strip() for line in content.split("\n"))


def expected(text: str, reference: MarkdownIt = REFERENCE) -> list[Found]:
    """What markdown-it finds, in the same words."""
    found: list[Found] = []
    path: list[str] = []
    numbers: list[int] = []
    tokens = reference.parse(text)
    empty_items: list[int] = []
    for index, token in enumerate(tokens):
        here = tuple(path)
        match token.type:
            case "blockquote_open":
                path.append("quote")
            case "bullet_list_open" | "ordered_list_open":
                path.append("list")
                numbers.append(int(token.attrs.get("start", 1)))
            case "list_item_open":
                bullet = token.markup if token.markup in "-+*" else f"{numbers[-1]}{token.markup}"
                numbers[-1] += 1
                path.append(f"item {bullet}")
                empty_items.append(len(found))
            case "list_item_close":
                if empty_items.pop() == len(found):
                    found.append((here, "paragraph", ""))
                path.pop()
            case "bullet_list_close" | "ordered_list_close":
                numbers.pop()
                path.pop()
            case "blockquote_close":
                path.pop()
            case "fence" | "code_block":
                found.append((here, "code", (token.info.strip(), _code(token.content))))
            case "hr":
                found.append((here, "rule", ""))
            case "heading_open":
                found.append((here, "heading", (int(token.tag[1]), _text(tokens[index + 1].content))))
            case "paragraph_open":
                found.append((here, "paragraph", _text(tokens[index + 1].content)))
            case "table_open":
                found.append((here, "table", _table(tokens[index:])))
    return found


def _table(tokens: list[Token]) -> list[list[str]]:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token.content)
        elif token.type == "table_close":
            break
    return rows


@settings(max_examples=100, derandomize=True)
@given(documents(START, BODY).filter(reliable))
def test_blocks_are_those_of_markdown_it(text: str) -> None:
    assert [described(leaf) for leaf in parse(text)] == expected(text)


@settings(max_examples=100, derandomize=True)
@given(documents(["", "", "  "], LEAVES + TABLE_LINES).filter(reliable))
def test_tables_are_those_of_markdown_it(text: str) -> None:
    assert [described(leaf) for leaf in parse(text)] == expected(text, WITH_TABLES)


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("> a\n    > b", [(("quote",), "paragraph", "a\n> b")]),
        ("10.  a\n    # b", [(("list", "item 10."), "paragraph", "a\n# b")]),
        (
            "1.\n\n1. a",
            [(("list", "item 1."), "paragraph", ""), (("list", "item 2."), "paragraph", "a")],
        ),
        ("> |-|\n| - |", [(("quote",), "paragraph", "|-|\n| - |")]),
    ],
)
def test_where_markdown_it_leaves_the_standard_the_standard_counts(text: str, blocks: list[Found]) -> None:
    assert [described(leaf) for leaf in parse(text)] == blocks


@given(documents(START, BODY + TABLE_LINES), st.data())
def test_trying_a_line_changes_nothing(text: str, data: st.DataObject) -> None:
    parser = BlockParser()
    for line in text.split("\n"):
        parser.try_line(data.draw(st.sampled_from(BODY)))
        parser.feed(line)
    parser.finish()
    assert parser.closed == parse(text)


@given(documents(START, BODY + TABLE_LINES))
def test_a_tried_line_gives_what_reading_it_gives(text: str) -> None:
    *lines, last = text.split("\n")
    parser = BlockParser()
    for line in lines:
        parser.feed(line)
    tried = [(leaf.uid, described_lines(leaf)) for leaf in [*parser.closed, *parser.try_line(last)]]
    assert tried == [(leaf.uid, described_lines(leaf)) for leaf in parse(text)]


def described_lines(leaf: Leaf) -> list[str]:
    return list(leaf.all_lines())
