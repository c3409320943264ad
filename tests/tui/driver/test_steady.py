"""B-053: rows are right on terminals that measure emoji in another way."""

from __future__ import annotations

import re

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pi_term.tui.driver.steady import steady

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
DOUBTFUL = [FAMILY, "🇩🇪", "☺\ufe0f", "1\ufe0f\u20e3", "👍🏽", "⚡", "✅", "नि", "🫨"]
SURE = ["a", "é", "漢", "│", "●", "✓", "→", "한", "я", "⠙"]


def shown(frame: str, *, columns: int = 40, before: str = "") -> list[str]:
    """The cells of the first row as pyte sees them, which joins nothing and knows no selectors."""
    screen = pyte.Screen(columns, 2)
    pyte.Stream(screen).feed("\x1b[?7l" + before + frame)
    return [screen.buffer[0][column].data for column in range(columns)]


@pytest.mark.parametrize("character", DOUBTFUL)
def test_what_follows_stands_where_it_belongs(character: str) -> None:
    row = f"ab{character}END"
    row += " " * (40 - cell_len(row))
    cells = shown(steady(f"\x1b[1;1H\x1b[31m{row}\x1b[0m\x1b[1;1H"))
    at = 2 + cell_len(character)
    assert "".join(cells[:2]) == "ab"
    assert "".join(cells[at:]).rstrip() == "END"


@pytest.mark.parametrize("character", ["☺\ufe0f", "1\ufe0f\u20e3"])
def test_nothing_stays_of_what_was_there(character: str) -> None:
    """Pyte takes these for narrow ones: the cell behind must not keep its old content."""
    cells = shown(steady(f"\x1b[1;3H{character}|"), before="\x1b[1;1Hoooooooo")
    assert cells[3:6] == [" ", "|", "o"]


def test_the_column_is_that_of_the_last_move() -> None:
    frame = steady(f"\x1b[1;1Hxx\x1b[7;31H{FAMILY}\r\n{FAMILY}!")
    assert frame.endswith(f"  \x1b[31G{FAMILY}\x1b[33G\r\n  \x1b[1G{FAMILY}\x1b[3G!")


def test_other_sequences_are_left_alone() -> None:
    link = "\x1b]8;id=1;http://x/\x1b\\\x1b[4;38;2;1;2;3mlink\x1b[0m\x1b]8;;\x1b\\"
    assert steady(f"\x1b[1;1H{link}✅") == f"\x1b[1;1H{link}  \x1b[5G✅\x1b[7G"


@given(st.lists(st.sampled_from([*DOUBTFUL, *SURE, " ", "\x1b[1m", "\x1b[0m"])))
def test_only_moves_and_blanks_are_added(pieces: list[str]) -> None:
    frame = "\x1b[3;5H" + "".join(pieces)
    assert re.sub(r" |\x1b\[\d+G", "", steady(frame)) == frame.replace(" ", "")


@given(st.lists(st.sampled_from([*SURE, " ", "\x1b[1m"])))
def test_ordinary_frames_stay_as_they_are(pieces: list[str]) -> None:
    frame = "\x1b[1;1H" + "".join(pieces)
    assert steady(frame) is frame


def test_the_quick_look_lets_only_through_what_all_terminals_agree_on() -> None:
    from pi_term.tui.driver import steady as module

    unsure = module._unsure()
    for code in range(0x11_0000):
        character = chr(code)
        assert module._FOREIGN.match(character) or not unsure.match(character), hex(code)
