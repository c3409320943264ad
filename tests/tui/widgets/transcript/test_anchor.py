"""A line is found again when its block got other rows."""

from __future__ import annotations

from typing import Any

import pytest
from rich.segment import Segment

from pi_term.render.line import Line
from pi_term.tui.widgets.transcript.anchor import Anchor

LOOK = (40, False, False)


def lines(*texts: str) -> list[Line]:
    return [Line((Segment(text),), text) for text in texts]


def settled(old: list[Line], at: int, new: list[Line], *, rewrapped: bool = False) -> int:
    item: Any = None
    anchor = Anchor(item, at)
    anchor.settle(old, LOOK)
    anchor.settle(new, (20, False, False) if rewrapped else LOOK)
    return anchor.line


@pytest.mark.parametrize("rewrapped", [False, True])
def test_rows_added_above_and_below_do_not_matter(rewrapped: bool) -> None:
    old = lines("a", "b", "c")
    assert settled(old, 1, lines("x", "y", "a", "b", "c", "z"), rewrapped=rewrapped) == 3


def test_a_status_that_changes_above_does_not_matter() -> None:
    assert settled(lines("running 1 s", "out 1", "out 2"), 2, lines("done 2 s", "out 1", "out 2")) == 2


def test_rows_that_are_gone_leave_the_nearest_place() -> None:
    assert settled(lines("a", "b", "c", "d"), 3, lines("e", "f")) == 1


def test_an_empty_row_stays_an_empty_row() -> None:
    old = lines("one two", "", "three")
    assert settled(old, 1, lines("one", "two", "", "three"), rewrapped=True) == 2


def test_the_first_row_stays_the_first() -> None:
    assert settled(lines("", "a"), 0, lines("", "", "a")) == 0


def test_the_unfinished_end_may_be_rewritten() -> None:
    old = lines("head", "| a | b |", "|---|")
    assert settled(old, 1, lines("head", "a  b", "----")) == 1
