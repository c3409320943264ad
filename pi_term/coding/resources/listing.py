"""Lists of files in the settings."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeAlias

from pi_term.base.dataclass import dataclass
from pi_term.coding.resources.options import Kind, Layer


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of a settings file: paths to look at, and which files count.

    A path is taken from the folder `base`. `!pattern` leaves files out, `-path` one file or folder, and
    `+path` takes it in again.
    """

    base: Path
    entries: Sequence[str] = ()

    def paths(self) -> list[Path]:
        """The files and folders to look at."""
        return [self._path(entry) for entry in self.entries if entry[:1] not in ("!", "+", "-")]

    def allows(self, path: Path) -> bool:
        """Whether the file counts; the last entry that is about it decides."""
        allowed = True
        for entry in self.entries:
            mark, rest = entry[:1], entry[1:]
            if mark == "!" and self._matches(path, rest):
                allowed = False
            elif mark in ("+", "-") and self._path(rest) in (path, path.parent):
                allowed = mark == "+"
        return allowed

    def _path(self, entry: str) -> Path:
        return Path(os.path.abspath(self.base / os.path.expanduser(entry)))

    def _matches(self, path: Path, pattern: str) -> bool:
        """Whether the pattern is about the file: by its name, its whole path, or that from `base`."""
        names = ((path.name, pattern), (str(path), pattern), (str(path), str(self._path(pattern))))
        return any(fnmatchcase(name, each) for name, each in names)


Listings: TypeAlias = Mapping[tuple[Layer, Kind], Listing]
"""The lists of the settings files, by layer and kind."""
