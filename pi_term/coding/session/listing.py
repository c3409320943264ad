"""The sessions of a folder, or of all folders, newest first: for people to choose from.

Names and times come first, of thousands of files at once. What is in a file is read when its turn
comes, in pieces: neither the number nor the size of the files decides how much memory is needed. All
functions read folders and files: they block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pi_term.base.abort import Wanted, always, check
from pi_term.base.dataclass import dataclass
from pi_term.coding.session.digest import digest_of
from pi_term.coding.session.entries import SessionHeader
from pi_term.coding.session.folders import DatedFile, Home
from pi_term.coding.session.locate import read_head


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """What people choose a session by. Times are Unix time in milliseconds, `size` is in bytes.

    `name` is what people named it. `message_count` counts the messages on all branches but those to the
    system; `first_message` is the beginning of the first words of the user, in one line, "" without any.
    """

    path: Path
    id: str
    cwd: str
    name: str | None
    created: int
    modified: int
    message_count: int
    first_message: str
    parent_session: str | None
    size: int


def list_sessions(
    files: Iterable[DatedFile], *, cwd: str | Path | None = None, wanted: Wanted = always
) -> Iterator[SessionSummary]:
    """What is in these files, one after the other as they are asked for; only sessions of `cwd`, if given.

    Files that are no sessions, lack a whole header, or cannot be read are passed over. Raises
    `AbortError` once `wanted()` is false.
    """
    home = Home(cwd)
    for file in files:
        check(wanted)
        header = read_head(file.path)
        if header is None or not home.has(header):
            continue
        try:
            summary = _summary(file, header, wanted)
        except OSError:
            continue
        yield summary


def read_summary(path: Path, *, wanted: Wanted = always) -> SessionSummary | None:
    """What is in one file; None where `list_sessions` would pass over it."""
    with suppress(OSError):
        status = path.stat()
        if path.is_file():
            return next(
                list_sessions([DatedFile(path, status.st_mtime_ns, status.st_size)], wanted=wanted), None
            )
    return None


def _summary(file: DatedFile, header: SessionHeader, wanted: Wanted) -> SessionSummary:
    digest = digest_of(file.path, wanted)
    modified = file.modified_ns // 1_000_000
    return SessionSummary(
        path=file.path,
        id=header.id,
        cwd=header.cwd,
        name=digest.name,
        created=_moment(header.timestamp, modified),
        modified=modified,
        message_count=digest.messages,
        first_message=digest.first_message,
        parent_session=header.parent_session if isinstance(header.parent_session, str) else None,
        size=file.size,
    )


def _moment(timestamp: Any, otherwise: int) -> int:
    """Unix time in milliseconds of an ISO time; files of others hold all sorts of things there."""
    try:
        moment = datetime.fromisoformat(timestamp)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    except (TypeError, ValueError, OverflowError):
        return otherwise
