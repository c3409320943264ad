"""Title, progress and notifications: what is wanted reaches the terminal, and nothing else does."""

from __future__ import annotations

import pytest

from pi_term.coding.settings.schema import NotifyBy
from pi_term.tui.driver.surroundings import Surroundings, notification, notify_by

XTERM = {"TERM": "xterm-256color", "PI_PROGRAM_STATUS": "0"}
EVIL = "a\x1b]52;c;aGk=\x07b\x1b\\c\n\x9d0;x\x9c;d"


def test_the_title_of_the_shell_comes_back() -> None:
    around = Surroundings(XTERM)
    assert around.enter() == ""
    assert around.leave() == ""
    assert around.title("one") == "\x1b[22;0t\x1b]0;one\x07"
    assert around.title("one") == ""
    assert around.title("two") == "\x1b]0;two\x07"
    assert around.leave() == "\x1b[23;0t"
    assert around.enter() == "\x1b[22;0t\x1b]0;two\x07"


def test_progress_is_taken_away() -> None:
    around = Surroundings(XTERM)
    assert around.progress(False) == ""
    assert around.progress(True) == "\x1b]9;4;3\x07"
    assert around.leave() == "\x1b]9;4;0\x07"
    assert around.enter() == "\x1b]9;4;3\x07"
    assert around.progress(False) == "\x1b]9;4;0\x07"
    assert around.leave() == ""


@pytest.mark.parametrize("term", ["linux", "dumb", ""])
def test_terminals_without_a_title_get_none(term: str) -> None:
    around = Surroundings({"TERM": term})
    assert around.title("x") == around.enter() == around.leave() == ""


@pytest.mark.parametrize("by", ["osc9", "osc99", "osc777"])
def test_no_name_ends_a_sequence(by: NotifyBy) -> None:
    shown = notification(by, EVIL, EVIL, XTERM)
    inside = shown.replace("\x1b\\", "\x07").replace("\x1b]", "").split("\x07")
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for text in inside for char in text)
    assert "52;c" not in shown
    assert Surroundings(XTERM).title(EVIL) == "\x1b[22;0t\x1b]0;abc ;d\x07"


def test_a_semicolon_does_not_move_the_text_of_a_notification() -> None:
    assert notification("osc777", "a;b", "c;d", XTERM) == "\x1b]777;notify;a,b;c;d\x07"


@pytest.mark.parametrize(
    ("environ", "by"),
    [
        (XTERM, "bell"),
        ({"TERM": "xterm-kitty"}, "osc99"),
        ({**XTERM, "TERM_PROGRAM": "WezTerm"}, "osc9"),
        ({**XTERM, "TERM_PROGRAM": "iTerm.app"}, "osc9"),
        ({"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"}, "osc777"),
        ({"TERM": "foot"}, "osc777"),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/x", "TERM_PROGRAM": "WezTerm"}, "bell"),
        ({"TERM": "screen.xterm-kitty"}, "bell"),
    ],
)
def test_a_terminal_is_asked_for_what_it_understands(environ: dict[str, str], by: NotifyBy) -> None:
    assert notify_by(environ) == by


def test_off_is_silent_and_a_choice_counts() -> None:
    assert notification("off", "a", "b", XTERM) == ""
    assert notification("bell", "a", "b", XTERM) == notification("auto", "a", "b", XTERM) == "\x07"
    assert notification("osc9", "pi-term", "done", XTERM) == "\x1b]9;pi-term: done\x07"
