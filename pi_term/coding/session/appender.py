"""Appending to a file that other processes append to as well."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pi_term.base.errors import PiTermError

_LOCK_SECONDS = 5.0
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


@contextmanager
def locked(path: Path, *, create: bool = False) -> Iterator[LockedFile]:
    """Open `path` for appending and hold the lock on it.

    `create` makes the file (0600) where it is missing. The lock is an advisory one on the file
    itself: it vanishes with a killed process and leaves no second file beside each session.
    Raises `OSError`, and `PiTermError("locked")` when another process holds it for five seconds.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | (os.O_CREAT if create else 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        _lock(descriptor, path)
        yield LockedFile(descriptor)
    finally:
        os.close(descriptor)  # and with it the lock


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
