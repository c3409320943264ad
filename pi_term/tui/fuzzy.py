"""Which of many names somebody means who types a part of one."""

from __future__ import annotations

from collections.abc import Iterable

_BOUNDARY = frozenset(" /-_.:@\n")


def best_matches(query: str, names: Iterable[str]) -> list[int]:
    """Indices of the names that match, the best first; all of them, in order, for an empty query.

    Every word of the query must occur; runs and starts of words count more. The first line of a name is its
    label: there it is enough when the characters occur in order, and what is found there counts more.
    """
    words = query.casefold().split()
    if not words:
        return [index for index, _ in enumerate(names)]
    scored: list[tuple[float, int]] = []
    for index, name in enumerate(names):
        score = _score(words, name.casefold())
        if score is not None:
            scored.append((-score, index))
    return [index for _, index in sorted(scored)]


def _score(words: list[str], name: str) -> float | None:
    """What the words are worth together; what stays over at the end of the label counts a little against it."""
    label = name.partition("\n")[0]
    total, reached = 0.0, 0
    for word in words:
        found = _word_score(word, name, label)
        if found is None:
            return None
        score, end = found
        total += score
        reached = max(reached, min(end, len(label)))
    return total - (len(label) - reached) / 1000


def _word_score(word: str, name: str, label: str) -> tuple[float, int] | None:
    """What the word is worth, and where it ends."""
    first = at = name.find(word)
    while at >= 0:
        if at == 0 or name[at - 1] in _BOUNDARY:
            whole = 4 if len(word) == len(label) else 0
            start = 1 if at == 0 else 0
            return len(word) * 3 + 4 + start + whole - _aside(at, label), at + len(word)
        at = name.find(word, at + 1)
    if first >= 0:
        return len(word) * 3 - _aside(first, label), first + len(word)
    position, score, previous = 0, 0.0, -2
    for char in word:
        position = label.find(char, position)
        if position < 0:
            return None
        score += 1 if position == previous + 1 else 0.3
        previous = position
        position += 1
    return score, position


def _aside(at: int, label: str) -> float:
    """What is found beside the label counts less."""
    return 1.0 if at >= len(label) else 0.0
