"""Comparing two passages line by line."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from pi_term.base.dataclass import dataclass

MAX_COMPARED = 2_000_000
"""Lines times lines: longer passages are taken apart at lines that stand alone in both."""


@dataclass(frozen=True, slots=True)
class Span:
    """Old lines [old_start, old_end) against new lines [new_start, new_end), counted from 0."""

    same: bool
    old_start: int
    old_end: int
    new_start: int
    new_end: int


def aligned(old: Sequence[str], new: Sequence[str]) -> list[Span]:
    """Spans that cover both lists: what they have in common and what differs."""
    if len(old) * len(new) <= MAX_COMPARED:
        return list(_compared(old, new, 0, 0))
    spans: list[Span] = []
    for each in _aligned_roughly(old, new):
        last = spans[-1] if spans else None
        if last is not None and last.same == each.same:
            spans[-1] = Span(last.same, last.old_start, each.old_end, last.new_start, each.new_end)
        else:
            spans.append(each)
    return spans


def _compared(old: Sequence[str], new: Sequence[str], old_at: int, new_at: int) -> Iterator[Span]:
    """The spans of two passages that begin at these lines."""
    from difflib import SequenceMatcher

    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield Span(tag == "equal", old_at + i, old_at + j, new_at + k, new_at + m)


def _aligned_roughly(old: Sequence[str], new: Sequence[str]) -> Iterator[Span]:
    """What stands between two lines that both have once is compared by itself, if it is not too long."""
    old_at = new_at = 0
    for old_line, new_line in [*_anchors(old, new), (len(old), len(new))]:
        passages = old[old_at:old_line], new[new_at:new_line]
        if len(passages[0]) * len(passages[1]) <= MAX_COMPARED:
            yield from _compared(*passages, old_at, new_at)
        else:
            yield from _ends(*passages, old_at, new_at)
        if old_line < len(old):
            yield Span(True, old_line, old_line + 1, new_line, new_line + 1)
        old_at, new_at = old_line + 1, new_line + 1


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of places of lines that both have exactly once: as many as stand in the same order in both."""
    places = _single(new)
    pairs = [(place, places[line]) for line, place in _single(old).items() if line in places]
    tops: list[int] = []  # the smallest new place that ends a row of that length
    ends: list[int] = []  # the pair it is of
    before: list[int] = []
    for number, (_, new_line) in enumerate(pairs):
        length = bisect_left(tops, new_line)
        before.append(ends[length - 1] if length else -1)
        tops[length : length + 1] = [new_line]
        ends[length : length + 1] = [number]
    found: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _single(lines: Sequence[str]) -> dict[str, int]:
    """The lines that are there once, in their order, and where."""
    counts = Counter(lines)
    return {line: place for place, line in enumerate(lines) if counts[line] == 1}


def _ends(old: Sequence[str], new: Sequence[str], old_at: int, new_at: int) -> Iterator[Span]:
    """Common head and tail of two passages; all between them differs."""
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    tail = next((i for i in range(shorter - head) if old[-1 - i] != new[-1 - i]), shorter - head)
    rows = ((True, 0, head, 0, head), (False, head, len(old) - tail, head, len(new) - tail))
    for same, i, j, k, m in (*rows, (True, len(old) - tail, len(old), len(new) - tail, len(new))):
        if i < j or k < m:
            yield Span(same, old_at + i, old_at + j, new_at + k, new_at + m)
