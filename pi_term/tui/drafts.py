"""What is being written outlives the program: a file for each program that has an unsent draft.

The drafts of a project lie in one folder. Beside each is a lock that its program holds for as long as it
lives, so that the next program knows which drafts nobody is at any more, and takes one over.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock

from pi_term.base.dataclass import dataclass
from pi_term.base.files import atomic_write, private_dir
from pi_term.base.json import JsonError, JsonObject, dumps, loads
from pi_term.base.log import log
from pi_term.tui.widgets.editor.paste import Draft, LoadImage

_PAUSE = 0.4  # seconds of typing that may be lost
_KEPT = 30 * 86400.0  # seconds for which a draft waits
_MOST = 50  # drafts of a project that are looked at


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """A draft that an earlier program left, and when it was written (seconds since 1970)."""

    draft: Draft
    saved: float


class DraftKeeper:
    """Stores the draft of one editor in `folder` a moment after it changes; None stores nothing.

    `draft()` is what to store, `session()` the id of the session it belongs to. When that fails, `tell`
    hears why, once until it works again.
    """

    def __init__(
        self,
        folder: Path | None,
        draft: Callable[[], Draft],
        session: Callable[[], str | None],
        tell: Callable[[str], None],
    ) -> None:
        self._folder = folder
        self._draft = draft
        self._session = session
        self._tell = tell
        self._problem = ""  # with storing it
        self._file: _DraftFile | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None
        self._dirty = False
        self._number = 0
        self._stored = 0
        self._lock = Lock()

    @property
    def images_folder(self) -> Path | None:
        """Where images lie that drafts need."""
        return None if self._folder is None else self._folder / "images"

    def touch(self, *, empty: bool) -> None:
        """The draft has changed. One that is empty now was sent or cleared: its file goes at once."""
        if self._folder is None:
            return
        self._dirty = True
        if empty:
            self._begin()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_PAUSE, self._begin)

    def end(self) -> None:
        """Store it now, as the program ends. Blocks."""
        if self._dirty:
            self._dirty = False
            self._store(*self._data())
        file, self._file, self._folder = self._file, None, None
        if file is not None and not file.path.exists():
            file.remove()

    async def restore(self, session: str, load: LoadImage) -> StoredDraft | None:
        """Take over a draft that nobody is at any more: that of this session, else the newest."""
        if self._folder is None or self._file is not None:
            return None
        try:
            found = await asyncio.to_thread(_claim, self._folder, session)
        except OSError as error:  # it stays where it is
            log.warning("cannot take over a draft in %s: %s", self._folder, error)
            return None
        if found is None:
            return None
        file, data = found
        draft = await asyncio.to_thread(Draft.from_json, data, load)
        if self._file is not None or draft is None:
            # Somebody typed meanwhile: it waits for the next program.
            file.close()
            return None
        self._file = file
        saved = data.get("saved")
        return StoredDraft(draft, saved if isinstance(saved, float) else 0.0)

    # --- inside

    def _begin(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write())

    async def _write(self) -> None:
        while self._dirty:
            self._dirty = False
            before = self._problem
            await asyncio.to_thread(self._store, *self._data())
            if self._problem and not before:
                self._tell(f"What you write is not kept for the next time: {self._problem}.")

    def _data(self) -> tuple[int, Draft, str | None]:
        self._number += 1
        return self._number, self._draft(), self._session()

    def _store(self, number: int, draft: Draft, session: str | None) -> None:
        with self._lock:
            if number > self._stored:
                self._stored = number
                self._store_now(draft, session)

    def _store_now(self, draft: Draft, session: str | None) -> None:
        try:
            if not draft.text.strip():
                if self._file is not None:
                    self._file.clear()
                return
            if self._file is None and self._folder is not None:
                self._file = _DraftFile.new(self._folder)
            if self._file is not None:
                self._file.write({**draft.to_json(), "session": session, "saved": time.time()})
            self._problem = ""
        except OSError as error:
            self._problem = f"{self._folder}: {error.strerror or error}"
            log.warning("cannot store the draft in %s: %s", self._folder, error)


class _DraftFile:
    """The file of one draft, with its lock held."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock

    @classmethod
    def new(cls, folder: Path) -> _DraftFile:
        """One of our own, not written yet."""
        path = private_dir(folder) / f"{os.getpid()}-{os.urandom(4).hex()}.json"
        file = cls.of(path)
        if file is None:
            raise OSError(f"{path} is locked")
        return file

    @classmethod
    def of(cls, path: Path) -> _DraftFile | None:
        """The draft in `path`, unless a program is at it. Raises `OSError` where it cannot be locked."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        lock = os.open(path.with_suffix(".lock"), flags, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            return None
        return cls(path, lock)

    def read(self) -> JsonObject | None:
        try:
            data = loads(self.path.read_bytes())
        except (OSError, JsonError):
            return None
        return data if isinstance(data, dict) else None

    def write(self, data: JsonObject) -> None:
        atomic_write(self.path, dumps(data), mode=0o600)

    def clear(self) -> None:
        with suppress(FileNotFoundError):
            self.path.unlink()

    def remove(self) -> None:
        """Leave nothing behind."""
        self.clear()
        with suppress(FileNotFoundError):
            self.path.with_suffix(".lock").unlink()
        self.close()

    def close(self) -> None:
        """Let others have it."""
        os.close(self._lock)


def _claim(folder: Path, session: str) -> tuple[_DraftFile, JsonObject] | None:
    """A draft that no program is at, with its lock; what is too old, or left over, is removed."""
    if not folder.is_dir():
        return None
    ages = {path: _written(path) for path in folder.glob("*.json")}
    best: tuple[_DraftFile, JsonObject] | None = None
    for path in sorted(ages, key=lambda path: -ages[path])[:_MOST]:
        file = _DraftFile.of(path)
        if file is None:
            continue
        data = file.read()
        if data is None or time.time() - ages[path] > _KEPT:
            file.remove()
        elif best is None:
            best = file, data
        elif data.get("session") == session and best[1].get("session") != session:
            best[0].close()
            best = file, data
        else:
            file.close()
    _sweep(folder)
    return best


def _sweep(folder: Path) -> None:
    """Remove locks without a draft that nobody holds, and old images."""
    for lock in folder.glob("*.lock"):
        if not lock.with_suffix(".json").exists() and (file := _DraftFile.of(lock.with_suffix(".json"))):
            file.remove()
    for image in (folder / "images").glob("*"):
        if time.time() - _written(image) > _KEPT:
            with suppress(OSError):
                image.unlink()


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
