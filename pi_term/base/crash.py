"""What is kept of an unexpected exception: where it happened, nothing of what the user worked on."""

from __future__ import annotations

import os
import platform
import sys
import traceback
from pathlib import Path

from pi_term.base.clock import iso
from pi_term.base.files import private_dir, write_all
from pi_term.base.ids import session_id
from pi_term.version import __version__


def write_crash_report(error: BaseException, folder: Path) -> Path:
    """Write the stack (files, lines, functions; no values, no messages) to a private file."""
    private_dir(folder)
    file = folder / f"crash-{iso().replace(':', '-')}-{session_id()[-6:]}.txt"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        write_all(descriptor, _report(error).encode("utf-8", "replace"))
    finally:
        os.close(descriptor)
    return file


def _report(error: BaseException) -> str:
    lines = [
        f"pi-term {__version__}, Python {platform.python_version()}, {sys.platform}",
        f"time: {iso()}",
    ]
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        lines.append(f"\n{type(current).__module__}.{type(current).__qualname__}")
        frames = traceback.extract_tb(current.__traceback__)
        lines += [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
        current = current.__cause__ or current.__context__ or _carried(current)
    return "\n".join(lines) + "\n"


def _carried(error: BaseException) -> BaseException | None:
    """The exception that one of a background task stands for, as Textual's `WorkerFailed`."""
    carried: object = getattr(error, "error", None)
    return carried if isinstance(carried, BaseException) else None
