"""What terminals send for a key: for tests that press keys as bytes."""

from __future__ import annotations

from typing import Literal, TypeAlias

Protocol: TypeAlias = Literal["legacy", "modifyOtherKeys", "kitty"]

_BITS = {"shift": 1, "alt": 2, "ctrl": 4, "super": 8}
_CODES = {"escape": 27, "enter": 13, "tab": 9, "backspace": 127, "space": 32}
_LETTERS = {"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
_LETTERS |= {"f1": "P", "f2": "Q", "f3": "R", "f4": "S"}
_NUMBERS = {"insert": 2, "delete": 3, "pageup": 5, "pagedown": 6}
_PLAIN = {"escape": "\x1b", "enter": "\r", "tab": "\t", "backspace": "\x7f", "space": " "}


def key_bytes(key: str, protocol: Protocol) -> bytes | None:
    """The bytes for a key as keymaps name it (`ctrl+shift+p`); None where the terminal cannot tell it."""
    *modifiers, name = key.lower().split("+") if not key.endswith("++") else (*key[:-2].split("+"), "+")
    bits = sum(_BITS[each] for each in modifiers)
    function = _function_key(name, bits)
    if function is not None:
        return function.encode()
    code = _CODES.get(name) or ord(name)
    if protocol == "kitty":
        return (f"\x1b[{code};{bits + 1}u" if bits else f"\x1b[{code}u").encode()
    legacy = _legacy(name, set(modifiers))
    if legacy is None and protocol == "modifyOtherKeys":
        return f"\x1b[27;{bits + 1};{code}~".encode()
    return None if legacy is None else legacy.encode()


def key_release(key: str) -> bytes:
    """What the Kitty protocol tells of a key that is let go."""
    data = key_bytes(key, "kitty")
    assert data is not None
    body, final = data[2:-1].decode(), chr(data[-1])
    number, _, bits = body.partition(";")
    return f"\x1b[{number or 1};{bits or 1}:3{final}".encode()


def _function_key(name: str, bits: int) -> str | None:
    """Arrows and the like: the same bytes in all protocols."""
    if name in _LETTERS:
        start = "\x1bO" if name.startswith("f") else "\x1b["
        return f"\x1b[1;{bits + 1}{_LETTERS[name]}" if bits else f"{start}{_LETTERS[name]}"
    if name in _NUMBERS:
        return f"\x1b[{_NUMBERS[name]};{bits + 1}~" if bits else f"\x1b[{_NUMBERS[name]}~"
    return None


def _legacy(name: str, modifiers: set[str]) -> str | None:
    if name == "tab" and modifiers == {"shift"}:
        return "\x1b[Z"
    if "shift" in modifiers:
        return None
    text = _PLAIN.get(name, name)
    if "ctrl" in modifiers:
        if not ("a" <= name <= "z" or name in ("[", "\\", "]", "^", "_", "-")) or len(name) > 1:
            return None
        text = "\x1f" if name == "-" else chr(ord(name) & 0x1F)
        if text in "\r\t\x1b\x08":
            return None
    return "\x1b" + text if "alt" in modifiers else text
