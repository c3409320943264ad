"""Pruning beside the work: when a session first keeps something, and when much was added."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from pi_term.base.abort import AbortError
from pi_term.base.files import private_dir, write_all
from pi_term.base.json import dumps, loads
from pi_term.base.log import log
from pi_term.coding.checkpoints.blobs import BlobStore
from pi_term.coding.checkpoints.prune import prune
from pi_term.coding.session.folders import DatedFile, files_below, files_in

_SHARE = 20  # of the bound is added before it is looked at again
_FOLDERS = "session-folders.jsonl"


class Pruner:
    """Keeps the store within `max_bytes()`.

    Sessions lie below `sessions_root` and wherever users want them: the folders of those that keep
    something are remembered beside the store, by all processes.
    """

    def __init__(self, store: BlobStore, sessions_root: Path, max_bytes: Callable[[], int]) -> None:
        self._store = store
        self._root = sessions_root
        self._max_bytes = max_bytes
        self._folders: set[Path] = set()
        self._new_folders: list[Path] = []
        self._added = 0
        self._task: asyncio.Task[None] | None = None
        self._wanted = True

    def stored(self, session: Path, size: int) -> None:
        """Something of the session in the file `session` is kept now, which took `size` bytes."""
        self._added += size
        if session.parent not in self._folders:
            self._folders.add(session.parent)
            self._new_folders.append(session.parent)
        if self._wanted and self._task is None and self._is_due():
            self._task = asyncio.create_task(self._prune())

    async def aclose(self) -> None:
        """Break off."""
        self._wanted = False
        if self._task is not None:
            await asyncio.wait([self._task])

    def _is_due(self) -> bool:
        return bool(self._new_folders) or self._added > self._max_bytes() // _SHARE

    async def _prune(self) -> None:
        try:
            while self._wanted and self._is_due():
                folders, self._new_folders, self._added = self._new_folders, [], 0
                await asyncio.to_thread(self._prune_now, folders, self._max_bytes())
        except AbortError:
            pass
        except Exception:  # noqa: BLE001 - nobody waits for it, and the next one may do better
            log.exception("what is kept of changed files could not be pruned")
        finally:
            self._task = None

    def _prune_now(self, new_folders: list[Path], max_bytes: int) -> None:
        for folder in new_folders:
            remember_folder(self._store.folder / _FOLDERS, folder)
        prune(self._store, self._sessions(), max_bytes, wanted=lambda: self._wanted)

    def _sessions(self) -> Iterator[Path]:
        files: dict[str, DatedFile] = {}
        folders = remembered_folders(self._store.folder / _FOLDERS)
        for each in [*files_below(self._root), *(file for folder in folders for file in files_in(folder))]:
            files.setdefault(os.path.realpath(each.path), each)
        for file in sorted(files.values(), key=lambda file: file.modified_ns, reverse=True):
            yield file.path


def remember_folder(file: Path, folder: Path) -> None:
    """Add a folder to the list in `file`; blocks, raises `OSError`."""
    if folder in remembered_folders(file):
        return
    private_dir(file.parent)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(file, flags, 0o600)
    try:
        write_all(descriptor, dumps(str(folder)) + b"\n")
    finally:
        os.close(descriptor)


def remembered_folders(file: Path) -> list[Path]:
    """The folders in the list, without what is no name of one; blocks."""
    try:
        lines = file.read_bytes().splitlines()
    except OSError:
        return []
    found: list[Path] = []
    for line in lines:
        with suppress(ValueError):
            name = loads(line)
            if isinstance(name, str):
                found.append(Path(name))
    return found
