"""All files of the working folder, listed beside the keys and kept up to date."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeAlias

from pi_term.agent.tools import ToolError
from pi_term.base.abort import AbortController, AbortError
from pi_term.base.dataclass import dataclass
from pi_term.base.log import log
from pi_term.coding.tools.operations import Operations
from pi_term.tui.completions.index import PathIndex

Spawn: TypeAlias = Callable[[Callable[[], Coroutine[Any, Any, None]]], object]
"""Runs something beside the keys, as long as the screen lives."""

_FRESH = 3.0  # seconds for which a list is good
_SHARE = 10  # and at least so many times what it took
_NEWS = 0.08  # seconds between two looks at a list that grows


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Where the tools work: the folder, and what lists it. `ripgrep` is the user's choice of the program."""

    folder: str
    operations: Operations
    ripgrep: str | None = None


class FileListing:
    """The paths of one place. `grew` is called while they come in, and when they are all there."""

    def __init__(self, spawn: Spawn, grew: Callable[[], None]) -> None:
        self.index = PathIndex()
        self._spawn = spawn
        self._grew = grew
        self._place: FilePlace | None = None
        self._running = False
        self._good_until = 0.0

    @property
    def complete(self) -> bool:
        """Whether the paths were all listed once."""
        return not self._running or self._good_until > 0

    def want(self, place: FilePlace) -> None:
        """Somebody is about to look: list the place, unless that was done just now."""
        if place != self._place:
            self._place = place
            self.index = PathIndex()
            self._good_until = 0.0
            self._running = False
        if not self._running and time.monotonic() > self._good_until:
            self._running = True
            self._spawn(partial(self._list, place))

    async def _list(self, place: FilePlace) -> None:
        from pi_term.coding.tools.search.listing import NOT_GIT, list_paths
        from pi_term.coding.tools.search.program import Ripgrep

        begun, loop = time.monotonic(), asyncio.get_running_loop()
        index = PathIndex()
        if not len(self.index):
            self.index = index  # better some paths than none
        told = 0.0

        def take(paths: list[str]) -> None:
            nonlocal told
            index.add(paths)
            if index is self.index and time.monotonic() - told > _NEWS:
                told = time.monotonic()
                loop.call_soon_threadsafe(self._tell, place)

        abort = AbortController()
        ripgrep = Ripgrep(place.operations, place.folder, abort.signal, place.ripgrep)
        try:
            await list_paths(ripgrep, ["--files", NOT_GIT], take, debug=False, with_git=False)
        except (ToolError, AbortError, OSError) as error:
            log.warning("cannot list %s: %s", place.folder, error)
        if place == self._place:
            self.index = index
            self._running = False
            took = time.monotonic() - begun
            self._good_until = time.monotonic() + max(_FRESH, _SHARE * took)
            self._grew()

    def _tell(self, place: FilePlace) -> None:
        if place == self._place:
            self._grew()
