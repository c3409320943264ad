"""What differs between two versions of a line, by words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile
from typing import NamedTuple, TypeAlias

Part: TypeAlias = tuple[int, int]
"""Characters of a line: the first, and the one after the last."""

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_NAME = re.compile(r"\w")
_MOST_WORDS = 200
_ALIKE = 0.4
"""Part of two lines that must be the same: else one did not become the other."""


class WordChanges(NamedTuple):
    """The parts of the old and of the new line that the other one does not have."""

    old: list[Part]
    new: list[Part]


def word_changes(old: str, new: str) -> WordChanges | None:
    """What differs between two lines; None if they are too different, or too long, to say so."""
    from difflib import SequenceMatcher

    before, after = _WORD.findall(old), _WORD.findall(new)
    if max(len(before), len(after)) > _MOST_WORDS:
        return None
    head = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    shortest = min(len(before), len(after)) - head
    ends = zip(reversed(before), reversed(after), strict=False)
    tail = min(shortest, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends)))
    middles = before[head : len(before) - tail], after[head : len(after) - tail]
    codes = SequenceMatcher(None, *middles, autojunk=False).get_opcodes()
    same = _size(before[:head]) + _size(before[len(before) - tail :])
    same += sum(_size(middles[0][a:b]) for tag, a, b, _, _ in codes if tag == "equal")
    if 2 * same < _ALIKE * (_size(before) + _size(after)):
        return None
    differing = [code for code in codes if code[0] != "equal"]
    return WordChanges(
        _parts(before, [(head + code[1], head + code[2]) for code in differing]),
        _parts(after, [(head + code[3], head + code[4]) for code in differing]),
    )


class Bag(NamedTuple):
    """The words of a line in no order, and how much they say."""

    words: frozenset[str]
    size: int

    @classmethod
    def of(cls, line: str) -> Bag:
        """The words of a line; of a very long one those it begins with."""
        words = frozenset(_WORD.findall(line)[:_MOST_WORDS])
        return cls(words, _size(words))

    def likeness(self, other: Bag) -> float:
        """About how much of two lines is the same, from 0 to 1."""
        total = self.size + other.size
        return 2 * _size(self.words & other.words) / total if total else 0.0


def _size(words: Iterable[str]) -> int:
    """How much words say, however long they are: names more than signs, blanks nothing."""
    return sum(2 if _NAME.match(word) else 1 for word in words if not word.isspace())


def _parts(words: list[str], ranges: list[Part]) -> list[Part]:
    """Ranges of words as ranges of characters; those with only blanks between them become one."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    parts: list[Part] = []
    last = -1
    for first, end in ranges:
        if first == end:
            continue
        if parts and all(word.isspace() for word in words[last:first]):
            parts[-1] = (parts[-1][0], starts[end])
        else:
            parts.append((starts[first], starts[end]))
        last = end
    return parts
