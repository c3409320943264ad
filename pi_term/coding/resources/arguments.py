"""The arguments of a prompt template: taken apart like a shell would, and put into its text."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PLACE = re.compile(
    r"\$(?:"
    r"\{(?P<name>[0-9]+|@|ARGUMENTS):-(?P<default>[^}]*)\}"
    r"|\{@:(?P<start>[0-9]+)(?::(?P<count>[0-9]+))?\}"
    r"|(?P<plain>[0-9]+|@|ARGUMENTS)"
    r")"
)
_MOST_DIGITS = 9


def split_arguments(text: str) -> list[str]:
    """The words of `text`. One that begins with a quote goes to the closing quote.

    There, a backslash keeps the same quote as text. Quotes elsewhere, and those that are never closed,
    are text: apostrophes swallow nothing.
    """
    words: list[str] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        quoted, at = _quoted(text, at)
        end = at
        while end < len(text) and not text[end].isspace():
            end += 1
        words.append(quoted + text[at:end])
        at = end
    return words


def _quoted(text: str, start: int) -> tuple[str, int]:
    """What stands in quotes at `start`, and the place behind it; nothing where no quote closes."""
    quote = text[start]
    if quote not in ("'", '"'):
        return "", start
    letters: list[str] = []
    at = start + 1
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 2] == quote:
            letters.append(quote)
            at += 2
        elif text[at] == quote:
            return "".join(letters), at + 1
        else:
            letters.append(text[at])
            at += 1
    return "", start


def substitute(text: str, arguments: Sequence[str]) -> str:
    """Put the arguments in their places: `$1`, `$@`, `$ARGUMENTS`, `${1:-default}`, `${@:2}`, `${@:2:1}`.

    What an argument says is not looked at again.
    """
    return _PLACE.sub(lambda found: _value(found, arguments), text)


def _value(found: re.Match[str], arguments: Sequence[str]) -> str:
    if found["start"] is not None:
        start = max(_number(found["start"]) - 1, 0)
        end = None if found["count"] is None else start + _number(found["count"])
        return " ".join(arguments[start:end])
    name = found["name"] or found["plain"]
    value = _argument(name, arguments)
    return value or found["default"] or ""


def _argument(name: str, arguments: Sequence[str]) -> str:
    if name in ("@", "ARGUMENTS"):
        return " ".join(arguments)
    number = _number(name)
    return arguments[number - 1] if 1 <= number <= len(arguments) else ""


def _number(digits: str) -> int:
    """The number; of many digits, one that is larger than any count of arguments."""
    return int(digits[:_MOST_DIGITS])
