"""What the searching tools answer with."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pi_term.agent.tools import ToolResult, text_result
from pi_term.base.json import JsonObject
from pi_term.coding.tools.truncate import MAX_BYTES, format_size, truncate_head

_ANY_LINES = 2**53 - 1
"""Stands for "no limit" in the details of a cut result, where it must be a number."""
_NAMED = 3


def whole(number: float | None, default: int, least: int = 1) -> int:
    """An optional argument as a whole number, `least` or more."""
    return default if number is None else max(least, int(min(number, sys.maxsize)))


def search_result(
    lines: Sequence[str], nothing: str, details: JsonObject, limit_note: str, notes: Sequence[str]
) -> ToolResult:
    """The lines, or `nothing`, as far as a model gets them, with notes of what is missing."""
    shown = truncate_head("\n".join(lines), _ANY_LINES)
    if shown.truncated:
        details = {**details, "truncation": shown.to_json()}
    size_note = f"{format_size(MAX_BYTES)} limit reached" if shown.truncated else ""
    told = ". ".join(filter(None, (limit_note, size_note, *notes)))
    text = shown.content if lines else nothing
    return text_result(f"{text}\n\n[{told}]" if told else text, details=details or None)


def limit_note(what: str, limit: int, refine: str = ", or refine pattern") -> str:
    """Says that there is more, in Pi's words."""
    return f"{limit} {what} limit reached. Use limit={2 * limit} for more{refine}"


def some_of(names: Sequence[str]) -> str:
    """The first names, for a note."""
    return ", ".join(names[:_NAMED]) + (" and more" if len(names) > _NAMED else "")


def unreadable_note(unreadable: Sequence[str]) -> str:
    """Says what could not be searched."""
    return f"Could not read {some_of(sorted(unreadable))}" if unreadable else ""
