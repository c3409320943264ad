"""Keys reported as numbers: the Kitty keyboard protocol, xterm's modifyOtherKeys and modified function keys.

A report is `CSI code:shifted:base ; modifiers:event ; text F`, every part but the first optional, with F one
of `u ~ A B C D E F H P Q R S Z`, or `CSI 27 ; modifiers ; code ~`. Numbers are decimal; `modifiers` is one
more than a sum of bits; `event` is 1 (press), 2 (repeat) or 3 (release).
"""

from __future__ import annotations

import re

from textual._keyboard_protocol import FUNCTIONAL_KEYS, MODIFIER_FUNCTIONAL_KEYS
from textual.events import Key

from pi_term.base.dataclass import dataclass
from pi_term.tui.driver.keys import chord, key_name

_NUMBERS = re.compile(rb"[\d;:]*")
_TOO_LONG = re.compile(rb"\d{8}")
_FINALS = frozenset(b"u~ABCDEFHPQRSZ")
_RELEASE = 3
_MODIFIERS = ("shift", "alt", "ctrl", "super", "hyper", "meta")
_CAPS_LOCK = 64
_COMMANDS = frozenset({"ctrl", "super", "hyper", "meta"})
_SILENT_KEYS = frozenset({*MODIFIER_FUNCTIONAL_KEYS, "caps_lock", "scroll_lock", "num_lock"})
_EDITING_KEYS = {"enter": "\r", "tab": "\t", "backspace": "\x7f", "escape": "\x1b"}
_LARGEST_CODE = 0x10FFFF


@dataclass(frozen=True, slots=True)
class _Press:
    """One key press as reported. Characters are None where the report has none that can be typed."""

    character: str | None
    function: str | None
    shifted: str | None
    base: str | None
    modifiers: frozenset[str]
    caps_lock: bool
    text: str


def modern_keys(parameters: bytes, final: int) -> list[Key] | None:
    """The key events that `CSI parameters final` stands for.

    Empty for a report that must go unnoticed (a release, a lone modifier); None when this is no such report.
    """
    if final not in _FINALS or _NUMBERS.fullmatch(parameters) is None:
        return None
    if _TOO_LONG.search(parameters):
        return []
    fields = [[_number(part) for part in field.split(b":")] for field in parameters.split(b";")]
    if final == ord("~") and fields[0] == [27] and len(fields) == 3:
        # xterm reports the character with Shift applied, so it is its own shifted form.
        fields = [fields[2][:1] * 2, fields[1]]
        final = ord("u")
    if len(fields) > 3 or (final == ord("u") and fields[0][0] is None):
        return None
    press = _press(fields, final)
    if press is None:
        return None
    released = len(fields) > 1 and fields[1][1:2] == [_RELEASE]
    if released or press.function in _SILENT_KEYS:
        return []
    return _key_events(press)


def _number(digits: bytes) -> int | None:
    return int(digits) if digits else None


def _character(code: int | None) -> str | None:
    """The character of a code point that can be text; None for controls and what is no character."""
    if code is None or code > _LARGEST_CODE or code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000:
        return None
    return chr(code)


def _key_character(code: int | None) -> str | None:
    # Kitty numbers its keys without a character in this private area.
    return None if code is not None and 0xE000 <= code < 0xF900 else _character(code)


def _press(fields: list[list[int | None]], final: int) -> _Press | None:
    code = fields[0][0]
    function = _function(1 if code is None else code, final)
    character = _key_character(code) if final == ord("u") else None
    text = "".join(filter(None, map(_character, fields[2]))) if len(fields) > 2 else ""
    if function is None and character is None and not text:
        # Code 0 carries only text, as from an input method; without text there is nothing to report.
        return None
    modifiers = max(0, (fields[1][0] or 1) - 1) if len(fields) > 1 else 0
    if final == ord("R") and not 0 < modifiers < 8 and len(fields) > 1:
        return None  # a cursor position
    names = {name for bit, name in enumerate(_MODIFIERS) if modifiers & 1 << bit}
    alternates = [*fields[0][1:3], None, None]
    return _Press(
        character=character,
        function=function,
        shifted=_key_character(alternates[0]),
        base=_key_character(alternates[1]),
        modifiers=frozenset(names | {"shift"} if final == ord("Z") else names),
        caps_lock=bool(modifiers & _CAPS_LOCK),
        text=text,
    )


def _function(code: int, final: int) -> str | None:
    if final == ord("Z"):
        return "tab" if code == 1 else None
    if final == ord("u") and code == 8:
        return "backspace"
    return FUNCTIONAL_KEYS.get(f"{code}{chr(final)}")


def _key_events(press: _Press) -> list[Key]:
    if text := _typed_text(press):
        keep_shift = "shift" in press.modifiers
        return [_typed_key(character, keep_shift) for character in text]
    if press.function is not None:
        name = press.function
        if press.modifiers:
            return [Key(chord(press.modifiers, name), None)]
        return [Key(name, _EDITING_KEYS.get(name))]
    return [Key(_chord_name(press), None)]


def _typed_key(character: str, shift: bool) -> Key:
    name = key_name(character)
    return Key(chord({"shift"}, name) if shift and character.isspace() else name, character)


def _typed_text(press: _Press) -> str:
    """What the press types: empty for a chord and for a key that only acts."""
    if press.function in _EDITING_KEYS:
        return ""
    if press.modifiers & _COMMANDS:
        # Right Alt (AltGr) is reported as Ctrl+Alt by some; only then does a command chord carry text.
        return press.text if {"ctrl", "alt"} <= press.modifiers else ""
    if "alt" in press.modifiers:
        # macOS composes characters with Option; the plain character says that nothing was composed.
        return "" if press.text in {press.character, press.shifted, _upper(press)} else press.text
    if press.text or press.function is not None:
        return press.text
    return _upper(press) or ""


def _upper(press: _Press) -> str | None:
    """The character with Shift or Caps Lock applied."""
    character = press.character
    shift = "shift" in press.modifiers
    if character is None or not (shift or press.caps_lock):
        return character
    if shift and press.shifted not in (None, character):
        return press.shifted
    upper = character.upper()
    return upper if len(upper) == 1 else character


def _chord_name(press: _Press) -> str:
    character, shifted = press.character or " ", press.shifted
    if not character.isascii() and press.base is not None and press.base.isascii():
        # Another alphabet: shortcuts go by the place of the key on a Latin keyboard.
        character, shifted = press.base, None
    modifiers = set(press.modifiers)
    lower = character.lower()
    if lower != character and len(lower) == 1:
        character = lower
        modifiers.add("shift")
    elif "shift" in modifiers and shifted is not None and not (shifted.isalpha() or shifted.isspace()):
        # Legacy terminals send the symbol itself (Alt+?), never Shift with the symbol below it.
        character = shifted
        modifiers.discard("shift")
    return chord(modifiers, key_name(character))
