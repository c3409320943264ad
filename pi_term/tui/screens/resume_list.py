"""The sessions that can be gone on with: listed, searched, sorted; each a little at a time."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar, get_args

from pi_term.base.dataclass import dataclass
from pi_term.coding.pattern_search import pattern_of, search_sessions_by_pattern
from pi_term.coding.session import (
    DatedFile,
    SearchHit,
    SessionFile,
    SessionInfoEntry,
    SessionSummary,
    files_below,
    files_in,
    list_sessions,
    read_summary,
    search_sessions,
)
from pi_term.coding.session.sieve import folded, words_of
from pi_term.coding.session_places import SessionPlaces

T = TypeVar("T")
Sort: TypeAlias = Literal["recent", "name", "messages", "size"]
SORTS: Final[tuple[Sort, ...]] = get_args(Sort)
_SLICE = 0.05  # seconds of reading between two looks at the list
_MOST = 100  # of what is found in such a slice
_LOOKED_AT = 12  # places in a session that are looked at for the best ones
_SHOWN = 3  # of them


@dataclass(frozen=True, slots=True)
class Listed:
    """A session, whether its folder is `gone`, and where what is searched for was said in it."""

    summary: SessionSummary
    gone: bool = False
    hits: tuple[SearchHit, ...] = ()

    @property
    def title(self) -> str:
        """Its name, or how it begins."""
        return self.summary.name or self.summary.first_message or "(nothing said)"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the list: a session, or below it a place in it where something was found."""

    listed: Listed
    hit: SearchHit | None = None


def candidates(places: SessionPlaces, *, everywhere: bool) -> list[DatedFile]:
    """The files that may be sessions of this folder, or of all; newest first. Blocks."""
    if everywhere and places.root is not None:
        return files_below(places.root)
    return files_in(places.folder)


async def listed(
    files: Sequence[DatedFile], cwd: Path | None, wanted: Callable[[], bool]
) -> AsyncIterator[list[Listed]]:
    """The sessions in these files, of the folder `cwd` or of all; the first are there at once."""
    gone = _Gone()
    async for some in _slices(list_sessions(files, cwd=cwd, wanted=wanted)):
        yield [Listed(each, gone(each)) for each in some]


async def found(
    files: Sequence[DatedFile],
    query: str,
    cwd: Path | None,
    known: Callable[[Path], Listed | None],
    wanted: Callable[[], bool],
) -> AsyncIterator[list[Listed]]:
    """The sessions in which all words of `query` were said, or its pattern is found, with the places.

    Raises what `pattern_search.matching` does.
    """
    gone, pattern = _Gone(), pattern_of(query)
    if pattern is None:
        words = words_of(query)
        every = search_sessions(files, query, cwd=cwd, most_per_session=_LOOKED_AT, wanted=wanted)
    else:
        words = []
        every = search_sessions_by_pattern(files, pattern, cwd=cwd, most_per_session=_SHOWN, wanted=wanted)

    def sessions() -> Iterator[Listed]:
        hits: list[SearchHit] = []
        for hit in every:
            if hits and hit.path != hits[0].path:
                yield from _with_hits(_best(hits, words), known, gone)
                hits = []
            hits.append(hit)
        if hits:
            yield from _with_hits(_best(hits, words), known, gone)

    async for some in _slices(sessions()):
        yield some


def in_order(sessions: Sequence[Listed], sort: Sort) -> list[Listed]:
    """The sessions by one of their properties; equal ones by their time, newest first."""
    recent = sorted(sessions, key=lambda each: each.summary.modified, reverse=True)
    match sort:
        case "name":  # what has no name comes behind what has one
            return sorted(recent, key=lambda each: (each.summary.name is None, each.title.casefold()))
        case "messages":
            return sorted(recent, key=lambda each: -each.summary.message_count)
        case "size":
            return sorted(recent, key=lambda each: -each.summary.size)
    return recent


def rows_of(sessions: Sequence[Listed]) -> list[Row]:
    """The rows of sessions, with those of the places that were found in them."""
    rows: list[Row] = []
    for each in sessions:
        rows.append(Row(each))
        rows += [Row(each, hit) for hit in each.hits]
    return rows


def rename_file(path: Path, name: str) -> None:
    """Give a session that is not open a name; its time stays. Blocks; raises `PiTermError`."""
    from pi_term.coding.navigator import clean_name

    name = clean_name(name)
    times = os.stat(path)
    file = SessionFile.open(path)
    try:
        file.append(SessionInfoEntry(name=name))
    finally:
        file.close()
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


class _Gone:
    """Which folders do not exist any more; each is looked for once."""

    def __init__(self) -> None:
        self._known: dict[str, bool] = {"": False}

    def __call__(self, summary: SessionSummary) -> bool:
        gone = self._known.get(summary.cwd)
        if gone is None:
            gone = self._known[summary.cwd] = not os.path.isdir(summary.cwd)
        return gone


def _best(hits: list[SearchHit], words: list[str]) -> list[SearchHit]:
    """Those with most of the words near each other, the best first."""

    def lacking(hit: SearchHit) -> int:
        text = folded(hit.snippet)
        return sum(word not in text for word in words)

    return sorted(hits, key=lacking)[:_SHOWN]


def _with_hits(hits: list[SearchHit], known: Callable[[Path], Listed | None], gone: _Gone) -> list[Listed]:
    before = known(hits[0].path)
    summary = before.summary if before is not None else read_summary(hits[0].path)
    return [] if summary is None else [Listed(summary, gone(summary), tuple(hits))]


async def _slices(items: Iterator[T]) -> AsyncIterator[list[T]]:
    """What comes, as much at a time as is read in a moment."""

    def some() -> list[T]:
        end = time.monotonic() + _SLICE
        taken: list[T] = []
        while len(taken) < _MOST and time.monotonic() < end:
            one = list(islice(items, 1))
            taken += one
            if not one:
                break
        return taken

    while taken := await asyncio.to_thread(some):
        yield taken
