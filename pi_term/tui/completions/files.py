"""File names: `@` searches the whole folder, Tab goes through folders one by one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from pi_term.base.sanitize import sanitize
from pi_term.tui.completions.folders import FolderListings
from pi_term.tui.completions.index import Search, holds_in_order
from pi_term.tui.completions.listing import FileListing, FilePlace, Spawn
from pi_term.tui.completions.tokens import Word, mention_at, mentions_in, word_at, written
from pi_term.tui.widgets.editor.completion import Completion, CompletionSource

_AT_ONCE = 0.002  # seconds of a search that a key waits for
_ECHO = 0.01  # in which the typed character comes to the screen
_SLICE = 0.003  # that keys may have to wait later
_BREATH = 0.001  # in which they, and the screen, have their turn
_REMEMBERED = 200  # prompts, and names, whose files come first


class FileCompletions(CompletionSource):
    """Offers files where `place()` is, None while there is none yet.

    `prompts()` are earlier prompts, the oldest first: what they mention comes first.
    """

    def __init__(
        self,
        place: Callable[[], FilePlace | None],
        spawn: Spawn,
        prompts: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self._place = place
        self._spawn = spawn
        self._prompts = prompts
        self._listing = FileListing(spawn, self._on_paths)
        self._folders = FolderListings(spawn, self._on_folder)
        self._recent: dict[str, int] | None = None
        self._query: str | None = None
        self._steps: Search | None = None
        self._running: Iterator[None] = iter(())
        self._best: list[str] = []
        self._reading = False

    @property
    def pending(self) -> bool:
        return self._steps is not None or self._reading or self._waits_for_paths

    def complete(self, text: str, cursor: int, *, forced: bool = False) -> Sequence[Completion] | None:
        # In a command for the shell, an @ is the shell's.
        word = None if text.startswith("!") else mention_at(text, cursor)
        if word is None and forced:
            word = _after_mark(word_at(text, cursor))
        place = None if word is None else self._place()
        self._reading = False
        if place is None or word is None or "\ufffc" in word.name:
            self._forget()
            return None
        if _leads_out(word.name) or not word.mention:
            self._forget()
            names, self._reading = self._folders.look(place, word.name)
        else:
            names = self._matches(place, word.name)
        after = int(word.quoted and text[cursor : cursor + 1] == '"')
        return [_offer(name, word, after) for name in names]

    def finish(self) -> None:
        """A search comes to its end at once; what has not been listed yet cannot be waited for."""
        for _ in self._running:
            pass
        self._searched()

    def taken(self, offer: Completion) -> None:
        """What was mentioned last comes first the next time."""
        used = self._used()
        for path in mentions_in(offer.insert.strip() + ('"' if offer.insert.startswith('@"') else "")):
            used.pop(path, None)
            self._recent = {path: 0, **{each: age + 1 for each, age in used.items()}}

    # --- inside

    @property
    def _waits_for_paths(self) -> bool:
        return self._query is not None and not self._listing.complete

    def _matches(self, place: FilePlace, query: str) -> list[str]:
        if self._query is None:
            self._listing.want(place)
        if query != self._query:
            self._begin(query)
            if self._steps is not None and self._query is not None:
                # Until the new search has ended, what fits of the last one is the best that is known.
                folded = query.casefold()
                self._best = [path for path in self._best if holds_in_order(path.casefold(), folded)]
        return self._best

    def _begin(self, query: str) -> None:
        self._query = query
        search = self._steps = self._listing.index.search(query, self._used())
        self._running = iter(search)
        if self._go_on(_AT_ONCE):
            self._searched()
        else:
            self._spawn(partial(self._search, search))

    async def _search(self, search: Search) -> None:
        """Go on in slices, between which keys have their turn, as long as it is wanted."""
        await asyncio.sleep(_ECHO)
        while self._steps is search:
            await asyncio.sleep(_BREATH)
            if self._steps is search and self._go_on(_SLICE):
                self._searched()
                self._tell()

    def _go_on(self, seconds: float) -> bool:
        """Search for so long; whether that was the end."""
        end = time.monotonic() + seconds
        return all(time.monotonic() <= end for _ in self._running)

    def _searched(self) -> None:
        search, self._steps = self._steps, None
        if search is not None:
            self._best = search.best()

    def _on_paths(self) -> None:
        """More paths are known."""
        if self._query is not None:
            self._begin(self._query)
            self._tell()

    def _on_folder(self) -> None:
        self._reading = False
        self._tell()

    def _tell(self) -> None:
        if self.news is not None:
            self.news()

    def _forget(self) -> None:
        self._query = self._steps = None
        self._running = iter(())
        self._best = []

    def _used(self) -> dict[str, int]:
        if self._recent is None:
            texts = [*self._prompts()][-_REMEMBERED:]
            names = [name for text in reversed(texts) for name in reversed(mentions_in(text))]
            self._recent = {name: age for age, name in enumerate(dict.fromkeys(names[:_REMEMBERED]))}
        return self._recent


def _after_mark(word: Word) -> Word:
    """The word without what makes a prompt a command for the shell."""
    name = word.name.lstrip("!") if word.start == 0 else word.name
    return word._replace(start=word.start + len(word.name) - len(name), name=name, mention=False)


def _leads_out(name: str) -> bool:
    """Whether the name is not one of the listed ones: from the root, a home folder, or above."""
    return name.startswith(("/", "~", "../")) or name == ".."


def _offer(name: str, word: Word, after: int) -> Completion:
    is_folder = name.endswith("/")
    insert = written(name, mention=word.mention, quoted=word.quoted, is_folder=is_folder)
    return Completion(sanitize(name), insert + ("" if is_folder else " "), start=word.start, after=after)
