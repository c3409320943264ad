"""Differences are read as edits tell them and as their arguments ask for them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.coding.tools.edit.apply import Edit, locate
from pi_term.coding.tools.edit.diff import EditDiff
from pi_term.coding.tools.edit.source import Source
from pi_term.render.diff.model import DiffLine, diff_of_args, diff_of_text, folded


def told(before: str, *edits: tuple[str, str]) -> str:
    """The difference that the tool tells of edits."""
    source = Source(before.encode())
    splices = locate(source, [Edit(*edit) for edit in edits], "a.txt")
    return str(EditDiff(source, splices, "a.txt").details()["diff"])


def test_signs_and_numbers_of_both_texts() -> None:
    before = "".join(f"line {n}\n" for n in range(1, 31))
    text = told(before, ("line 5\n", "five\nand more\n"), ("line 20\n", ""))
    assert diff_of_text(text, 100).lines == [
        DiffLine(" ", "line 1", 1, 1),
        DiffLine(" ", "line 2", 2, 2),
        DiffLine(" ", "line 3", 3, 3),
        DiffLine(" ", "line 4", 4, 4),
        DiffLine("-", "line 5", 5),
        DiffLine("+", "five", None, 5),
        DiffLine("+", "and more", None, 6),
        *(DiffLine(" ", f"line {n}", n, n + 1) for n in range(6, 10)),
        DiffLine("~", left_out=6),
        *(DiffLine(" ", f"line {n}", n, n + 1) for n in range(16, 20)),
        DiffLine("-", "line 20", 20),
        *(DiffLine(" ", f"line {n}", n, n) for n in range(21, 25)),
        DiffLine("~"),
    ]


@given(st.lists(st.tuples(st.integers(0, 59), st.lists(st.sampled_from("xyz"), max_size=3)), max_size=4))
def test_numbers_are_those_of_the_files(changes: list[tuple[int, list[str]]]) -> None:
    old = [f"line {n}" for n in range(60)]
    new = list(old)
    edits = []
    for at, lines in sorted(dict(changes).items(), reverse=True):
        edits.append((f"line {at}\n", "".join(f"{line}\n" for line in lines)))
        new[at : at + 1] = lines
    for line in diff_of_text(told("".join(f"{n}\n" for n in old), *edits), 1000).lines if edits else []:
        if line.old is not None:
            assert old[line.old - 1] == line.text
        if line.new is not None:
            assert new[line.new - 1] == line.text


def test_counts_are_of_all_lines_and_lines_of_the_first_ones() -> None:
    text = "\n".join([*(f"-{n} a" for n in range(1, 51)), *(f"+{n} b" for n in range(1, 101))])
    diff = diff_of_text(text, 10)
    assert (len(diff.lines), diff.hidden, diff.added, diff.removed) == (10, 140, 100, 50)


@pytest.mark.parametrize(
    "text", ["no difference", "...", "+", "-x", "+x y", "@@ -1 +1 @@", "\x1b[31m+1 a", "  5"]
)
def test_anything_can_be_read(text: str) -> None:
    assert diff_of_text(text, 10).lines
    assert not diff_of_text("", 10).lines


def test_text_that_looks_like_a_gap_is_none() -> None:
    assert diff_of_text(" 1 ...\n+2 ...", 10).lines == [
        DiffLine(" ", "...", 1, 1),
        DiffLine("+", "...", None, 2),
    ]


def signs(args: dict[str, Any]) -> list[str]:
    return [f"{line.sign}{line.text}" for line in diff_of_args(args).lines]


def test_what_arguments_ask_for() -> None:
    edits = [{"oldText": "a\nb\nc\nd", "newText": "a\nB\nc\nC\nd"}, {"oldText": "x", "newText": ""}]
    assert signs({"edits": edits}) == [" a", "-b", "+B", " c", "+C", " d", "~", "-x"]
    assert signs({"edits": edits[1]}) == ["-x"]
    assert signs(edits[1]) == ["-x"]
    diff = diff_of_args({"edits": edits})
    assert (diff.added, diff.removed) == (2, 2)


@pytest.mark.parametrize("edits", [None, "text", 5, [1, None], [{"oldText": 5}], [{}], {}, [[]]])
def test_arguments_of_any_shape(edits: Any) -> None:
    assert signs({"edits": edits}) == []


def test_long_passages_are_not_compared() -> None:
    old, new = "\n".join(f"old {n}" for n in range(3000)), "\n".join(f"new {n}" for n in range(3000))
    diff = diff_of_args({"oldText": f"same\n{old}\nend", "newText": f"same\n{new}\nend"})
    assert (diff.added, diff.removed, len(diff.lines)) == (3000, 3000, 6002)


def unified(*lines: str) -> str:
    """Lines of signs and words with the numbers that they would have."""
    old = new = 0
    out: list[str] = []
    for line in lines:
        old, new = old + (line[0] != "+"), new + (line[0] != "-")
        out.append(f"{line[0]}{new if line[0] == '+' else old:>3} {line[1:]}")
    return "\n".join(out)


def test_context_far_from_changes_is_folded_and_counted() -> None:
    same = [f" same {number}" for number in range(9)]
    diff = diff_of_text(unified(*same, "-old", "+new", *same, "+more", *same[:2]), 100)
    found = folded(diff, 2)
    assert [(line.sign, line.text, line.left_out) for line in found.lines] == [
        ("~", "", 7),
        *((" ", each[1:], None) for each in same[7:]),
        *(("-", "old", None), ("+", "new", None)),
        *((" ", each[1:], None) for each in same[:2]),
        ("~", "", 5),
        *((" ", each[1:], None) for each in same[7:]),
        ("+", "more", None),
        *((" ", each[1:], None) for each in same[:2]),
    ]
    assert (found.hidden, found.added, found.removed) == (diff.hidden, 2, 1)
    assert [line.new for line in found.lines if line.sign == "+"] == [10, 20]


def test_gaps_that_meet_folded_lines_are_one() -> None:
    text = "     ...\n  8 a\n  9 b\n 10 c\n-11 d\n 12 e\n 13 f\n     ..."
    assert [(line.sign, line.left_out) for line in folded(diff_of_text(text, 100), 1).lines] == [
        ("~", 9),
        (" ", None),
        ("-", None),
        (" ", None),
        ("~", None),
    ]
    assert folded(diff_of_text("  1 a\n  2 b", 100), 0).lines == diff_of_text("  1 a\n  2 b", 100).lines
