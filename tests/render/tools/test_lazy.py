"""Rows are made when they are looked at, and as many as were promised."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from pi_term.render.line import Line, ViewOptions
from pi_term.render.theme import Theme
from pi_term.render.tools.lazy import LazyRows, rows_of
from pi_term.render.tools.panel import Panel

PIECES = st.sampled_from(
    ["word ", "\t", "中文", "e\u0301", "👨‍👩‍👧", "\u200d", "👩", "🇩🇪", "🇩", "x" * 9, " ", "\u0301"]
)
LINES = st.lists(PIECES, max_size=12)


@given(LINES, st.integers(1, 30), st.sampled_from([4, 8]))
def test_the_number_of_rows_is_known_beforehand(
    theme: Theme, pieces: list[str], width: int, tab: int
) -> None:
    panel = Panel(width, ViewOptions(theme), "toolPendingBg")
    runs = [(piece, Style(bold=bool(at % 2))) for at, piece in enumerate(pieces)] or [("", Style())]
    assert len(panel.rows(runs, tab=tab)) == rows_of("".join(pieces), panel.room, tab)


@given(st.lists(st.integers(1, 4), max_size=9), st.integers(-40, 40), st.slices(30))
def test_it_is_like_a_list(counts: list[int], index: int, part: slice) -> None:
    rows = [[Line((), f"{line}.{at}") for at in range(count)] for line, count in enumerate(counts)]
    flat = [row for line in rows for row in line]
    lazy = LazyRows(counts, lambda line: rows[line])
    assert len(lazy) == len(flat)
    assert list(lazy) == flat
    assert lazy[part] == flat[part]
    if -len(flat) <= index < len(flat):
        assert lazy[index] is flat[index]
    else:
        with pytest.raises(IndexError):
            lazy[index]


def test_only_what_is_looked_at_is_made_and_kept() -> None:
    made: list[int] = []

    def draw(line: int) -> list[Line]:
        made.append(line)
        return [Line((), ""), Line((), "")]

    rows = LazyRows([2] * 1000, draw)
    assert rows[501] is rows[501]
    assert rows[500] is not rows[501]
    assert rows[-1]
    assert made == [250, 999]
