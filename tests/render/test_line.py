"""Copying rows gives the source: no decoration, no padding, no breaks that were only layout."""

from __future__ import annotations

import pytest
from rich.segment import Segment

from pi_term.render.joined import JoinedLines
from pi_term.render.line import Line, copied_text


def line(drawn: str, source: str, *, soft: bool = False, indent: int = 0) -> Line:
    return Line((Segment(drawn),), source, soft, indent=indent)


def test_wrapped_rows_are_copied_as_one_line() -> None:
    rows = [
        line("one two", "one two ", soft=True),
        line("three", "three"),
        line("", ""),
        line("end  ", "end  "),
    ]
    assert copied_text(rows) == "one two three\n\nend"


def test_joined_rows_are_one_sequence() -> None:
    rows = [line(str(n), str(n)) for n in range(6)]
    growing = rows[:2]
    joined = JoinedLines([growing, [], rows[2:5], rows[5:]])
    growing.append(line("later", "later"))
    assert list(joined) == rows
    assert [joined[n] for n in range(6)] == rows
    assert joined[-1] is rows[5]
    assert joined[1:5] == rows[1:5]
    assert joined[::-1] == rows[::-1]
    assert joined[4:2] == []
    assert len(joined) == 6
    with pytest.raises(IndexError):
        joined[6]


def test_no_rows() -> None:
    assert list(JoinedLines([])) == []
    assert JoinedLines([[]])[0:5] == []
