"""`ls`: what is in a folder."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Iterable
from typing import TypeAlias

from pi_term.agent.tools import ToolResult, text_result
from pi_term.base.json import JsonObject
from pi_term.coding.tools.definition import ToolContext
from pi_term.coding.tools.files import told
from pi_term.coding.tools.operations import FolderEntry
from pi_term.coding.tools.search.definitions import LS_LIMIT
from pi_term.coding.tools.search.paths import shown_path
from pi_term.coding.tools.search.place import locate_folder
from pi_term.coding.tools.search.result import limit_note, search_result, whole

_NOTHING = "(empty directory)"

_Order: TypeAlias = tuple[list[int], str]
_PUNCTUATION = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_RANKS = {char: rank for rank, char in enumerate(_PUNCTUATION)}


async def ls(args: JsonObject, context: ToolContext) -> ToolResult:
    """A call of the tool."""
    limit = whole(args.get("limit"), LS_LIMIT)
    place = await locate_folder(args.get("path"), context)
    with told("list", args.get("path") or "."):
        entries = await context.operations.entries(place.folder)
    context.call.signal.raise_if_aborted()
    lines = await asyncio.to_thread(_listed, entries)
    if not lines:
        return text_result(_NOTHING)
    is_cut = len(lines) > limit
    details: JsonObject = {"entryLimitReached": limit} if is_cut else {}
    note = limit_note("entries", limit, refine="") if is_cut else ""
    return search_result(lines[:limit], _NOTHING, details, note, ())


def _listed(entries: Iterable[FolderEntry]) -> list[str]:
    ordered = sorted(entries, key=lambda entry: _order(entry.name))
    return [f"{shown_path(entry.name)}{'/' if entry.kind == 'folder' else ''}" for entry in ordered]


def _order(name: str) -> _Order:
    """As in a dictionary: marks, digits, letters; capitals and accents tell only what is else the same."""
    plain = unicodedata.normalize("NFD", name.casefold())
    return [_rank(char) for char in plain if not unicodedata.combining(char)], name


def _rank(char: str) -> int:
    return _RANKS.get(char, ord(char) + len(_RANKS))
