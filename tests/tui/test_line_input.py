"""The line in which a list is searched, or something in it named."""

from __future__ import annotations

from textual import events

from pi_term.tui.keymap.resolver import KeyResolver
from pi_term.tui.keymap.table import load_table
from pi_term.tui.line_input import LineInput


def pressed(text: str, *keys: str) -> str:
    """What is shown after these keys; a bar is where the cursor is."""
    line = LineInput(KeyResolver(load_table()[0]), text)
    for key in keys:
        line.press(events.Key(key, key if len(key) == 1 else None))
    return line.shown


def test_editing_keys_are_those_of_the_editor() -> None:
    assert pressed("my name", "!") == "my name!▏"
    assert pressed("my name", "backspace", "left", "x") == "my nax▏m"
    assert pressed("my name", "ctrl+w") == "my ▏"
    assert pressed("my name", "alt+left", "ctrl+u") == "▏name"
    assert pressed("my name", "home", "ctrl+right", "ctrl+k") == "my▏"
    assert pressed("my name", "ctrl+a", "delete", "end") == "y name▏"
    assert pressed("x", "left", "left", "backspace") == "▏x"


def test_what_edits_nothing_is_left_to_others() -> None:
    line = LineInput(KeyResolver(load_table()[0]), "x")
    assert not line.press(events.Key("f5", None))
    assert not line.press(events.Key("up", None))
    assert line.text == "x"


def test_a_paste_of_several_lines_becomes_one() -> None:
    line = LineInput(KeyResolver(load_table()[0]))
    line.insert("two\nlines")
    line.insert("y" * 1_000)
    assert line.text.startswith("two lines")
    assert len(line.text) == 500
