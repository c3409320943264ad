"""Arguments of any shape as short lines: for tools that nothing is known about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pi_term.base.json import JsonObject, dumps_str
from pi_term.base.sanitize import sanitize, sanitize_line
from pi_term.render.tools.output import first_lines

_DEEPEST = 6
"""Levels that are laid out; what is deeper is written on one line."""
_LONGEST_VALUE = 2000
_BLOCK_LINES = 200
_NO_STRING = re.compile(r"[+-]?[\d.]+.*|true|false|null|[\[{\"'].*|")
"""Strings that would be taken for something else if they stood there without quotes."""


class ArgumentLine(NamedTuple):
    """A line: how far it is indented (in levels), the name or mark it begins with, the value."""

    level: int
    label: str
    value: str = ""


def argument_lines(args: JsonObject, most: int) -> tuple[list[ArgumentLine], bool]:
    """The first lines, much as YAML has them, and whether there are more. What is not shown costs nothing."""
    lines: list[ArgumentLine] = []
    for line in _members(args, 0):
        if len(lines) == most:
            return lines, True
        lines.append(line)
    return lines, False


def _members(value: object, level: int) -> Iterator[ArgumentLine]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _member(f"{sanitize_line(str(key))}:", inner, level)
    elif isinstance(value, list):
        for inner in value:
            yield from _member("-", inner, level)


def _member(label: str, value: object, level: int) -> Iterator[ArgumentLine]:
    if isinstance(value, dict | list) and value and level < _DEEPEST:
        yield ArgumentLine(level, label)
        yield from _members(value, level + 1)
    elif isinstance(value, str) and "\n" in value:
        yield ArgumentLine(level, label, "|")
        lines, hidden = first_lines(value, _BLOCK_LINES)
        for line in lines:
            yield ArgumentLine(level + 1, "", _cut(sanitize(line)))
        if hidden:
            yield ArgumentLine(level + 1, "", f"…{hidden:,} more lines")
    else:
        yield ArgumentLine(level, label, compact(value, _LONGEST_VALUE))


def compact(value: object, longest: int) -> str:
    """A value on one line of at most about `longest` characters, at a cost that is bounded by them."""
    if isinstance(value, str):
        text = sanitize_line(value[: longest + 1])
        quoted = _NO_STRING.fullmatch(text) or text.strip() != text
        return _cut(dumps_str(text) if quoted else text, longest)
    pieces: list[str] = []
    size = 0
    for piece in _pieces(value, longest):
        pieces.append(piece)
        size += len(piece)
        if size > longest:
            break
    return _cut(sanitize_line("".join(pieces)), longest)


def _cut(text: str, longest: int = _LONGEST_VALUE) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def _pieces(value: object, longest: int) -> Iterator[str]:
    """JSON in pieces, without recursion: arguments may be nested as deep as they like."""
    waiting: list[Iterator[object]] = [iter((value,))]
    while waiting:
        item = next(waiting[-1], _END)
        if item is _END:
            waiting.pop()
        elif isinstance(item, _Text):
            yield item
        elif isinstance(item, dict):
            waiting.append(_object(item, longest))
        elif isinstance(item, list):
            waiting.append(_array(item))
        elif isinstance(item, str):
            yield dumps_str(item[: longest + 1])
        else:
            yield dumps_str(item)


class _Text(str):
    """Text that is written as it is."""

    __slots__ = ()


_END = object()


def _object(value: dict[str, object], longest: int) -> Iterator[object]:
    mark = "{"
    for key, inner in value.items():
        yield _Text(f"{mark}{dumps_str(str(key)[:longest])}: ")
        yield inner
        mark = ", "
    yield _Text("{}" if mark == "{" else "}")


def _array(value: list[object]) -> Iterator[object]:
    mark = "["
    for inner in value:
        yield _Text(mark)
        yield inner
        mark = ", "
    yield _Text("[]" if mark == "[" else "]")
