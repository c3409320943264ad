"""Editing a file: read, find, replace, write."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

from pi_term.agent.tools import ToolError
from pi_term.base.abort import AbortSignal
from pi_term.base.json import JsonObject
from pi_term.coding.tools.edit.apply import Edit, locate, splice
from pi_term.coding.tools.edit.diff import EditDiff
from pi_term.coding.tools.edit.source import Source
from pi_term.coding.tools.files import collect, load_file, no_such_file, told
from pi_term.coding.tools.operations import Operations
from pi_term.coding.tools.truncate import format_size

AT_ONCE = 1024 * 1024  # bytes that are read in one go
MAX_FILE_BYTES = 256 * 1024 * 1024
"""Larger files are refused: an edit holds a few copies of the whole text in memory."""


async def edit_file(
    path: str, edits: Sequence[Edit], shown: str, operations: Operations, signal: AbortSignal
) -> JsonObject:
    """Apply all edits or none; gives the difference. Raises `ToolError` about `shown`, and `OSError` when the
    file cannot be read."""
    data = await _read(path, shown, operations)
    changed, details = await asyncio.to_thread(edit_bytes, data, edits, shown)
    signal.raise_if_aborted()
    with told("write", shown):
        await operations.write(path, changed)
    return details


def edit_bytes(data: bytes, edits: Sequence[Edit], shown: str) -> tuple[bytes, JsonObject]:
    """The content with all edits made, and the difference. Blocks for as long as that takes."""
    source = Source(data)
    splices = locate(source, edits, shown)
    raw = splice(source, splices)
    if raw == source.raw:
        raise ToolError(f"{shown} was not changed: the new text is what is there already.")
    return source.encode(raw), EditDiff(source, splices, shown).details()


async def _read(path: str, shown: str, operations: Operations) -> bytes:
    status, data = await load_file("edit", path, shown, operations, AT_ONCE)
    if data is not None:
        return data
    if status is None:
        raise no_such_file("edit", shown)
    if status.size <= MAX_FILE_BYTES:
        async with aclosing(operations.read(path)) as pieces:
            data = await collect(pieces, MAX_FILE_BYTES)
            if data is not None:
                return data
    raise ToolError(f"Cannot edit {shown}: it is over {format_size(MAX_FILE_BYTES)}.")
