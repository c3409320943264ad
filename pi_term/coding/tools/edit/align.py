"""Comparing two passages line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAX_COMPARED = 2_000_000
"""Lines times lines: of longer passages only the common beginning and end are found."""


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
    if len(old) * len(new) > MAX_COMPARED:
        return _aligned_roughly(old, new)
    from difflib import SequenceMatcher

    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [Span(tag == "equal", *numbers) for tag, *numbers in codes]


def _aligned_roughly(old: Sequence[str], new: Sequence[str]) -> list[Span]:
    """Common head and tail; all between them differs."""
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    tail = next((i for i in range(shorter - head) if old[-1 - i] != new[-1 - i]), shorter - head)
    old_tail, new_tail = len(old) - tail, len(new) - tail
    spans = [
        Span(True, 0, head, 0, head),
        Span(False, head, old_tail, head, new_tail),
        Span(True, old_tail, len(old), new_tail, len(new)),
    ]
    return [span for span in spans if span.old_start < span.old_end or span.new_start < span.new_end]
