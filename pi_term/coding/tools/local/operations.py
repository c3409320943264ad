"""`LocalOperations`: files and commands of this machine."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from pi_term.base.abort import AbortSignal
from pi_term.coding.tools.operations import Command, Exit, FileKind, FileStatus, FolderEntry

_READ_BYTES = 512 * 1024


class LocalOperations:
    """Files and commands of this machine, with the rights of this program."""

    @property
    def default_shell(self) -> str:
        """Bash where it is, else sh."""
        if os.access("/bin/bash", os.X_OK):
            return "/bin/bash"
        import shutil

        return shutil.which("bash") or shutil.which("sh") or "/bin/sh"

    async def home(self, user: str = "") -> str | None:
        """See `Operations.home`."""
        return await asyncio.to_thread(_home, user)

    async def real_path(self, path: str) -> str:
        """See `Operations.real_path`."""
        return await asyncio.to_thread(os.path.realpath, path)

    async def status(self, path: str) -> FileStatus | None:
        """See `Operations.status`."""
        return await asyncio.to_thread(_status, path)

    async def load(self, path: str, limit: int) -> tuple[FileStatus | None, bytes | None]:
        """See `Operations.load`."""
        return await asyncio.to_thread(_load, path, limit)

    async def entries(self, path: str) -> list[FolderEntry]:
        """See `Operations.entries`."""
        return await asyncio.to_thread(_entries, path)

    async def read(self, path: str) -> AsyncGenerator[bytes, None]:
        """See `Operations.read`."""
        file, piece = await asyncio.to_thread(_begin, path)
        try:
            while piece:
                yield piece
                if len(piece) < _READ_BYTES:
                    break
                piece = await asyncio.to_thread(file.read, _READ_BYTES)
        finally:
            # In a thread: closing waits for a read that goes on there after a cancellation.
            asyncio.get_running_loop().run_in_executor(None, file.close)

    async def write(self, path: str, data: bytes, mode: int | None = None) -> None:
        """See `Operations.write`."""
        await _to_its_end(asyncio.to_thread(_write, path, data, mode))

    async def remove(self, path: str) -> None:
        """See `Operations.remove`."""
        await _to_its_end(asyncio.to_thread(_remove, path))

    async def run(self, command: Command, on_output: Callable[[bytes], None], signal: AbortSignal) -> Exit:
        """See `Operations.run`."""
        from pi_term.coding.tools.local.process import run_process

        return await run_process(command, on_output, signal)


LOCAL = LocalOperations()
"""It has no state, so one is enough."""


async def _to_its_end(change: Awaitable[None]) -> None:
    """Await a change that a thread makes, also when cancelled: a thread cannot be stopped, and nobody may
    believe that the change is over while it is not."""
    changing = asyncio.ensure_future(change)
    try:
        await asyncio.wait([changing])
    except asyncio.CancelledError:
        await asyncio.wait([changing])
        raise
    finally:
        # Of a cancelled call nobody asks how it ended.
        changing.add_done_callback(lambda done: done.cancelled() or done.exception())
    changing.result()


def _home(user: str) -> str | None:
    home = os.path.expanduser(f"~{user}")
    return None if home.startswith("~") else home


def _status(path: str) -> FileStatus | None:
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return FileStatus(_kind(found.st_mode), found.st_size, stat.S_IMODE(found.st_mode))


def _load(path: str, limit: int) -> tuple[FileStatus | None, bytes | None]:
    status = _status(path)
    if status is None or status.kind != "file" or status.size > limit:
        return status, None
    try:
        with _open(path) as file:
            data = file.read(min(status.size, limit) + 1)  # not more: room is made for all of it
    except OSError:
        return status, None
    return status, data if len(data) <= limit else None


def _entries(path: str) -> list[FolderEntry]:
    with os.scandir(path) as found:
        return [FolderEntry(each.name, _entry_kind(each)) for each in found]


def _entry_kind(entry: os.DirEntry[str]) -> FileKind:
    try:
        return "folder" if entry.is_dir() else "file" if entry.is_file() else "other"
    except OSError:  # a link in a circle
        return "other"


def _kind(mode: int) -> FileKind:
    return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"


def _open(path: str) -> BinaryIO:
    """Opens without waiting for the other end of a pipe or a device."""
    return open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK | os.O_NOCTTY))


def _begin(path: str) -> tuple[BinaryIO, bytes]:
    """The open file and its first piece."""
    file = _open(path)
    try:
        return file, file.read(_READ_BYTES)
    except BaseException:
        file.close()
        raise


def _remove(path: str) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(os.path.realpath(path))


def _write(path: str, data: bytes, mode: int | None) -> None:
    from pi_term.base.files import atomic_write

    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(target, data, mode=mode)
