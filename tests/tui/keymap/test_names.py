"""Key names: one normal form, equal to Textual's, whatever the spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.keys import _character_to_key

from pi_term.tui.keymap.names import (
    KeyNameError,
    chord_text,
    from_event,
    is_shifted_symbol,
    needs_kitty,
    parse_chord,
    parse_key,
    to_text,
    twins,
)

SYMBOLS = "`-=[]\\;',./!@#$%^&*()_+|~{}:<>?"
PLAIN = [
    *"abcxyz0189",
    *SYMBOLS,
    *("escape", "enter", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end"),
    *("pageUp", "pageDown", "up", "down", "left", "right", "f1", "f12"),
]
keys = st.builds(
    lambda modifiers, key: "+".join([*modifiers, key]),
    st.lists(st.sampled_from(["ctrl", "shift", "alt", "super"]), unique=True),
    st.sampled_from(PLAIN),
)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("ctrl+shift+n", "ctrl+shift+n"),
        ("shift+ctrl+n", "ctrl+shift+n"),
        ("pageUp", "pageup"),
        ("PAGEUP", "pageup"),
        ("esc", "escape"),
        ("return", "enter"),
        ("+", "plus"),
        ("ctrl++", "ctrl+plus"),
        ("-", "minus"),
        ("ctrl+-", "ctrl+minus"),
        ("ctrl+alt+]", "alt+ctrl+right_square_bracket"),
        ("super+k", "super+k"),
        ("alt+left", "alt+left"),
        ("shift+l", "L"),
        ("L", "L"),
        ("alt+shift+z", "alt+shift+z"),
        ("Alt+Z", "alt+z"),
        ("Ctrl+Shift+P", "ctrl+shift+p"),
        ("space", "space"),
    ],
)
def test_spellings(text: str, normal: str) -> None:
    assert parse_key(text) == normal


@pytest.mark.parametrize(
    "text", ["", "ctrl", "ctrl+", "foo", "hyper+k", "ctrl+ctrl+a", "ctrl+foo", "ö", "f25"]
)
def test_names_that_no_keyboard_has_are_refused(text: str) -> None:
    with pytest.raises(KeyNameError):
        parse_key(text)


@given(keys)
def test_a_key_survives_the_way_to_text_and_back(text: str) -> None:
    normal = parse_key(text)
    assert parse_key(to_text(normal)) == normal
    assert from_event(normal) == normal


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_symbols_have_the_names_that_textual_gives_them(symbol: str) -> None:
    assert parse_key(symbol) == _character_to_key(symbol)
    assert parse_key(f"ctrl+{symbol}") == f"ctrl+{_character_to_key(symbol)}"
    assert from_event(symbol) == parse_key(symbol)


def test_event_names_of_other_spellings() -> None:
    assert from_event("ctrl+@") == "ctrl+at"
    assert from_event("shift+ctrl+p") == "ctrl+shift+p"
    assert from_event(" ") == "space"
    assert from_event("ü") == "ü"


def test_chords_are_keys_separated_by_spaces() -> None:
    assert parse_chord("ctrl+x  ctrl+s") == ("ctrl+x", "ctrl+s")
    assert chord_text(("ctrl+x", "ctrl+minus")) == "ctrl+x ctrl+-"
    with pytest.raises(KeyNameError):
        parse_chord("  ")


def test_a_legacy_control_byte_stands_for_several_keys() -> None:
    assert "ctrl+minus" in twins("ctrl+underscore")
    assert twins("ctrl+a") == ()


@pytest.mark.parametrize(
    ("key", "out_of_reach"),
    [
        *(
            (key, True)
            for key in ("ctrl+shift+n", "shift+enter", "ctrl+enter", "super+k", "ctrl+1", "ctrl+i")
        ),
        *((key, True) for key in ("ctrl+m", "ctrl+tab", "shift+space", "ctrl+backspace", "ctrl+.")),
        *(
            (key, False)
            for key in ("ctrl+p", "alt+enter", "alt+shift+t", "shift+tab", "ctrl+alt+]", "shift+l")
        ),
        *(
            (key, False)
            for key in ("ctrl+-", "ctrl+shift+up", "alt+backspace", "shift+f5", "?", "alt+.", "ctrl+z")
        ),
    ],
)
def test_what_a_terminal_without_kitty_can_send(key: str, out_of_reach: bool) -> None:
    assert needs_kitty(parse_key(key)) is out_of_reach


def test_shift_with_a_symbol_is_sent_by_none() -> None:
    assert is_shifted_symbol(parse_key("shift+1"))
    assert is_shifted_symbol(parse_key("shift+-"))
    assert not is_shifted_symbol(parse_key("shift+a"))
    assert not is_shifted_symbol(parse_key("shift+tab"))
    assert not is_shifted_symbol(parse_key("!"))
