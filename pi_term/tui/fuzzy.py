"""Which of many names somebody means who types a part of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

_BOUNDARY = frozenset(" /-_.:@\n")


def matcher(query: str) -> Callable[[str], bool]:
    """Whether a text holds every word of the query, in whatever case."""
    words = query.casefold().split()

    def holds(text: str) -> bool:
        folded = text.casefold()
        return all(word in folded for word in words)

    return holds


def best_matches(query: str, names: Iterable[str]) -> list[int]:
    """Indices of the names that match, the best first; all of them, in order, for an empty query.

    Every word of the query must occur; starts of words count more. The first line of a name is its label:
    what is found there counts more. Where no name has all the words, it is enough that the characters of
    each occur in a label in order.
    """
    words = query.casefold().split()
    if not words:
        return [index for index, _ in enumerate(names)]
    plain: list[tuple[float, int]] = []
    loose: list[tuple[float, int]] = []
    for index, name in enumerate(names):
        folded = name.casefold()
        label = folded.partition("\n")[0].rstrip()
        score = _score(words, folded, label)
        if score is not None:
            plain.append((-score, index))
        elif not plain:
            score = _loose_score(words, label)
            if score is not None:
                loose.append((-score, index))
    return [index for _, index in sorted(plain or loose)]


def _score(words: list[str], name: str, label: str) -> float | None:
    """What the words are worth together; what is left over at the end of the label counts against it."""
    total, reached = 0.0, 0
    for word in words:
        at, starts = _place(word, name)
        if at < 0:
            return None
        total += len(word) * 3
        if starts:
            total += 4 + (1 if at == 0 else 0) + (4 if len(word) == len(label) else 0)
        if at >= len(label):
            total -= 1
        reached = max(reached, min(at + len(word), len(label)))
    return total - (len(label) - reached) / 1000


def _place(word: str, name: str) -> tuple[int, bool]:
    """Where the word is, and whether something begins there: that is looked for first; -1 for nowhere."""
    first = at = name.find(word)
    while at >= 0:
        if at == 0 or name[at - 1] in _BOUNDARY:
            return at, True
        at = name.find(word, at + 1)
    return first, False


def _loose_score(words: list[str], label: str) -> float | None:
    """What it is worth that the characters of each word occur in order: the more so in runs."""
    total = 0.0
    for word in words:
        position, previous = 0, -2
        for char in word:
            position = label.find(char, position)
            if position < 0:
                return None
            total += 1 if position == previous + 1 else 0.3
            previous = position
            position += 1
    return total - len(label) / 1000
