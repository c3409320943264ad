"""What single folders hold, for names that are typed piece by piece."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from pi_term.agent.tools import ToolError
from pi_term.base.log import log
from pi_term.coding.tools.operations import FolderEntry
from pi_term.tui.completions.listing import FilePlace, Spawn

_FRESH = 2.0  # seconds for which a listing is good
_MOST = 64  # folders that are remembered
_SHOWN = 100


class FolderListings:
    """Reads folders beside the keys; `grew` is called when one has been read."""

    def __init__(self, spawn: Spawn, grew: Callable[[], None]) -> None:
        self._spawn = spawn
        self._grew = grew
        self._known: dict[tuple[str, str], tuple[float, list[FolderEntry]]] = {}
        self._reading: set[tuple[str, str]] = set()

    def look(self, place: FilePlace, name: str) -> tuple[list[str], bool]:
        """The names that go on from `name`, those of folders with `/`; and whether the folder is being read.

        `name` is a path from the place's folder, from the root, or from a home folder (`~/`).
        """
        folder, slash, begun = name.rpartition("/")
        key = (place.folder, folder + slash)
        now = time.monotonic()
        when, entries = self._known.get(key, (0.0, []))
        reading = key in self._reading
        if not reading and now - when > _FRESH:
            reading = True
            self._reading.add(key)
            self._spawn(partial(self._read, place, key))
        return [folder + slash + each for each in _fitting(entries, begun)], reading and not when

    async def _read(self, place: FilePlace, key: tuple[str, str]) -> None:
        try:
            path = await _absolute(place, key[1])
            entries = await place.operations.entries(path)
        except (OSError, ToolError) as error:
            log.debug("cannot read the folder %s: %s", key[1], error)
            entries = []
        finally:
            self._reading.discard(key)
        while len(self._known) >= _MOST:
            self._known.pop(next(iter(self._known)))
        self._known[key] = (time.monotonic(), entries)
        self._grew()


def _fitting(entries: list[FolderEntry], begun: str) -> list[str]:
    """Names that begin like this, else that hold it; hidden ones only where a dot was typed."""
    low = begun.casefold()
    seen = [each for each in entries if low.startswith(".") or not each.name.startswith(".")]
    seen = [each for each in seen if each.name.isprintable() or "\n" not in each.name]
    fitting = [each for each in seen if each.name.casefold().startswith(low)]
    fitting = fitting or [each for each in seen if low in each.name.casefold()]
    fitting.sort(key=lambda each: (each.kind != "folder", each.name.casefold()))
    return [each.name + ("/" if each.kind == "folder" else "") for each in fitting[:_SHOWN]]


async def _absolute(place: FilePlace, folder: str) -> str:
    if folder.startswith("/"):
        return folder
    if folder.startswith("~"):
        user, _, rest = folder[1:].partition("/")
        home = await place.operations.home(user)
        if home is not None:
            return f"{home}/{rest}"
    return f"{place.folder}/{folder}"
