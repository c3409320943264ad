"""Taking a session file from elsewhere into the sessions folder."""

from __future__ import annotations

import io
import os
import re
from itertools import zip_longest
from pathlib import Path

from pi_term.base.abort import always
from pi_term.base.clock import iso
from pi_term.base.errors import PiTermError
from pi_term.base.files import private_dir
from pi_term.coding.session.appender import write_new
from pi_term.coding.session.entries import SessionHeader
from pi_term.coding.session.genuine import require_session
from pi_term.coding.session.locate import valid_session_id
from pi_term.coding.session.scan import pieces

_TIME = re.compile(r"[0-9]{4}-[0-9T:.Z+-]+\Z")


def import_session(path: Path, folder: Path, root: Path | None = None) -> Path:
    """Copy a session file of ours or of Pi's into `folder`, byte for byte; returns the copy. Blocks.

    It gets the name such a file has in a sessions folder, mode 0600 and the time of the original; it is
    there whole or not at all. A file that lies below `folder`, or below `root` (where the sessions of all
    working folders are), is not copied; nor is one whose copy does. Raises
    `PiTermError("session_exists" | "not_imported")`, and what `require_session` raises.
    """
    header = require_session(path)
    real = Path(os.path.realpath(path))
    if any(real.is_relative_to(os.path.realpath(place)) for place in (folder, root or folder)):
        return path
    try:
        target = private_dir(folder) / _file_name(path, header)
        if _copy(path, target) or _same_bytes(path, target):
            return target
    except OSError as error:
        raise PiTermError("not_imported", f"Cannot import {path} into {folder}: {error.strerror}.") from error
    raise PiTermError(
        "session_exists",
        f"{path} was not imported: {target} is there already, with other contents.",
        "Open the one you want by its path, or move the other away.",
    )


def _file_name(path: Path, header: SessionHeader) -> str:
    if not valid_session_id(header.id):
        raise PiTermError(
            "not_a_session", f"{path} was not imported: its session id {header.id!r} cannot name a file."
        )
    stamp = header.timestamp
    if not isinstance(stamp, str) or not _TIME.match(stamp):
        stamp = iso(path.stat().st_mtime_ns // 1_000_000)
    return f"{re.sub('[:.]', '-', stamp)}_{header.id}.jsonl"


def _copy(path: Path, target: Path) -> bool:
    """False where `target` exists, also since a moment ago: it stays as it is. Raises `OSError`."""
    if os.path.lexists(target):
        return False
    with io.FileIO(path, "r") as source:
        try:
            write_new(target, pieces(source, always))
        except FileExistsError:
            return False
        status = os.fstat(source.fileno())
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    return True


def _same_bytes(one: Path, other: Path) -> bool:
    if not other.is_file():
        return False
    with io.FileIO(one, "r") as first, io.FileIO(other, "r") as second:
        pairs = zip_longest(pieces(first, always), pieces(second, always))
        return all(a == b for a, b in pairs)
