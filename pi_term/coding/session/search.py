"""Looking for words in all that was said in sessions.

Most lines are passed over by their bytes, see `sieve`; of the others the texts are compared. Memory
depends on neither the number of the files nor their size. `search_sessions` reads files: it blocks.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path

from pi_term.base.abort import Wanted, always, check
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.text import without_surrogates
from pi_term.coding.session.folders import DatedFile, Home
from pi_term.coding.session.locate import read_head
from pi_term.coding.session.long_line import StringReader
from pi_term.coding.session.scan import LongLine, blocks, entries_of, pieces
from pi_term.coding.session.sieve import Sieve, words_of
from pi_term.coding.session.spoken import Keys, all_places, kind_and_role, places, texts_of

_AROUND = 60
_ID: Keys = ("id",)
_KIND: Keys = ("type",)
_ROLE: Keys = ("message", "role")
_HIDDEN: tuple[Keys, ...] = (("display",), ("message", "display"))
_LONGEST_NAME = 200
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A place where a word was found: `match`, and what stands `before` and `after` it, in one line.

    `role` is that of the message, or the type of the entry if it is none (`compaction`,
    `branch_summary`, `session_info`, `custom_message`). Entries of the oldest format have no id.
    """

    path: Path
    entry_id: str | None
    role: str
    before: str
    match: str
    after: str

    @property
    def snippet(self) -> str:
        """The line."""
        return self.before + self.match + self.after


def search_sessions(
    files: Iterable[DatedFile],
    query: str,
    *,
    cwd: str | Path | None = None,
    tool_results: bool = False,
    most_per_session: int = 3,
    wanted: Wanted = always,
) -> Iterator[SearchHit]:
    """Where the words of `query` stand in the sessions among `files`, in the order of these.

    A session is found when all words, and phrases in quotation marks, occur in what was said in it, in
    whatever case and in parts of words too: by the user and the model, in summaries, names and messages of
    extensions, and with `tool_results` in what tools and commands put out. Of each the first hits are given,
    one for an entry: `most_per_session`, and more only where these would not show each word. Only sessions
    of `cwd`, if given. What cannot be read is passed over. Raises `AbortError` once `wanted()` is false.
    """
    words = words_of(query)
    if not words:
        return
    home, sieve = Home(cwd), Sieve(words)
    for file in files:
        check(wanted)
        finding = _Finding(words, file.path, tool_results, most_per_session)
        try:
            found = _may_be_found(file.path, sieve, home, wanted) and finding.look(sieve, wanted)
        except OSError:
            continue
        if found:
            yield from finding.hits


def _may_be_found(path: Path, sieve: Sieve, home: Home, wanted: Wanted) -> bool:
    with io.FileIO(path, "r") as file:
        if not sieve.may_hold_all(pieces(file, wanted)):
            return False
    header = read_head(path)
    return header is not None and home.has(header)


class _Finding:
    """What was found in one session."""

    def __init__(self, words: list[str], path: Path, tool_results: bool, most: int) -> None:
        self.hits: list[SearchHit] = []
        self._words = words
        self._missing = set(words)
        self._path = path
        self._tool_results = tool_results
        self._most = most

    def look(self, sieve: Sieve, wanted: Wanted) -> bool:
        """Go through the file until nothing more is needed; whether all words are in it."""
        for block in blocks(self._path, wanted):
            if isinstance(block, LongLine):
                self._look_at_long(block)
            else:
                self._look_at_lines(sieve.lines(block))
            if self._is_enough:
                break
        return not self._missing

    @property
    def _is_enough(self) -> bool:
        return not self._missing and len(self.hits) >= self._most

    def _look_at_lines(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            for entry in entries_of(line):
                self._look_at(entry)
            if self._is_enough:
                break

    def _look_at(self, entry: JsonObject) -> None:
        passage = _Passage(self._words)
        for text in texts_of(entry, tool_results=self._tool_results):
            passage.add(text, ended=True)
        if passage.found:
            kind, role = kind_and_role(entry)
            id = entry.get("id")
            self._take([passage], id if isinstance(id, str) else None, role or kind)

    def _look_at_long(self, line: LongLine) -> None:
        entry = _LongEntry(self._words)
        for fragment in line:
            entry.reader.feed(fragment)
        passages = entry.passages(tool_results=self._tool_results)
        if passages:
            self._take(passages, entry.told.get(_ID), entry.told.get(_ROLE) or entry.told[_KIND])

    def _take(self, passages: list[_Passage], id: str | None, role: str) -> None:
        found = {word: parts for passage in passages for word, parts in passage.found.items()}
        new = [word for word in found if word in self._missing]
        self._missing.difference_update(new)
        if new or len(self.hits) < self._most:
            before, match, after = found[new[0] if new else next(iter(found))]
            self.hits.append(SearchHit(self._path, id, role, before, match, after))


@dataclass(slots=True)
class _Passage:
    """Texts, each given in one or more parts, and where in them the words were found first."""

    words: list[str]
    found: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    _kept: str = ""

    def add(self, part: str, *, ended: bool) -> None:
        """Look through what comes next of a text."""
        text = without_surrogates(self._kept + part)
        if any(" " in word for word in self.words):
            text = _BLANKS.sub(" ", text)  # a phrase may go over the end of a line
        fold = text.casefold()
        for word in self.words:
            if word not in self.found:
                at = fold.find(word)
                if at >= 0:
                    start, end = _in_original(text, fold, at, at + len(word))
                    self.found[word] = _around(text, start, end)
        self._kept = "" if ended else (self._kept + part)[-max(_AROUND, *map(len, self.words)) :]


class _LongEntry:
    """An entry that is read piece by piece, its passages by the place where they stand."""

    def __init__(self, words: list[str]) -> None:
        self.told: dict[Keys, str] = {}
        self._at: dict[Keys, _Passage] = {place: _Passage(words) for place in all_places()}
        names = (_ID, _KIND, _ROLE, *_HIDDEN)
        self.reader = StringReader(
            {*names, *self._at, *((*place, None, "text") for place in self._at)}, self._note
        )

    def _note(self, way: Keys, text: str, ended: bool) -> None:
        place = way[:-2] if way[-1] == "text" else way
        passage = self._at.get(place)
        if passage is not None:
            passage.add(text, ended=ended)
        else:
            self.told[way] = (self.told.get(way, "") + text)[:_LONGEST_NAME]

    def passages(self, *, tool_results: bool) -> list[_Passage]:
        """Those that count, of a whole entry that is not hidden."""
        if not self.reader.complete or self.reader.damaged:
            return []
        kind, role = self.told.get(_KIND, ""), self.told.get(_ROLE, "")
        if self.told.get(_HIDDEN[kind == "message"]) == "false":
            return []
        said = (self._at[place] for place in places(kind, role, tool_results=tool_results))
        return [passage for passage in said if passage.found]


def _in_original(text: str, fold: str, start: int, end: int) -> tuple[int, int]:
    """Where in `text` the part of its folded form stands; folding makes some characters longer."""
    if len(text) == len(fold):
        return start, end
    first = last = position = 0
    for number, char in enumerate(text):
        if position <= start:
            first = number
        position += len(char.casefold())
        if position >= end:
            last = number + 1
            break
    return first, last


def _around(text: str, start: int, end: int) -> tuple[str, str, str]:
    """Before, match and after, blanks joined; an ellipsis stands where the text goes on."""
    before = " ".join(f"|{text[max(0, start - _AROUND) : start]}|".split())[1:-1]
    match = " ".join(text[start:end].split())
    after = " ".join(f"|{text[end : end + _AROUND]}|".split())[1:-1]
    return (
        "…" * (start > _AROUND) + before.lstrip(),
        match,
        after.rstrip() + "…" * (end + _AROUND < len(text)),
    )
