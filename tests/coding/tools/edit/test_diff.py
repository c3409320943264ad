"""The details of an edit, as Pi's session files have them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.coding.tools.edit.align import MAX_COMPARED, Span, aligned
from pi_term.coding.tools.edit.apply import Edit, locate
from pi_term.coding.tools.edit.diff import EditDiff
from pi_term.coding.tools.edit.source import Source


def details(before: str, *pairs: tuple[str, str], name: str = "f") -> tuple[str, str, int]:
    source = Source(before.encode())
    found = EditDiff(source, locate(source, [Edit(*pair) for pair in pairs], name), name).details()
    return found["diff"], found["patch"], found["firstChangedLine"]


def rows(first: int, last: int) -> str:
    return "".join(f"row {number}\n" for number in range(first, last + 1))


def test_one_line() -> None:
    before = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"
    assert details(before, ("return 1", "return 10"), name="one.py") == (
        " 1 def a():\n-2     return 1\n+2     return 10\n 3 \n 4 \n 5 def b():\n 6     return 2",
        "--- one.py\n+++ one.py\n@@ -1,6 +1,6 @@\n def a():\n-    return 1\n+    return 10\n \n \n def b():\n"
        "     return 2\n",
        2,
    )


def test_context_has_old_numbers_and_added_lines_new_ones() -> None:
    assert details("x = 1\ny = 2\nz = 3\nend\n", ("x = 1\n", "x\nx\n"), ("z = 3", "z = 300\nw = 4"))[0] == (
        "-1 x = 1\n+1 x\n+2 x\n 2 y = 2\n-3 z = 3\n+4 z = 300\n+5 w = 4\n 4 end"
    )


def test_far_changes_are_hunks_of_their_own() -> None:
    diff, patch, first = details(rows(1, 100), ("row 5\n", "row five\n"), ("row 95\n", "row ninety-five\n"))
    assert diff.splitlines() == [
        *(f" {n:>3} row {n}" for n in range(1, 5)),
        "-  5 row 5",
        "+  5 row five",
        *(f" {n:>3} row {n}" for n in range(6, 10)),
        "     ...",
        *(f" {n:>3} row {n}" for n in range(91, 95)),
        "- 95 row 95",
        "+ 95 row ninety-five",
        *(f" {n:>3} row {n}" for n in range(96, 100)),
        "     ...",
    ]
    assert "@@ -1,9 +1,9 @@\n" in patch
    assert "@@ -91,9 +91,9 @@\n row 91\n" in patch
    assert first == 5


def test_changes_join_while_their_context_touches() -> None:
    joined = details(rows(1, 40), ("row 10\n", "X\nY\n"), ("row 19\n", "Q\n"))
    assert "@@ -6,18 +6,19 @@" in joined[1]
    assert "-19 row 19\n+20 Q\n 20 row 20" in joined[0]
    apart = details(rows(1, 40), ("row 10\n", "X\nY\n"), ("row 20\n", "Q\n"))
    assert "@@ -6,9 +6,10 @@" in apart[1]
    assert "@@ -16,9 +17,9 @@" in apart[1]


def test_neighbouring_changes_are_one() -> None:
    assert details("a\nb\n", ("a", "1"), ("b", "2"))[0] == "-1 a\n-2 b\n+1 1\n+2 2"


def test_the_numbers_are_as_wide_as_the_largest() -> None:
    assert details(rows(1, 9), ("row 5", "X"))[0].splitlines()[0] == "  1 row 1"
    assert details(rows(1, 8), ("row 5", "X"))[0].splitlines()[0] == " 1 row 1"
    assert details(rows(1, 98), ("row 98\n", rows(98, 100)))[0].splitlines()[0] == "     ..."


def test_lines_that_stay_are_not_shown_as_changed() -> None:
    diff, patch, first = details("b\n", ("b\n", "a\nb\nc\n"))
    assert diff == "+1 a\n 1 b\n+3 c"
    assert patch.endswith("@@ -1,1 +1,3 @@\n+a\n b\n+c\n")
    assert first == 1


def test_everything_deleted() -> None:
    assert details("gone\n", ("gone\n", "")) == ("-1 gone", "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-gone\n", 1)


def test_lines_joined_by_deleting_the_end_between_them() -> None:
    assert details("a\nb\nc\n", ("a\n", "a"))[0] == "-1 a\n-2 b\n+1 ab\n 3 c"
    assert details("a\nb\nc\n", ("\nb\n", ""))[0] == "-1 a\n-2 b\n-3 c\n+1 ac"
    assert details("a\nb\nc\n", ("\nb", ""))[0] == " 1 a\n-2 b\n 3 c"


def test_a_missing_final_newline_is_told_in_the_patch() -> None:
    diff, patch, _ = details("last line", ("last line", "last line\nmore"))
    assert diff == "-1 last line\n+1 last line\n+2 more"
    assert patch == (
        "--- f\n+++ f\n@@ -1,1 +1,2 @@\n-last line\n\\ No newline at end of file\n"
        "+last line\n+more\n\\ No newline at end of file\n"
    )


def test_line_ends_and_the_mark_are_not_shown() -> None:
    assert details("\ufeffa\r\nb\r\n", ("a", "A"))[0] == "-1 a\n+1 A\n 2 b"


def test_bytes_that_are_no_text_are_shown_as_replaced() -> None:
    source = Source(b"\xff\nb\n")
    found = EditDiff(source, locate(source, [Edit("b", "c")], "f"), "f").details()
    assert found["diff"] == " 1 \ufffd\n-2 b\n+2 c"
    assert found["patch"].encode()


def changed(spans: list[Span]) -> list[tuple[int, int, int, int]]:
    return [(s.old_start, s.old_end, s.new_start, s.new_end) for s in spans if not s.same]


def test_of_very_long_passages_only_what_differs_is_shown() -> None:
    size = int(MAX_COMPARED**0.5) + 10
    old = [f"{n}\n" if n % 3 else "}\n" for n in range(size)]
    new = [*old[:5], "x\n", *old[6:700], *old[702:-3], "y\n", "z\n", *old[-2:]]
    ends = (size - 3, size - 2, size - 5, size - 3)
    assert changed(aligned(old, new)) == [(5, 6, 5, 6), (700, 702, 700, 700), ends]


def test_very_long_passages_without_a_line_of_their_own_are_compared_by_their_ends() -> None:
    size = int(MAX_COMPARED**0.5) + 10
    old = [f"{n % 2}\n" for n in range(size)]
    new = [*old[:5], "x\n", *old[6:-3], "x\n", *old[-2:]]
    assert changed(aligned(old, new)) == [(5, size - 2, 5, size - 2)]


LINES = st.lists(st.sampled_from([f"{n}\n" for n in range(12)]), max_size=24)


@given(LINES, LINES, st.sampled_from((0, 20, MAX_COMPARED)))
def test_spans_cover_both_texts_and_what_is_the_same_is(old: list[str], new: list[str], most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pi_term.coding.tools.edit.align.MAX_COMPARED", most)
        spans = aligned(old, new)
    assert [line for s in spans for line in old[s.old_start : s.old_end]] == old
    assert [line for s in spans for line in new[s.new_start : s.new_end]] == new
    assert all(old[s.old_start : s.old_end] == new[s.new_start : s.new_end] for s in spans if s.same)
    assert all(one.same != other.same for one, other in pairwise(spans))
