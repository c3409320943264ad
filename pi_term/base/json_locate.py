"""JSON files that people write: read leniently, with the place of every value.

Comments and trailing commas are accepted. What is wrong with a file, or with a value in it, can be
told with the line it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field
from pathlib import Path
from typing import TypeAlias

from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic, Severity
from pi_term.base.errors import PiTermError
from pi_term.base.files import read_text
from pi_term.base.json import JsonError, JsonObject, JsonValue, loads

JsonPath: TypeAlias = tuple[str | int, ...]

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_COMMENT = re.compile(rf"{_STRING}|(?P<gone>//[^\r\n]*|/\*.*?\*/)", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"{_STRING}|(?P<gone>,)(?=\s*[}}\]])", re.DOTALL)
_TOKEN = re.compile(rf'{_STRING}|[{{}}\[\],:]|[^\s{{}}\[\],:"]+', re.DOTALL)
_NOT_LINE_END = re.compile(r"[^\r\n]")


def without_comments(text: str) -> str:
    """`text` with every comment replaced by as many blanks, so that offsets stay true."""
    return _COMMENT.sub(_blank, text)


def plain_json(text: str) -> str:
    """`text` with comments and trailing commas replaced by blanks: strict JSON if nothing else is odd."""
    return _TRAILING_COMMA.sub(_blank, without_comments(text))


def _blank(match: re.Match[str]) -> str:
    return match[0] if match["gone"] is None else _NOT_LINE_END.sub(" ", match[0])


def loads_lenient(text: str) -> JsonValue:
    """Decode JSON that may hold comments and trailing commas; raises `JsonError` with a true position."""
    try:
        return loads(text)
    except JsonError:
        return loads(plain_json(text))


def error_position(text: str, error: JsonError) -> tuple[int, int]:
    """Line and column, both from 1, at which reading `text` stopped."""
    return _line(text, error.position), error.position - text.rfind("\n", 0, error.position)


def locate(text: str, path: Iterable[str | int]) -> int | None:
    """The line (from 1) in which the value at `path` begins with its key; None if there is none."""
    span = spans(text).get(tuple(path))
    return None if span is None else _line(text, span.key)


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


@dataclass(frozen=True, slots=True)
class Span:
    """Offsets of a value: `text[start:end]`; `key` is where its key (else itself) begins."""

    key: int
    start: int
    end: int


@dataclass(slots=True)
class _Container:
    """An object or array that is still open."""

    path: JsonPath
    key_at: int
    start: int
    is_object: bool
    key: str | None = None
    child_at: int = 0
    index: int = 0


def spans(text: str) -> dict[JsonPath, Span]:
    """Where each value of the (lenient) JSON `text` stands; of a repeated key, the last one.

    Malformed text gives what could be seen before the fault.
    """
    found: dict[JsonPath, Span] = {}
    stack: list[_Container] = []
    for token in _TOKEN.finditer(plain_json(text)):
        mark = token[0]
        if mark in "}]":
            if not stack:
                break
            closed = stack.pop()
            found[closed.path] = Span(closed.key_at, closed.start, token.end())
        elif mark == ",":
            if stack:
                stack[-1].index += 1
                stack[-1].key = None
        elif mark != ":" and not _take(token, stack, found):
            break
    return found


def _take(token: re.Match[str], stack: list[_Container], found: dict[JsonPath, Span]) -> bool:
    """Note a key, a scalar or the beginning of a container; False where no sense can be made of it."""
    mark, top = token[0], stack[-1] if stack else None
    if top is not None and top.is_object and top.key is None:
        return _take_key(token, top, found)
    path: JsonPath = ()
    key_at = token.start()
    if top is not None and top.is_object:
        path, key_at = (*top.path, top.key or ""), top.child_at
    elif top is not None:
        path = (*top.path, top.index)
    if mark in "{[":
        stack.append(_Container(path, key_at, token.start(), mark == "{"))
    else:
        found[path] = Span(key_at, token.start(), token.end())
    return True


def _take_key(token: re.Match[str], top: _Container, found: dict[JsonPath, Span]) -> bool:
    try:
        key = loads(token[0])
    except JsonError:
        return False
    if not isinstance(key, str):
        return False
    top.key, top.child_at = key, token.start()
    path = (*top.path, key)
    if path in found:
        for old in [each for each in found if each[: len(path)] == path]:
            del found[old]
    return True


@dataclass(slots=True)
class JsonFile:
    """A JSON object read from a file, and what was wrong with it.

    `data` is `{}` for a missing or `broken` file. `text` has no byte-order mark. `path` is only for messages.
    """

    path: Path | None
    text: str = ""
    data: JsonObject = field(default_factory=dict)
    problem: Diagnostic | None = None

    @property
    def broken(self) -> bool:
        """There is a file, but no JSON object could be read from it."""
        return self.problem is not None

    def value(self, path: Iterable[str]) -> JsonValue:
        """The value at `path` of nested objects; None where there is none."""
        found: JsonValue = self.data
        for part in path:
            found = found.get(part) if isinstance(found, dict) else None
        return found

    def diagnostic(
        self, path: JsonPath, message: str, hint: str = "", severity: Severity = "warning"
    ) -> Diagnostic:
        """A finding about the value at `path`, with its line."""
        key = ".".join(str(part) for part in path) or None
        return Diagnostic(severity, message, self.path, locate(self.text, path), key, hint)


def read_json_file(path: Path) -> JsonFile:
    """Read an object from `path`. A missing file is an empty object, a bad one `broken`; none raise."""
    try:
        text = read_text(path)
    except PiTermError as error:
        if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            return JsonFile(path)
        return JsonFile(path, problem=Diagnostic("error", error.message, path))
    return parse_json_file(path, text)


def parse_json_file(path: Path | None, text: str) -> JsonFile:
    """What `read_json_file` gives for a file with this text. Blank text counts as an empty object."""
    if not text.strip():
        return JsonFile(path, text)
    try:
        data = loads_lenient(text)
    except JsonError as error:
        line, _ = error_position(text, error)
        return JsonFile(path, text, problem=Diagnostic("error", f"not valid JSON: {error}", path, line))
    if not isinstance(data, dict):
        return JsonFile(path, text, problem=Diagnostic("error", "must hold a JSON object", path, 1))
    return JsonFile(path, text, data)
