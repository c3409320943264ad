"""The paths of a folder, and which of them somebody means who types a part of one.

A search is done in slices, so that a hundred thousand paths hold up no key: it is to be driven by somebody
who looks at the clock between the steps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import nlargest

SHOWN = 50
"""Offers for one query."""

_SLICE = 4000  # paths that are looked through in one step, about a millisecond
_SCORED = 400  # and candidates that are weighed
_ENOUGH = 30  # matches of the typed characters in a row that make others uninteresting
_MOST = 20_000  # candidates that are weighed at all
_RECENT = 45.0  # what a path that was used last gains, more than a better place in the name
_WORD_STARTS = frozenset("/-_. ([{@+")


class PathIndex:
    """Files and the folders they lie in, relative to one folder; those of folders end in `/`."""

    def __init__(self) -> None:
        self._paths: list[str] = []
        self._folded: list[str] = []
        self._folders: set[str] = set()
        self._top: list[str] = []

    def __len__(self) -> int:
        return len(self._paths)

    def add(self, files: Iterable[str]) -> None:
        """Add files, and their folders where those are new. From one thread at a time."""
        found: list[str] = []
        for file in files:
            if "\n" in file or "\r" in file:
                continue
            folder = file.rpartition("/")[0]
            while folder and folder not in self._folders:
                self._folders.add(folder)
                found.append(f"{folder}/")
                folder = folder.rpartition("/")[0]
            found.append(file)
        self._top += [path for path in found if path.find("/", 0, -1) < 0]
        # The list that readers measure grows last.
        self._folded += [path if (low := path.casefold()) == path else low for path in found]
        self._paths += found

    def search(self, query: str, recent: Mapping[str, int]) -> Search:
        """A search for `query`, which is not begun.

        `recent` maps paths to how long ago they were used: 0 is the latest.
        """
        return Search(self, query.casefold().removeprefix("./"), recent)

    def beginning(self, recent: Mapping[str, int]) -> list[str]:
        """What is offered before anything is typed: what was used, then what lies on top, folders first."""
        used = sorted(recent, key=lambda path: recent[path])[: SHOWN // 2]
        ordered = sorted(self._top, key=lambda path: (not path.endswith("/"), path.startswith("."), path))
        known = set(used)
        return [*used, *(path for path in ordered if path not in known)][:SHOWN]

    def slices(self, size: int) -> Iterator[tuple[list[str], list[str]]]:
        """All paths as they are and folded, piece by piece."""
        count = len(self._paths)
        for start in range(0, count, size):
            stop = min(start + size, count)
            yield self._paths[start:stop], self._folded[start:stop]


class Search:
    """Looks for the paths that fit a query; to be iterated over until it is done."""

    def __init__(self, index: PathIndex, wanted: str, recent: Mapping[str, int]) -> None:
        self._index = index
        self._wanted = wanted
        self._recent = recent
        self._ranking = _Ranking(recent)
        self._used: dict[str, int] = {}

    def __iter__(self) -> Iterator[None]:
        wanted, ranking = self._wanted, self._ranking
        if not wanted:
            for paths, _ in self._index.slices(_SLICE):
                self._used.update((path, self._recent[path]) for path in paths if path in self._recent)
                yield
            return
        for paths, folded in self._index.slices(_SLICE):
            for number, path in enumerate(folded):
                if wanted in path:
                    ranking.add(paths[number], path)
            yield
            yield from ranking.weigh(lambda path: _score_run(path, wanted))
        if ranking.size >= _ENOUGH:
            return
        matches = _scattered(wanted).match
        for paths, folded in self._index.slices(_SLICE // 4):
            for number, path in enumerate(folded):
                if matches(path) and wanted not in path:
                    ranking.add(paths[number], path)
            yield
            yield from ranking.weigh(lambda path: _score_scattered(path, wanted))

    def best(self) -> list[str]:
        """The best matches so far, best first."""
        return self._ranking.best() if self._wanted else self._index.beginning(self._used)


class _Ranking:
    """Candidates that wait to be weighed, and those that were."""

    def __init__(self, recent: Mapping[str, int]) -> None:
        self.size = 0
        self._recent = recent
        self._waiting: list[tuple[str, str]] = []
        self._weighed: list[tuple[float, str]] = []

    def add(self, path: str, folded: str) -> None:
        if self.size < _MOST or path in self._recent:
            self.size += 1
            self._waiting.append((path, folded))

    def weigh(self, score: Callable[[str], float]) -> Iterator[None]:
        """Weigh what waits, step by step."""
        waiting, self._waiting = self._waiting, []
        for start in range(0, len(waiting), _SCORED):
            for path, folded in waiting[start : start + _SCORED]:
                used = self._recent.get(path)
                bonus = 0.0 if used is None else _RECENT / (1 + used / 8)
                self._weighed.append((score(folded) + bonus, path))
            if len(self._weighed) > 4 * SHOWN:
                self._weighed = nlargest(SHOWN, self._weighed, key=_order)
            yield

    def best(self) -> list[str]:
        return [path for _, path in nlargest(SHOWN, self._weighed, key=_order)]


def _order(weighed: tuple[float, str]) -> tuple[float, int]:
    return weighed[0], -len(weighed[1])


def _scattered(wanted: str) -> re.Pattern[str]:
    """Matches paths that hold the characters in this order, in linear time."""
    return re.compile("".join(f"[^{re.escape(char)}]*+{re.escape(char)}" for char in wanted), re.DOTALL)


def _score_run(path: str, wanted: str) -> float:
    """For a path that holds what was typed in one piece: whole names first, then their beginnings."""
    if wanted.endswith("/") and path.startswith(wanted):
        # A folder was gone into: what lies in it, the nearest first.
        rest = path[len(wanted) :]
        return 95 - 8 * rest.count("/", 0, -1) - len(rest) / 40 if rest else -100
    trimmed = path.rstrip("/")
    name = trimmed.rpartition("/")[2]
    far = len(path) / 40 + path.count("/", 0, len(trimmed))
    bare = wanted.rstrip("/")
    if name == bare or name.partition(".")[0] == bare:
        return 100 - far
    if name.startswith(bare):
        return 80 - far
    at = name.find(bare)
    if at > 0:
        return (60 if name[at - 1] in _WORD_STARTS else 50) - far
    at = path.find(wanted)
    return (40 if at == 0 or path[at - 1] == "/" else 30) - far


def _score_scattered(path: str, wanted: str) -> float:
    """For a path that holds the characters apart: those that begin words, follow each other, or are in the
    name count more."""
    name_at = path.rstrip("/").rfind("/") + 1
    score, at, before = 0.0, 0, -2
    in_name = holds_in_order(path, wanted, name_at)
    at = name_at if in_name else 0
    for char in wanted:
        at = path.find(char, at)
        if at == before + 1:
            score += 1.0
        elif at == 0 or path[at - 1] in _WORD_STARTS:
            score += 0.8
        else:
            score += 0.2
        before = at
        at += 1
    return 25 * score / len(wanted) + (4 if in_name else 0) - len(path) / 40


def holds_in_order(path: str, wanted: str, at: int = 0) -> bool:
    """Whether the characters of `wanted` stand in the path in this order, from `at` on; both folded."""
    for char in wanted:
        at = path.find(char, at) + 1
        if not at:
            return False
    return True
