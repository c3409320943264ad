"""Lines cut to a few rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from pi_term.render.line import ViewOptions, copied_text
from pi_term.render.theme import Theme
from pi_term.render.tools.panel import Panel

TEXT = st.lists(st.sampled_from(["abc ", "中", "e\u0301", "\t", "👨‍👩‍👧", "\u0301"]), max_size=40).map(
    "".join
)


@given(TEXT, st.integers(1, 30), st.integers(1, 3))
def test_cut_lines_fit_and_are_copied_whole(theme: Theme, text: str, width: int, most: int) -> None:
    panel = Panel(width, ViewOptions(theme), "toolPendingBg")
    rows = panel.cut_rows([(text, Style())], most)
    assert 1 <= len(rows) <= most
    assert all(row.cell_length == width for row in rows)
    assert copied_text(rows) == text.rstrip(" ")
    assert not rows[-1].soft_wrapped


def test_an_ellipsis_tells_where_a_line_is_cut(theme: Theme) -> None:
    panel = Panel(10, ViewOptions(theme), "toolPendingBg")
    assert panel.cut_rows([("12345678", Style())])[0].text == "  12345678"
    assert panel.cut_rows([("123456789", Style())])[0].text == "  1234567…"
    assert [row.text for row in panel.cut_rows([("1" * 40, Style())], 2)] == ["  11111111", "  1111111…"]


def test_of_a_huge_line_only_the_beginning_is_looked_at(theme: Theme) -> None:
    panel = Panel(10, ViewOptions(theme), "toolPendingBg")
    row = panel.cut_rows([("x" * 1_000_000, Style())])[0]
    assert len(row.segments) < 5
    assert len(row.source_text) == 1_000_000
