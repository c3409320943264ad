"""What commands print: in its colours, safe, and at the cost of what is shown."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.render.line import Line, ViewOptions
from pi_term.render.sgr import plain_line, plain_lines
from pi_term.render.theme import Theme
from pi_term.render.tools.output import COLLAPSED, finished, head_rows, reason_rows, tail_rows
from pi_term.render.tools.panel import Panel


def panel(theme: Theme, *, expanded: bool = False, width: int = 40) -> Panel:
    return Panel(width, ViewOptions(theme, expanded=expanded), "toolPendingBg")


def texts(rows: Sequence[Line]) -> list[str]:
    return [row.text.strip() for row in rows]


def colour_of(rows: Sequence[Line], text: str) -> str:
    style = next(part.style for row in rows for part in row.segments if part.text == text)
    return style.color.name if style and style.color else ""


@pytest.mark.parametrize("expanded", [False, True])
def test_a_colour_switched_on_above_goes_on(theme: Theme, expanded: bool) -> None:
    text = "\x1b[31mred\n" + "still\n" * 9 + "\x1b[0mplain\nend"
    rows = tail_rows(text, panel(theme, expanded=expanded))
    assert colour_of(rows, "still") == "color(1)"
    assert colour_of(rows, "plain") == colour_of(rows, "end") != "color(1)"


def test_a_colour_goes_on_over_a_carriage_return(theme: Theme) -> None:
    rows = tail_rows("\x1b[32m10%\r100%\x1b[0m", panel(theme))
    assert texts(rows) == ["100%"]
    assert colour_of(rows, "100%") == "color(2)"


@pytest.mark.parametrize(
    "control",
    ["\x1b[2J", "\x1b[5;5H", "\x1b[A", "\x1b]0;t\x07", "\x1b]52;c;x\x07", "\x1bc", "\x07", "\b", "\x9b1A"],
)
@pytest.mark.parametrize("expanded", [False, True])
def test_nothing_moves_the_cursor(theme: Theme, control: str, expanded: bool) -> None:
    for rows in (
        tail_rows(f"a{control}b", panel(theme, expanded=expanded)),
        head_rows(f"a{control}b", panel(theme)),
    ):
        assert texts(rows) == ["ab"]


def test_lines_that_the_tool_left_out_count(theme: Theme) -> None:
    rows = tail_rows("\n".join("abcdefgh"), panel(theme), before=1000)
    assert texts(rows) == ["…1,003 earlier lines, ctrl+o", *"defgh"]
    assert texts(tail_rows("a", panel(theme, expanded=True), before=7)) == ["…7 earlier lines", "a"]


def test_the_beginning_of_an_escape_is_not_shown_while_more_may_come() -> None:
    for cut in ("\x1b", "\x1b[", "\x1b[3", "\x1b[38;5;", "\x1b]", "\x1b]8;;http://x"):
        assert finished(f"text{cut}") == "text"
    for whole in ("text\x1b[31m", "text\x1b[31mmore", "a\x1b]x", "", "text"):
        assert finished(whole) == whole


def test_expanding_much_output_makes_only_what_is_looked_at(
    theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = 0
    original = Panel.rows

    def counting(self: Panel, *args: object, **more: object) -> list[Line]:
        nonlocal drawn
        drawn += 1
        return original(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Panel, "rows", counting)
    text = "\n".join(f"\x1b[3{n % 8}mline {n}" for n in range(2000))
    rows = tail_rows(text, panel(theme, expanded=True))
    assert len(rows) == 2000
    assert texts(rows[1000:1010]) == [f"line {n}" for n in range(1000, 1010)]
    assert drawn == 10


def test_long_lines_count_as_the_rows_they_fill(theme: Theme) -> None:
    rows = tail_rows("short\n" + "\x1b[1m" + "x" * 100, panel(theme, expanded=True, width=42))
    assert len(rows) == len(list(rows)) == 4


def test_reasons_are_prose(theme: Theme) -> None:
    rows = reason_rows("It was not found here,\x1b[31m nor there", panel(theme, width=22))
    assert texts(rows) == ["It was not found", "here, nor there"]
    assert len(reason_rows("x\n" * 50, panel(theme))) == COLLAPSED + 1


PIECES = ["a", "\t", "中", "\x1b[31m", "\x1b[0m", "\x1b", "[2J", "\x1b[2J", "\r", "\x1b]0;t\x07", "\x9b1m"]


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), max_size=5))
def test_many_lines_are_plain_as_each_of_them_is(lines: list[str]) -> None:
    assert plain_lines(lines) == [plain_line(line) for line in lines]
