"""Writing session files that other processes write to as well."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pi_term.base.errors import PiTermError
from pi_term.base.files import write_all

_LOCK_SECONDS = 5.0
_PIECE = 1 << 20
_NO_LOCKS_HERE = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}


class LockedFile:
    """An open file of which this process is the only one to append, as long as all keep to the lock."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    @property
    def status(self) -> os.stat_result:
        """Size, inode and so on, of what is open."""
        return os.fstat(self.descriptor)

    def append(self, data: bytes) -> int:
        """Append whole lines in one write, a missing line feed of the last line first.

        Returns the offset of `data`. When the disk fills up in the middle, what was written is taken
        back, so that the append is whole or absent; then raises `OSError`.
        """
        size = self.status.st_size
        if size and os.pread(self.descriptor, 1, size - 1) != b"\n":
            data = b"\n" + data
        written = 0
        try:
            while written < len(data):
                written += os.write(self.descriptor, data[written:] if written else data)
        except OSError:
            if written and self.status.st_size == size + written:
                with suppress(OSError):
                    os.ftruncate(self.descriptor, size)
            raise
        # After a write in append mode the position is behind it, wherever others wrote meanwhile.
        end = os.lseek(self.descriptor, 0, os.SEEK_CUR)
        return end - len(data) + (1 if data.startswith(b"\n") else 0)

    def ends_with(self, mark: bytes, end: int) -> bool:
        """Whether the bytes before the offset `end` still are `mark`."""
        return os.pread(self.descriptor, len(mark), end - len(mark)) == mark

    def clear(self) -> None:
        """Cut the file to nothing."""
        os.ftruncate(self.descriptor, 0)


@contextmanager
def locked(path: Path, *, create: bool = False) -> Iterator[LockedFile]:
    """Open `path` for appending and hold the lock on it.

    `create` makes the file (0600) where it is missing. The lock is an advisory one on the file
    itself: it vanishes with a killed process and leaves no second file beside each session.
    Raises `OSError`, and `PiTermError("locked")` when another process holds it for five seconds.
    """
    descriptor = _open_locked(path, create)
    try:
        yield LockedFile(descriptor)
    finally:
        os.close(descriptor)  # and with it the lock


def write_new(path: Path, parts: Iterable[bytes]) -> None:
    """Make the file `path` (0600) of `parts`, whole or not at all, also when the process is killed.

    Raises `FileExistsError` where there is one already, and `OSError`; nothing is left behind then.
    """
    with temporary_beside(path) as (temporary, descriptor):
        for piece in pieces(parts):
            write_all(descriptor, piece)
        _give_name(temporary, path)


def pieces(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces that are worth a write."""
    held: list[bytes] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size >= _PIECE:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


@contextmanager
def temporary_beside(path: Path) -> Iterator[tuple[Path, int]]:
    """A new file (0600) in the folder of `path` and its descriptor; it is gone afterwards, if still there."""
    temporary = path.with_name(f".pi-term-{os.urandom(8).hex()}.tmp")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, 0o600)
    try:
        yield temporary, descriptor
    finally:
        os.close(descriptor)
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def _give_name(temporary: Path, path: Path) -> None:
    """Let the file `temporary` be `path`, which must not exist."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # file systems without hard links
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        os.rename(temporary, path)


def _open_locked(path: Path, create: bool) -> int:
    """The descriptor of the file that has the name `path` once its lock is ours."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | (os.O_CREAT if create else 0)
    while True:
        descriptor = os.open(path, flags, 0o600)
        try:
            _lock(descriptor, path)
            if _is_at(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether the name still is that of the open file: waiting for a lock takes time."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _lock(descriptor: int, path: Path) -> None:
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise PiTermError(
                    "locked", f"Another process keeps the session file {path} locked."
                ) from None
            time.sleep(0.005)
        except OSError as error:
            if error.errno in _NO_LOCKS_HERE:  # some network file systems: one write must do
                return
            raise
        else:
            return
