"""Hunks: together they are the whole difference, each can be taken back by itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_term.coding.changes.hunks import hunks_of, without

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"\xff\n", b"\n", b"d\x0bx\n"]), max_size=40)
FILES = st.tuples(LINES, st.sampled_from([b"", b"end", b"\xe4"])).map(
    lambda pair: b"".join(pair[0]) + pair[1]
)


@given(FILES, FILES)
def test_taking_back_every_hunk_leads_back(old: bytes, new: bytes) -> None:
    rest = new
    for hunk in reversed(hunks_of(old, new)):  # from the end, so that line numbers stay true
        rest = without(rest, old, hunk)
    assert rest == old


@given(FILES)
def test_what_is_the_same_has_none(data: bytes) -> None:
    assert hunks_of(data, data) == []


def test_a_hunk_by_itself() -> None:
    old = b"".join(b"%d\n" % number for number in range(1, 31))
    new = old.replace(b"\n3\n", b"\nthree\n").replace(b"\n25\n", b"\n25\nand a half\n")
    first, second = hunks_of(old, new)
    assert (first.added, first.removed, first.place) == (1, 1, "line 3")
    assert (second.added, second.removed, second.place) == (1, 0, "line 26")
    assert without(new, old, first) == old.replace(b"\n25\n", b"\n25\nand a half\n")
    assert without(new, old, second) == old.replace(b"\n3\n", b"\nthree\n")
    assert first.text.split("\n") == [
        "  1 1",
        "  2 2",
        "- 3 3",
        "+ 3 three",
        "  4 4",
        "  5 5",
        "  6 6",
    ]


def test_near_changes_are_one_hunk() -> None:
    old = b"".join(b"%d\n" % number for number in range(1, 31))
    new = old.replace(b"\n3\n", b"\nthree\n").replace(b"\n9\n", b"\nnine\n")
    assert len(hunks_of(old, new)) == 1
