"""Names and characters of keys: Textual's names, with the gaps of its legacy table closed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.events import Key
from textual.keys import Keys, _character_to_key

_TABLE_CORRECTIONS = {"\x1bOb": "ctrl+down"}
_SCROLL_PSEUDO_KEYS = frozenset({Keys.ScrollUp, Keys.ScrollDown})


def chord(modifiers: Iterable[str], key: str) -> str:
    """The name of `key` pressed with `modifiers`, in Textual's (alphabetical) order of modifiers."""
    return "+".join([*sorted(modifiers), key])


@lru_cache(maxsize=1024)
def key_name(character: str) -> str:
    """Textual's name of the key for one printable character (`a`, `A`, `full_stop`, `space`)."""
    return _character_to_key(character)


def _control_names() -> dict[str, str]:
    names = {}
    for code in [*range(0x20), 0x7F]:
        entry = ANSI_SEQUENCES_KEYS.get(chr(code))
        if isinstance(entry, tuple):
            names[chr(code)] = entry[0].value
    # The Kitty protocol calls this key ctrl+space; one key must have one name in every terminal.
    names["\x00"] = "ctrl+space"
    return names


CONTROL_NAMES = _control_names()
"""Key name by C0 control character (and DEL)."""


def _legacy_key(sequence: str) -> tuple[str, str | None] | None:
    entry = ANSI_SEQUENCES_KEYS[sequence]
    if isinstance(entry, str):
        return key_name(entry), entry
    if not isinstance(entry, tuple) or entry[0] in _SCROLL_PSEUDO_KEYS:
        return None
    if len(entry) == 2:
        # Textual spells Alt as an Escape before the key; here it is one chord.
        *modifiers, key = entry[1].value.split("+")
        return chord({"alt", *modifiers}, key), None
    return _TABLE_CORRECTIONS.get(sequence, entry[0].value), "\r" if entry[0] is Keys.Enter else None


def _legacy_table() -> dict[bytes, tuple[str, str | None]]:
    table = {}
    for sequence in ANSI_SEQUENCES_KEYS:
        if sequence[:2] in ("\x1b[", "\x1bO") and (key := _legacy_key(sequence)) is not None:
            table[sequence.encode()] = key
    return table


LEGACY_SEQUENCES = _legacy_table()
"""Key name and character by complete `ESC [` or `ESC O` sequence, for what follows no rule."""


def character_key(character: str) -> Key:
    """The key that sends `character` (printable, or a C0 control)."""
    return Key(CONTROL_NAMES.get(character) or key_name(character), character)


def alt_key(character: str) -> Key:
    """The key that sends `ESC` and then `character`.

    The event has no character, so that an unbound chord types nothing.
    """
    if character == "\t":
        # The Linux console sends this for Shift+Tab; window managers keep Alt+Tab for themselves.
        return Key("shift+tab", None)
    if control := CONTROL_NAMES.get(character):
        *modifiers, name = control.split("+")
        return Key(chord({"alt", *modifiers}, name), None)
    lower = character.lower()
    if lower != character and len(lower) == 1:
        return Key(chord({"alt", "shift"}, key_name(lower)), None)
    return Key(chord({"alt"}, key_name(character)), None)


def with_alt(key: Key) -> Key:
    """`key`, pressed with Alt."""
    *modifiers, name = key.key.split("+")
    return Key(chord({"alt", *modifiers}, name), None)
