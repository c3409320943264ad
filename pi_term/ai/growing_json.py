"""A JSON object that arrives in pieces, readable after each of them.

Every character is looked at once, or a few times near the end of a piece: long texts in many pieces cost
linear time. Strings are there as far as they have come, names when they are whole, numbers as they look so
far. Where the text is no JSON the object stays as it was.
"""

from __future__ import annotations

import re
from typing import Any, Literal, TypeAlias

from pi_term.base.json import JsonError, JsonObject, loads

_State: TypeAlias = Literal["object", "name", "colon", "item", "value", "string", "after", "end", "broken"]

_BLANKS = re.compile(r"[ \t\r\n]*")
_NAME = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_CHARACTERS = re.compile(r'(?:[^"\\]+|\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt]))*')
_HALF_PAIR = re.compile(r"(?<!\\)(?:\\\\)*(\\u[dD][89abAB][0-9a-fA-F]{2})\Z")
_LONGEST_ESCAPE = 6
_WORD = re.compile(r"[-+.0-9a-zA-Z]+")
_LONGEST_WORD = 5000
_LONGEST_NAME = 10_000


class GrowingObject:
    """`value` is the object so far: always the same one, growing in place."""

    def __init__(self) -> None:
        self.value: JsonObject = {}
        self._state: _State = "object"
        self._rest = ""
        self._open: list[Any] = []  # containers, the outermost first
        self._names: list[str] = []  # where the value belongs that comes next, for each open container
        self._is_placed = False  # whether a number stands there that may go on

    def feed(self, piece: str) -> None:
        """Take more of the text."""
        text = self._rest + piece
        at = 0
        while self._state not in ("end", "broken"):
            if self._state != "string":
                at = self._skip_blanks(text, at)
            if at == len(text):
                break
            taken = self._take(text, at)
            if taken is None:
                break
            at = taken
        self._rest = "" if self._state in ("end", "broken") else text[at:]

    @staticmethod
    def _skip_blanks(text: str, at: int) -> int:
        match = _BLANKS.match(text, at)
        return match.end() if match else at

    def _take(self, text: str, at: int) -> int | None:
        """Read on from `at`; where to go on, or None if more text is needed first."""
        match self._state:
            case "string":
                return self._take_characters(text, at)
            case "name" if text[at] == '"':
                return self._take_name(text, at)
            case "name" | "item" if text[at] == self._closing and not self._open[-1]:
                return self._close(at)
            case "item" | "value":
                return self._take_value(text, at)
            case "object" if text[at] == "{":
                self._enter(self.value)
                return at + 1
            case "colon" if text[at] == ":":
                self._state = "value"
                return at + 1
            case "after" if text[at] == ",":
                self._state = "name" if isinstance(self._open[-1], dict) else "item"
                return at + 1
            case "after" if text[at] == self._closing:
                return self._close(at)
        self._state = "broken"
        return None

    @property
    def _closing(self) -> str:
        return "}" if isinstance(self._open[-1], dict) else "]"

    def _enter(self, container: Any) -> None:
        self._open.append(container)
        self._names.append("")
        self._state = "name" if isinstance(container, dict) else "item"

    def _close(self, at: int) -> int:
        self._open.pop()
        self._names.pop()
        self._state = "after" if self._open else "end"
        return at + 1

    def _take_name(self, text: str, at: int) -> int | None:
        match = _NAME.match(text, at)
        if match is None:
            if len(text) - at > _LONGEST_NAME:
                self._state = "broken"
            return None
        name = self._read(match[0])
        if not isinstance(name, str):
            return None
        self._names[-1] = name
        self._state = "colon"
        return match.end()

    def _take_value(self, text: str, at: int) -> int | None:
        if text[at] == '"':
            self._place("")
            self._state = "string"
            return at + 1
        if text[at] in "{[":
            container: Any = {} if text[at] == "{" else []
            self._place(container)
            self._enter(container)
            return at + 1
        return self._take_word(text, at)

    def _take_word(self, text: str, at: int) -> int | None:
        """A number, `true`, `false` or `null`."""
        match = _WORD.match(text, at)
        if match is None or match.end() - at > _LONGEST_WORD:
            self._state = "broken"
            return None
        if match.end() == len(text):
            self._place_number(match[0])
            return None
        value = self._read(match[0])
        if self._state == "broken":
            return None
        self._replace(value)
        return match.end()

    def _place_number(self, word: str) -> None:
        """What may be the beginning of a number only, as it looks so far."""
        try:
            value = loads(word)
        except JsonError:
            return
        if isinstance(value, bool) or not isinstance(value, int | float):
            return
        self._replace(value)
        self._is_placed = True
        self._state = "value"

    def _take_characters(self, text: str, at: int) -> int | None:
        """Characters of an open string, escapes only when they are whole."""
        match = _CHARACTERS.match(text, at)
        end = match.end() if match else at
        closed = text[end : end + 1] == '"'
        if not closed:
            if len(text) - end > _LONGEST_ESCAPE:
                self._state = "broken"
                return None
            half = _HALF_PAIR.search(text, at, end)
            end = half.start(1) if half else end
        raw = text[at:end]
        characters = self._read(f'"{raw}"') if "\\" in raw else raw
        if not isinstance(characters, str):
            return None
        self._extend(characters)
        if not closed:
            return end if end > at else None
        self._state = "after"
        return end + 1

    def _extend(self, characters: str) -> None:
        """Let the open string grow: by a local name only, so that it need not be copied each time."""
        container = self._open[-1]
        key: Any = self._names[-1] if isinstance(container, dict) else -1
        whole = container[key]
        container[key] = ""
        whole += characters
        container[key] = whole

    def _read(self, text: str) -> Any:
        try:
            return loads(text)
        except JsonError:
            self._state = "broken"
            return None

    def _place(self, value: Any) -> None:
        container = self._open[-1]
        if isinstance(container, dict):
            container.pop(self._names[-1], None)  # the last one named is the last one of the object
            container[self._names[-1]] = value
        else:
            container.append(value)
        self._state = "after"

    def _replace(self, value: Any) -> None:
        """A value that may stand there already, as far as it had come."""
        if self._is_placed and isinstance(self._open[-1], list):
            self._open[-1].pop()
        self._is_placed = False
        self._place(value)
