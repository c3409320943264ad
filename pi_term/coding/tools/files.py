"""What the tools that work on one file have in common."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from pi_term.agent.tools import ToolError
from pi_term.coding.tools.operations import FileStatus, Operations


@contextmanager
def told(verb: str, shown: str) -> Iterator[None]:
    """Makes an `OSError` inside a `ToolError`: `Cannot read x.txt: permission denied`."""
    try:
        yield
    except OSError as error:
        cause = error.strerror or str(error) or type(error).__name__
        raise ToolError(f"Cannot {verb} {shown}: {cause[:1].lower()}{cause[1:]}") from error


async def file_status(verb: str, path: str, shown: str, operations: Operations) -> FileStatus | None:
    """The status of a file, None if there is nothing; raises `ToolError` ("Cannot read x: …") for what
    is no file."""
    return _file(verb, shown, await operations.status(path))


async def existing_file(verb: str, path: str, shown: str, operations: Operations) -> FileStatus:
    """The status of a file that must be there."""
    status = await file_status(verb, path, shown, operations)
    if status is None:
        raise no_such_file(verb, shown)
    return status


def no_such_file(verb: str, shown: str) -> ToolError:
    """The error about a file that must be there and is not."""
    return ToolError(f"Cannot {verb} {shown}: no such file or directory.")


async def load_file(
    verb: str, path: str, shown: str, operations: Operations, limit: int
) -> tuple[FileStatus | None, bytes | None]:
    """The status as `file_status`, and the content, if it can be read and is at most `limit` bytes."""
    status, data = await operations.load(path, limit)
    return _file(verb, shown, status), data


def _file(verb: str, shown: str, status: FileStatus | None) -> FileStatus | None:
    if status is not None and status.kind != "file":
        kind = "a directory" if status.kind == "folder" else "not a regular file"
        raise ToolError(f"Cannot {verb} {shown}: it is {kind}.")
    return status


async def collect(pieces: AsyncIterator[bytes], limit: int) -> bytes | None:
    """All pieces as one; None if they are over `limit` bytes."""
    parts: list[bytes] = []
    size = 0
    async for piece in pieces:
        parts.append(piece)
        size += len(piece)
        if size > limit:
            return None
    return await asyncio.to_thread(b"".join, parts)
