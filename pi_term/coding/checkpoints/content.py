"""What is at a path: its content, as far as it is looked into."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import aclosing, suppress

from pi_term.base.dataclass import dataclass
from pi_term.base.records import Record
from pi_term.coding.tools.operations import FileKind, Operations

_AT_ONCE = 64 * 1024  # bytes that are hashed in less time than it takes to ask a thread


@dataclass(slots=True)
class Content(Record):
    """What a file held: `size` in bytes, `digest` its SHA-256 in hex, `mode` the permission bits.

    Without a digest it was not looked into, because it was too large or could not be read.
    """

    size: int
    digest: str | None = None
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What is at a path; `kind` is None where nothing is. Only files have a `content`.

    `data` are its bytes, where they are few enough to be kept.
    """

    kind: FileKind | None = None
    content: Content | None = None
    data: bytes | None = None


def same(one: Content | None, other: Content | None) -> bool:
    """Whether two contents are surely the same; None: there was no file."""
    if one is None or other is None:
        return one is other
    return one.digest is not None and one.digest == other.digest


async def content_of(data: bytes) -> Content:
    """What a file holds once `data` is written."""
    sha = hashlib.sha256()
    await _add(sha, data)
    return Content(len(data), sha.hexdigest())


async def look(path: str, operations: Operations, limit: int, *, thorough: bool = False) -> Seen:
    """Look at what is there. Files over `limit` bytes are not read, unless `thorough`: then their digest is
    known all the same. Raises `OSError` where not even the status is to be had.
    """
    status, data = await operations.load(path, limit)
    if status is None:
        return Seen()
    if status.kind != "file":
        return Seen(status.kind)
    content = Content(status.size, mode=status.mode)
    if data is not None:
        sha = hashlib.sha256()
        await _add(sha, data)
        content.size, content.digest = len(data), sha.hexdigest()
    elif thorough:
        with suppress(OSError):  # a file that may only be written
            content.size, content.digest = await _read(path, operations)
    return Seen("file", content, data)


async def _read(path: str, operations: Operations) -> tuple[int, str]:
    """Size and digest of a file of any size."""
    sha = hashlib.sha256()
    size = 0
    async with aclosing(operations.read(path)) as pieces:
        async for piece in pieces:
            size += len(piece)
            await _add(sha, piece)
    return size, sha.hexdigest()


async def _add(sha: hashlib._Hash, data: bytes) -> None:
    if len(data) <= _AT_ONCE:
        sha.update(data)
    else:
        await asyncio.to_thread(sha.update, data)
