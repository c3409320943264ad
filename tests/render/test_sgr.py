"""Colours of command output are kept, everything else that could act on the terminal is gone."""

from __future__ import annotations

import pytest
from rich.color import Color
from rich.style import Style

from pi_term.render.sgr import SgrParser

BASE = Style(color="white")


def runs(line: str) -> list[tuple[str, Style]]:
    return [(text, style) for text, style in SgrParser().runs(line, BASE) if text]


def test_plain_text_keeps_the_base_style() -> None:
    assert runs("hello") == [("hello", BASE)]


@pytest.mark.parametrize(
    ("code", "style"),
    [
        ("31", Style(color=Color.from_ansi(1))),
        ("94", Style(color=Color.from_ansi(12))),
        ("42", Style(bgcolor=Color.from_ansi(2))),
        ("1;3;4", Style(bold=True, italic=True, underline=True)),
        ("38;5;208", Style(color=Color.from_ansi(208))),
        ("38;2;1;2;3", Style(color=Color.from_rgb(1, 2, 3))),
        ("38:2::1:2:3", Style(color=Color.from_rgb(1, 2, 3))),
        ("4:3", Style(underline=True)),
        ("48;2;999;0;0", Style(bgcolor=Color.from_rgb(255, 0, 0))),
    ],
)
def test_sequences_become_styles(code: str, style: Style) -> None:
    assert runs(f"a\x1b[{code}mb\x1b[mc") == [("a", BASE), ("b", BASE + style), ("c", BASE)]


def test_a_colour_goes_on_in_the_next_line() -> None:
    parser = SgrParser()
    parser.runs("\x1b[31mred", BASE)
    assert parser.runs("still", BASE) == [("still", BASE + Style(color=Color.from_ansi(1)))]


def test_switching_one_thing_off_keeps_the_others() -> None:
    red = Style(color=Color.from_ansi(1))
    assert runs("\x1b[1;31ma\x1b[22mb\x1b[39mc") == [
        ("a", BASE + red + Style(bold=True)),
        ("b", BASE + red),
        ("c", BASE),
    ]


@pytest.mark.parametrize("noise", ["\x1b[38m", "\x1b[38;9m", "\x1b[38;5m", "\x1b[;;m", "\x1b[1234567m"])
def test_broken_sequences_do_no_harm(noise: str) -> None:
    assert "".join(text for text, _ in runs(f"a{noise}b")) == "ab"


@pytest.mark.parametrize("unsafe", ["\x1b[2J", "\x1b]0;t\x07", "\x1b[6n", "\x1bc", "\x9b2J", "\x07"])
def test_what_is_no_colour_is_removed(unsafe: str) -> None:
    assert runs(f"a{unsafe}b") == [("ab", BASE)]


def test_of_a_progress_bar_the_last_state_is_shown() -> None:
    assert runs("10%\r50%\r100%\r") == [("100%", BASE)]
