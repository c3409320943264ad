"""Which removed line became which added one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from pi_term.render.diff.model import DiffLine
from pi_term.render.diff.words import Bag, WordChanges, word_changes

Pair: TypeAlias = tuple[int | None, int | None]
"""The indices of a removed and an added line that belong together, or of one that stands alone."""

_MOST_COMPARED = 144
_MOST_IN_ALL = 2_000
"""Removed times added lines that are compared with each other in one group, and in all groups up to it; the
lines of others are paired as they come."""
_ALIKE = 0.5


class Group(NamedTuple):
    """Removed lines from `start` on, then added ones from `middle` up to `end`."""

    start: int
    middle: int
    end: int


def groups_of(lines: Sequence[DiffLine]) -> list[Group]:
    """The changes, in order."""
    found: list[Group] = []
    at, size = 0, len(lines)
    while at < size:
        start = at
        while at < size and lines[at].sign == "-":
            at += 1
        middle = at
        while at < size and lines[at].sign == "+":
            at += 1
        if at > start:
            found.append(Group(start, middle, at))
        else:
            at += 1
    return found


class Changes:
    """The groups of a difference; what is in one is found out when it is first looked at."""

    def __init__(self, lines: Sequence[DiffLine]) -> None:
        self._lines = lines
        self.groups = groups_of(lines)
        self._group_at = {at: group for group in self.groups for at in range(group.start, group.end)}
        self._compared = _compared(self.groups)
        self._pairs: dict[int, list[Pair]] = {}
        self._words: dict[int, WordChanges | None] = {}

    def pairs(self, group: Group) -> list[Pair]:
        """All lines of a group, those that belong together as pairs, in order."""
        known = self._pairs.get(group.start)
        if known is None:
            alike = _alike(self._lines, group) if group in self._compared else []
            known = self._pairs[group.start] = list(_paired(group, alike))
        return known

    def words(self, old: int, new: int) -> WordChanges | None:
        """What differs between two lines of a pair."""
        if old not in self._words:
            self._words[old] = word_changes(self._lines[old].text, self._lines[new].text)
        return self._words[old]

    def partner(self, at: int) -> tuple[int, int] | None:
        """The pair of a changed line; None if it stands alone."""
        group = self._group_at.get(at)
        if group is None or group.start == group.middle or group.middle == group.end:
            return None
        for old, new in self.pairs(group):
            if at in (old, new):
                return (old, new) if old is not None and new is not None else None
        return None


def _compared(groups: Sequence[Group]) -> set[Group]:
    """The groups whose lines are compared with each other."""
    found: set[Group] = set()
    budget = _MOST_IN_ALL
    for group in groups:
        cells = (group.middle - group.start) * (group.end - group.middle)
        if 1 < cells <= min(_MOST_COMPARED, budget):
            budget -= cells
            found.add(group)
    return found


def _paired(group: Group, alike: Sequence[tuple[int, int]]) -> Iterator[Pair]:
    """Lines that are alike side by side; between them the others, one with another as they come."""
    old, new = group.start, group.middle
    for one, other in [*alike, (group.middle, group.end)]:
        while old < one or new < other:
            yield (old if old < one else None), (new if new < other else None)
            old, new = min(old + 1, one), min(new + 1, other)
        if one < group.middle:
            yield one, other
        old, new = one + 1, other + 1


def _alike(lines: Sequence[DiffLine], group: Group) -> list[tuple[int, int]]:
    """Pairs of lines that are alike, so that in all as much as possible is, none crossing another."""
    old = [Bag.of(lines[at].text) for at in range(group.start, group.middle)]
    new = [Bag.of(lines[at].text) for at in range(group.middle, group.end)]
    value = [[one.likeness(other) for other in new] for one in old]
    # For the lines from i and from j on: how much is alike at best.
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            together = best[i + 1][j + 1] + value[i][j] if value[i][j] >= _ALIKE else 0.0
            best[i][j] = max(together, best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(old) and j < len(new):
        if value[i][j] >= _ALIKE and best[i][j] == best[i + 1][j + 1] + value[i][j]:
            pairs.append((group.start + i, group.middle + j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
