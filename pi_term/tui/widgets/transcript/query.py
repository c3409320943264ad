"""What somebody looks for, and where it stands: in texts, in rows, in stored lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pi_term.base.sanitize import sanitize
from pi_term.tui.widgets.transcript.selecting import own_text

if TYPE_CHECKING:
    from pi_term.render.line import Line

NEAR = 3
"""Rows before and after a row that are looked at for what a wrap divides."""

_MARKS = re.compile(r"[*`]+|~~")
_PLAIN = re.compile(r"[ !#-\[\]-~]+")
"""Text that stands in JSON as it is."""
_DIVIDERS = (b"*", b"`", b"\\u001b")


class Mark(NamedTuple):
    """A part of a match: the drawn characters `first` up to `end` of a row."""

    row: int
    first: int
    end: int


class Query:
    """Words to look for, letters in either case; a blank stands for any blanks and for a wrap."""

    def __init__(self, text: str) -> None:
        """Raises `ValueError` for a text without words."""
        words = text.split()
        if not words:
            raise ValueError("nothing to look for")
        self.text = text
        self._pattern = _pattern(words)
        # Texts are looked at as they were written, where marks of emphasis may divide a word.
        bare = _MARKS.sub("", text).split()
        self._in_source = _pattern(bare) if bare else self._pattern
        self._bare = bool(bare)
        self._longest = max(bare or words, key=len).lower()
        plain = [word.lower() for word in bare if _PLAIN.fullmatch(word) and "~" not in word]
        self._stored = [word.encode() for word in plain]

    def count(self, text: str) -> int:
        """About how often it stands in a text; rows tell exactly."""
        text = _MARKS.sub("", sanitize(text)) if self._bare else sanitize(text)
        if self._longest not in text.lower():
            return 0
        return sum(1 for _ in self._in_source.finditer(text))

    def may_be_in(self, line: bytes) -> bool:
        """Whether a line of JSON may hold it: False is certain."""
        # What a mark or a colour may divide cannot be told from the line.
        if not self._stored or any(each in line for each in _DIVIDERS):
            return True
        line = line.lower()
        return all(word in line for word in self._stored)

    def matches(self, lines: Sequence[Line]) -> Iterator[list[Mark] | None]:
        """Each place in the rows of a block, as the parts it has; None now and then: a row was looked at."""
        at = 0
        while at < len(lines):
            first = at
            while at < len(lines) - 1 and lines[at].soft_wrapped:
                at += 1
                yield None
            yield from self._in_rows(lines, first, at)
            at += 1
            yield None

    def marks(self, lines: Sequence[Line], at: int) -> list[tuple[int, int]]:
        """The drawn characters of one row that are part of a match, as (first, behind the last)."""
        first = last = at
        while first and at - first < NEAR and lines[first - 1].soft_wrapped:
            first -= 1
        while last < len(lines) - 1 and last - at < NEAR and lines[last].soft_wrapped:
            last += 1
        found = self._in_rows(lines, first, last)
        return [(mark.first, mark.end) for match in found for mark in match if mark.row == at]

    def _in_rows(self, lines: Sequence[Line], first: int, last: int) -> Iterator[list[Mark]]:
        """The matches in rows that were one line before it was wrapped."""
        text, places = _joined(lines, first, last)
        for match in self._pattern.finditer(text):
            marks: list[Mark] = []
            for row, at in places[match.start() : match.end()]:
                if marks and marks[-1].row == row:
                    marks[-1] = Mark(row, marks[-1].first, at + 1)
                elif row >= 0:
                    marks.append(Mark(row, at, at + 1))
            yield marks


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)


def _joined(lines: Sequence[Line], first: int, last: int) -> tuple[str, list[tuple[int, int]]]:
    """The text of rows without decoration, and for each of its characters its row and index there.

    A blank that was lost at a wrap is in row -1.
    """
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    for row in range(first, last + 1):
        line = lines[row]
        start = own_text(line)
        own = line.text[start:].rstrip()
        parts.append(own)
        places.extend((row, start + index) for index in range(len(own)))
        if line.source_text[-1:].isspace() and row < last:
            parts.append(" ")
            places.append((-1, 0))
    return "".join(parts), places
