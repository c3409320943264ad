"""Which lines of a file may hold a word, seen from their bytes without decoding them.

Words are compared without regard to case, by Unicode's full case folding. Bytes that hold a word hold
one of its needles or an escape that may stand for one; the reverse need not be true.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from pi_term.base.dataclass import dataclass
from pi_term.base.text import without_surrogates

# Escapes of control characters (colours in the output of commands) are frequent and part of no word.
_ESCAPE = re.compile(rb"\\u(?!00[01])")
# Characters that JSON writes in one way only, unless it escapes them all the same.
_ASCII_RUN = re.compile(r"[!#-.0-\[\]-~]+")
_OTHER_RUN = re.compile(r"[^\x00-\x7f\ufffd]+")
_ASCII = bytes(range(0x80))
_WORD = re.compile(r'"([^"]*)(?:"|\Z)|(\S+)')
_SELECTIVE = 3
_MOST_SPELLINGS = 8
_END_OF_CASES = 0x1F000  # no character from here on has another case


def folded(text: str) -> str:
    """The text as it is compared with others."""
    return without_surrogates(text).casefold()


def words_of(query: str) -> list[str]:
    """The words of a query, folded, each once; blanks separate them, but not inside of quotation marks.

    What stands in these is one word, whose parts have single blanks between them. The closing mark may yet
    be missing.
    """
    parts = (" ".join((found[1] or found[2] or "").split()) for found in _WORD.finditer(folded(query)))
    return list(dict.fromkeys(part for part in parts if part))


@dataclass(frozen=True, slots=True)
class _Needles:
    """What to look for in bytes whose ASCII letters were made small; nothing where all may hold the word."""

    ascii: tuple[bytes, ...]
    other: tuple[bytes, ...]

    @classmethod
    def of(cls, word: str) -> _Needles:
        """The needles of a folded word."""
        plain = max(_ASCII_RUN.findall(word), key=len, default="")
        beyond = max(_OTHER_RUN.findall(word), key=len, default="")
        if plain and (len(plain) >= _SELECTIVE or not beyond):
            return cls((plain.encode(),), _encoded(_folding_into(plain)))
        if beyond:
            return cls((), _encoded([*_spellings(beyond), *_folding_into(beyond)]))
        return cls((), ())

    @property
    def all(self) -> tuple[bytes, ...]:
        return self.ascii + self.other

    def may_be_in(self, small: bytes, beyond: bytes) -> bool:
        return any(needle in small for needle in self.ascii) or any(needle in beyond for needle in self.other)


class Sieve:
    """Lets through what may hold the words."""

    def __init__(self, words: Iterable[str]) -> None:
        self._needles = [_Needles.of(word) for word in words]
        self._known = all(needles.all for needles in self._needles)
        longest = max((len(each) for needles in self._needles for each in needles.all), default=0)
        self._overlap = max(longest, len(r"\u0000"))

    def may_hold_all(self, pieces: Iterable[bytes]) -> bool:
        """Whether each of the words may be somewhere in the pieces; reads no more of them than needed."""
        left: Sequence[_Needles] = [needles for needles in self._needles if needles.all]
        tail = b""
        for piece in pieces:
            small = tail + piece.lower()
            beyond = _beyond_ascii(small)
            left = [needles for needles in left if not needles.may_be_in(small, beyond)]
            if not left or _ESCAPE.search(small):
                return True
            tail = small[-self._overlap :]
        return False

    def lines(self, data: bytes) -> Iterator[bytes]:
        """Those of some whole lines that may hold one of the words."""
        if not self._known:
            yield from data.split(b"\n")
            return
        small = data.lower()
        spans: set[tuple[int, int]] = set()
        beyond = _beyond_ascii(small)
        for needles in self._needles:
            for needle in needles.all:
                if needle in needles.ascii or needle in beyond:
                    spans.update(_lines_with(re.compile(re.escape(needle)), small))
        spans.update(_lines_with(_ESCAPE, small))
        for start, end in sorted(spans):
            yield data[start:end]


def _beyond_ascii(data: bytes) -> bytes:
    """Only the characters beyond ASCII, of which there are few in most files."""
    return b"" if data.isascii() else data.translate(None, _ASCII)


def _lines_with(pattern: re.Pattern[bytes], data: bytes) -> Iterator[tuple[int, int]]:
    found = pattern.search(data)
    while found is not None:
        start = data.rfind(b"\n", 0, found.start()) + 1
        end = data.find(b"\n", found.end())
        if end < 0:
            end = len(data)
        yield start, end
        found = pattern.search(data, end)


def _encoded(texts: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(text.encode() for text in texts)


def _spellings(run: str) -> list[str]:
    """A beginning of `run` in all ways to write it with large and small letters."""
    found = [""]
    for char in run:
        forms = [char, *_unfolded().get(char, ())]
        if len(found) > 1 and len(found) * len(forms) > _MOST_SPELLINGS:
            break
        found = [begun + form for begun in found for form in forms]
    return found


def _folding_into(run: str) -> list[str]:
    """Characters beyond ASCII that fold to several, or to ASCII, and to one of `run` among them."""
    letters = set(run)
    return [
        char
        for fold, chars in _unfolded().items()
        if (len(fold) > 1 or fold.isascii()) and not letters.isdisjoint(fold)
        for char in chars
    ]


@cache
def _unfolded() -> dict[str, list[str]]:
    """The characters beyond ASCII that fold to something else, by what they fold to."""
    found: dict[str, list[str]] = {}
    for code in range(0x80, _END_OF_CASES):
        char = chr(code)
        fold = char.casefold()
        if fold != char:
            found.setdefault(fold, []).append(char)
    return found
