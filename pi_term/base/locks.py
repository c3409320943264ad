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

    Raises `PiTermError("locked")` when another process holds it for longer than `timeout` seconds.
    """
    from filelock import FileLock, Timeout

    private_dir(path.parent)
    lock = FileLock(path, mode=0o600)
    try:
        lock.acquire(timeout=timeout)
    except Timeout:
        raise PiTermError(
            "locked", f"Another process has held {path} for {timeout:g} s.", "Close it, or try again."
        ) from None
    try:
        yield
    finally:
        lock.release()
