"""Key names: the syntax of keybinding files and the normal form that events are compared in.

A file says `ctrl+shift+n`, `pageUp`, `ctrl++` or, for a chord, `ctrl+x ctrl+s`. The normal form is
what Textual calls the key: modifiers in alphabetical order, symbols by name (`plus`), a shifted letter
without other modifiers as the capital letter it types.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TypeAlias

Chord: TypeAlias = tuple[str, ...]
"""Normal forms of the keys to press one after the other; most bindings have one."""

_MODIFIERS = ("alt", "ctrl", "shift", "super")
_SYMBOLS = "`-=[]\\;',./!@#$%^&*()_+|~{}:<>?\""
_SHORT_NAMES = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}


def _symbol_name(symbol: str) -> str:
    name = unicodedata.name(symbol).lower().replace("-", "_").replace(" ", "_")
    return _SHORT_NAMES.get(name, name)


_NAME_OF_SYMBOL = {symbol: _symbol_name(symbol) for symbol in _SYMBOLS}
_SYMBOL_OF_NAME = {name: symbol for symbol, name in _NAME_OF_SYMBOL.items()}
_FUNCTION_KEYS = tuple(f"f{number}" for number in range(1, 25))
_SPECIAL = {
    name.lower(): name
    for name in (
        *("escape", "enter", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end"),
        *("pageUp", "pageDown", "up", "down", "left", "right", *_FUNCTION_KEYS),
    )
}
_ALIASES = {"esc": "escape", "return": "enter"}

# One byte stands for several keys where the Kitty protocol is missing: what arrives under the name on
# the left may have been any key on the right.
_LEGACY_TWINS = {
    "ctrl+underscore": ("ctrl+minus", "ctrl+slash"),
    "ctrl+at": ("ctrl+space",),
    "alt+ctrl+underscore": ("alt+ctrl+minus", "alt+ctrl+slash"),
    "alt+ctrl+at": ("alt+ctrl+space",),
}
_LEGACY_CTRL_SYMBOLS = frozenset(
    ("at", "space", "backslash", "right_square_bracket", "circumflex_accent", "underscore", "minus", "slash")
)
# Their control bytes are those of tab, enter, escape and backspace.
_LEGACY_CTRL_TAKEN = frozenset("imh")
_LEGACY_MODIFIABLE = frozenset(
    ("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete", *_FUNCTION_KEYS)
)
_LEGACY_ALT_ONLY = frozenset(("enter", "backspace"))


class KeyNameError(ValueError):
    """A key name that no keyboard has."""


@lru_cache(maxsize=1024)
def parse_key(text: str) -> str:
    """The normal form of one key (`ctrl++` -> `ctrl+plus`); raises `KeyNameError`."""
    modifiers, key = _split(text)
    lowered = [each.lower() for each in modifiers]
    for each in lowered:
        if each not in _MODIFIERS:
            raise KeyNameError(f"unknown modifier {each!r} in {text!r}")
    if len(set(lowered)) < len(lowered):
        raise KeyNameError(f"a modifier is repeated in {text!r}")
    base = _base_name(key)
    if base is None:
        raise KeyNameError(f"unknown key name {text!r}")
    # A capital alone is the character; in `Ctrl+P` it is only how people write the name of a key.
    return _join(set(lowered), base.lower() if lowered else base)


def parse_chord(text: str) -> Chord:
    """The keys of a binding, one or several separated by spaces; raises `KeyNameError`."""
    parts = text.split()
    if not parts:
        raise KeyNameError("a key name is missing")
    return tuple(parse_key(part) for part in parts)


@lru_cache(maxsize=1024)
def from_event(key: str) -> str:
    """The normal form of a key name as an event carries it (`ctrl+@` and other spellings included)."""
    if len(key) == 1:
        return _NAME_OF_SYMBOL.get(key, "space" if key == " " else key)
    modifiers, base = _split(key)
    base = _NAME_OF_SYMBOL.get(base, base)
    return _join(set(modifiers), base) if modifiers else base


def twins(key: str) -> tuple[str, ...]:
    """Other keys, in normal form, that may hide behind `key` in a terminal without the Kitty protocol."""
    return _LEGACY_TWINS.get(key, ())


@lru_cache(maxsize=1024)
def to_text(key: str) -> str:
    """The spelling of keybinding files for a key in normal form (`ctrl+minus` -> `ctrl+-`)."""
    *modifiers, base = key.split("+")
    if len(base) == 1 and base.isupper():
        modifiers, base = [*modifiers, "shift"], base.lower()
    ordered = [each for each in ("ctrl", "shift", "alt", "super") if each in modifiers]
    return "+".join([*ordered, _SYMBOL_OF_NAME.get(base, _SPECIAL.get(base, base))])


def chord_text(chord: Chord) -> str:
    """`to_text` of every key of a chord, separated by spaces."""
    return " ".join(to_text(key) for key in chord)


def needs_kitty(key: str) -> bool:
    """Whether a terminal without the Kitty keyboard protocol has no byte sequence of its own for `key`."""
    *modifiers, base = key.split("+")
    held = set(modifiers)
    if "super" in held:
        return True
    if base in _LEGACY_MODIFIABLE:
        return False
    if base == "tab":
        return bool(held - {"shift"})
    if base in _LEGACY_ALT_ONLY:
        return bool(held - {"alt"})
    if base == "escape":
        return bool(held)
    if base == "clear":
        return True
    if "ctrl" in held:
        plain = len(base) == 1 and base.isalpha() and base not in _LEGACY_CTRL_TAKEN
        return "shift" in held or not (plain or base in _LEGACY_CTRL_SYMBOLS)
    # Without ctrl a terminal sends the character itself, which already contains the shift.
    return "shift" in held and not (len(base) == 1 and base.isalpha())


def is_shifted_symbol(key: str) -> bool:
    """Whether `key` is shift with a digit or symbol: every terminal sends the typed character instead."""
    modifier, _, base = key.rpartition("+")
    return modifier == "shift" and (base in _SYMBOL_OF_NAME or base.isdigit())


def _split(text: str) -> tuple[list[str], str]:
    """Modifiers and key; the key may itself be `+`."""
    if text == "+" or text.endswith("++"):
        return [part for part in text[:-1].split("+") if part], "+"
    *modifiers, key = text.split("+")
    return modifiers, key


def _base_name(key: str) -> str | None:
    if key in _NAME_OF_SYMBOL:
        return _NAME_OF_SYMBOL[key]
    if len(key) == 1 and key.isascii() and key.isalnum():
        return key
    lowered = _ALIASES.get(key.lower(), key.lower())
    return lowered if lowered in _SPECIAL else None


def _join(modifiers: set[str], base: str) -> str:
    if modifiers == {"shift"} and len(base) == 1 and base.isalpha():
        return base.upper()
    return "+".join([*sorted(modifiers), base])
