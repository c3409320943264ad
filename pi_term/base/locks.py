"""Locks between processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pi_term.base.errors import PiTermError
from pi_term.base.files import private_dir


@contextmanager
def file_lock(path: Path, timeout: float = 10.0) -> Iterator[None]:
    """Hold the lock file `path` (made when missing, never removed).

    Raises `PiTermError("locked")` when another process holds it for longer than `timeout` seconds, and
    `PiTermError("unwritable")` where there can be none.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path, mode=0o600)
    try:
        private_dir(path.parent)
        lock.acquire(timeout=timeout)
    except Timeout:
        raise PiTermError(
            "locked", f"Another process has held {path} for {timeout:g} s.", "Close it, or try again."
        ) from None
    except OSError as error:
        raise PiTermError(
            "unwritable", f"Cannot write {path}: {error.strerror or error}.", "See who may write there."
        ) from error
    try:
        yield
    finally:
        lock.release()
