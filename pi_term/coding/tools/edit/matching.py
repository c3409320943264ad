"""Finding the piece of a text that an edit means.

Exact first. Where the exact text is nowhere, a loosened comparison forgives what models get wrong when
they repeat text: typographic quotes, dashes and spaces, compatible or differently composed Unicode characters
(as NFKD equates them), and spaces at the ends of lines. Letters, case, indentation and line breaks count.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from functools import lru_cache

from pi_term.base.dataclass import dataclass

MAX_COUNTED = 1000
"""More matches than this are not counted."""

_LOOK_ALIKES = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006", " "),
    **dict.fromkeys("\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "),
}
_SPACE = r"[^\S\n]"
_FOLDED = re.compile(rf"(?<!{_SPACE}){_SPACE}++(?=\n|\Z)|[^\x00-\x7f]")
_SPACES_BEFORE_END = re.compile(rf"{_SPACE}*+(?=\n|\Z)")
_ENDS_IN_SPACE = re.compile(rf"{_SPACE}\Z")


@dataclass(frozen=True, slots=True)
class Match:
    """A piece of the text: `text[start:end]`."""

    start: int
    end: int


def find_matches(text: str, wanted: str, folded: Callable[[], Folded]) -> list[Match]:
    """All matches, overlapping ones too: exact ones, or else loosened ones.

    Both texts have plain line ends, and `wanted` is not empty. `folded` gives the text folded, when needed.
    """
    exact = [Match(start, start + len(wanted)) for start in _occurrences(text, wanted)]
    return exact or folded().find(wanted)


def _occurrences(text: str, wanted: str) -> list[int]:
    found: list[int] = []
    start = text.find(wanted)
    while start >= 0 and len(found) < MAX_COUNTED:
        found.append(start)
        start = text.find(wanted, start + 1)
    return found


class Folded:
    """A text with its forgivable differences taken out, and where each character came from."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded, self._origins = _fold(text)

    def find(self, wanted: str) -> list[Match]:
        """The loosened matches of `wanted`."""
        pattern, _ = _fold(wanted)
        whole_line = _ENDS_IN_SPACE.search(wanted) is not None
        if not pattern.strip("\n"):
            return []
        found = (
            self._match(start, start + len(pattern), whole_line)
            for start in _occurrences(self._folded, pattern)
        )
        return [match for match in found if match is not None]

    def _match(self, start: int, end: int, whole_line: bool) -> Match | None:
        """The match of `folded[start:end]`, unless it begins or ends inside a character.

        `whole_line`: spaces were asked for at the end, so the line must end there; its spaces belong to it.
        """
        if self._is_inside(start) or self._is_inside(end):
            return None
        first, last = self._origins[start], self._origins[end - 1] + 1
        if whole_line:
            spaces = _SPACES_BEFORE_END.match(self._text, last)
            if spaces is None:
                return None
            last = spaces.end()
        elif _is_combining(self._text[last : last + 1]):
            return None
        return Match(first, last)

    def _is_inside(self, position: int) -> bool:
        return 0 < position < len(self._origins) and self._origins[position] == self._origins[position - 1]


def _fold(text: str) -> tuple[str, array[int]]:
    parts: list[str] = []
    origins: array[int] = array("q")
    position = 0
    for special in _FOLDED.finditer(text):
        start = special.start()
        parts.append(text[position:start])
        origins.extend(range(position, start))
        position = special.end()
        if not special[0].isspace() or text[position : position + 1] not in ("", "\n"):
            plain = _plain(special[0])
            parts.append(plain)
            origins.extend([start] * len(plain))
    parts.append(text[position:])
    origins.extend(range(position, len(text)))
    return "".join(parts), origins


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    import unicodedata

    decomposed = _LOOK_ALIKES.get(character) or unicodedata.normalize("NFKD", character)
    return "".join(_LOOK_ALIKES.get(each, each) for each in decomposed)


def _is_combining(character: str) -> bool:
    import unicodedata

    return character != "" and unicodedata.combining(character) != 0
