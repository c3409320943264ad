"""Editing a file: read, find, replace, write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pi_term.agent.tools import ToolError
from pi_term.base.json import JsonObject
from pi_term.coding.tools.edit.apply import Edit, locate, splice
from pi_term.coding.tools.edit.diff import EditDiff
from pi_term.coding.tools.edit.source import Source
from pi_term.coding.tools.paths import os_error_text
from pi_term.coding.tools.truncate import format_size
from pi_term.coding.tools.write import write_file

MAX_FILE_BYTES = 256 * 1024 * 1024
"""Larger files are refused: an edit holds a few copies of the whole text in memory."""


def edit_file(path: Path, edits: Sequence[Edit], shown: str) -> JsonObject:
    """Apply all edits or none; gives the difference. Raises `ToolError` about `shown`."""
    source = Source(_read(path, shown))
    splices = locate(source, edits, shown)
    raw = splice(source, splices)
    if raw == source.raw:
        raise ToolError(f"{shown} was not changed: the new text is what is there already.")
    details = EditDiff(source, splices, shown).details()
    write_file(path, source.encode(raw), shown)
    return details


def _read(path: Path, shown: str) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise ToolError(f"Cannot edit {shown}: it is not a regular file.")
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ToolError(f"Cannot edit {shown}: it is over {format_size(MAX_FILE_BYTES)}.")
        return path.read_bytes()
    except OSError as error:
        raise ToolError(os_error_text("edit", shown, error)) from error
