"""The strings of a JSON object that is too long to be decoded, taken from its bytes as they are read."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Container

from pi_term.base.json import JsonError, loads
from pi_term.coding.session.spoken import Keys

_CONTENT = re.compile(r'(?:[^"\\]++|\\u[0-9a-fA-F]{4}|\\[^u])*+')
_MARK = re.compile(r'["{}\[\],:]')
_LONGEST_ESCAPE = len(r"\u0000")
_LONGEST_LITERAL = 64
_LONGEST_KEY = 200
_DEEPEST = 1000

Told = Callable[[Keys, str, bool], None]
"""Gets the way to a string, a part of it (half a character may stand at its ends), and whether the
string ends there. A literal such as `false` is told as its text."""


class StringReader:
    """Tells the strings and literals that stand at `wanted` places of one JSON object, part by part.

    `complete` says that the object has been closed. `damaged` says that more follows, or that something
    was no JSON; nothing is told any more then. Not every fault is seen.
    """

    def __init__(self, wanted: Container[Keys], told: Told) -> None:
        self.complete = False
        self.damaged = False
        self._wanted = wanted
        self._told = told
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._at = 0
        self._way: list[str | None] = []  # for each open object the key that was read last, None for a list
        self._key = ""
        self._is_key = False  # whether the string that is being read or comes next is a key
        self._in_string = False

    def feed(self, data: bytes) -> None:
        """Read on; memory is bounded by the length of `data`."""
        self._text += self._decoder.decode(data)
        self._at = 0
        while not self.damaged and (self._read_string() if self._in_string else self._read_mark()):
            pass
        self._text = self._text[self._at :]

    def _read_mark(self) -> bool:
        """Go behind the next mark; False if there is none yet."""
        found = _MARK.search(self._text, self._at)
        between = self._text[self._at : found.start() if found is not None else None].strip()
        if self.complete and (between or found is not None):
            self.damaged = True
        if found is None or self.damaged:
            self._at = max(self._at, len(self._text) - _LONGEST_LITERAL)
            return False
        if between:
            self._tell(between, True)
        self._at = found.end()
        self._pass(found[0])
        return True

    def _pass(self, mark: str) -> None:
        match mark:
            case '"':
                self._in_string = True
            case "{" | "[":
                self._way.append("" if mark == "{" else None)
                self._is_key = mark == "{"
                self.damaged = len(self._way) > _DEEPEST
            case "}" | "]":
                self.damaged = not self._way or (self._way.pop() is None) != (mark == "]")
                self._is_key = False
                self.complete = not self._way
            case _:
                self._is_key = mark == "," and bool(self._way) and self._way[-1] is not None

    def _read_string(self) -> bool:
        """Take what there is of a string; False if its end is still to come."""
        found = _CONTENT.match(self._text, self._at)
        end = found.end() if found is not None else self._at
        closed = self._text.startswith('"', end)
        part = self._text[self._at : end]
        self._at = end + closed
        self._in_string = not closed
        # What stops a string and is no quote is an escape: one that is cut off, or none at all.
        self.damaged = not closed and len(self._text) - end >= _LONGEST_ESCAPE
        if not self._is_key:
            self._tell(part, closed, quoted=True)
            return closed
        if len(self._key) < _LONGEST_KEY:
            self._key += part
        if closed and self._way:
            self._way[-1], self._key = self._decoded(self._key), ""
        return closed

    def _tell(self, part: str, ended: bool, *, quoted: bool = False) -> None:
        way = tuple(self._way)
        if way in self._wanted:
            self._told(way, self._decoded(part) if quoted else part, ended)

    def _decoded(self, part: str) -> str:
        try:
            return str(loads(f'"{part}"'))
        except JsonError:
            self.damaged = True
            return ""
