"""Session files by their names and times, and whose they are. All functions read folders: they block."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from pi_term.base.dataclass import dataclass
from pi_term.coding.session.entries import SessionHeader


@dataclass(frozen=True, slots=True)
class DatedFile:
    """A file that by its name may be a session; `modified_ns` is Unix time in nanoseconds."""

    path: Path
    modified_ns: int
    size: int


def files_in(folder: Path) -> list[DatedFile]:
    """The possible sessions that lie in `folder` itself, newest first; none where it cannot be read."""
    return _newest_first(_dated(folder))


def files_below(root: Path) -> list[DatedFile]:
    """The possible sessions in `root` and in the folders in it, newest first, each once."""
    folders = {os.path.realpath(each): each for each in (*folders_below(root), root)}
    return _newest_first(file for folder in folders.values() for file in _dated(folder))


def folders_below(root: Path) -> list[Path]:
    """The folders that lie in `root`; none where it cannot be read."""
    try:
        with os.scandir(root) as entries:
            return [Path(each.path) for each in entries if each.is_dir()]
    except OSError:
        return []


def names_in(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The files in `folder` that by their names may be sessions; none where it cannot be read."""
    with suppress(OSError), os.scandir(folder) as entries:
        yield from (each for each in entries if each.name.endswith(".jsonl") and each.is_file())


def _newest_first(files: Iterable[DatedFile]) -> list[DatedFile]:
    return sorted(files, key=lambda file: (file.modified_ns, str(file.path)), reverse=True)


def _dated(folder: Path) -> Iterator[DatedFile]:
    for each in names_in(folder):
        with suppress(OSError):  # gone meanwhile
            status = each.stat()
            yield DatedFile(Path(each.path), status.st_mtime_ns, status.st_size)


class Home:
    """Whose sessions are wanted: those of one working directory, links resolved, or of all (None).

    A session that names no directory belongs to each.
    """

    def __init__(self, cwd: str | Path | None) -> None:
        self._given = None if cwd is None else str(cwd)
        self._real = None if cwd is None else os.path.realpath(cwd)

    def has(self, header: SessionHeader) -> bool:
        """Whether a session is one of them."""
        cwd = header.cwd
        if self._given is None or cwd in ("", self._given):
            return True
        try:
            return os.path.realpath(cwd) == self._real
        except ValueError:  # no file can have such a name
            return False
