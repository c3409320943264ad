"""What people and models said in an entry: the text that people look for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pi_term.base.json import JsonObject

Keys = tuple[str | None, ...]
"""The way to a value in an entry: its keys; None is any place in a list."""

_BY_ROLE: dict[str, tuple[str, ...]] = {
    "user": ("content",),
    "assistant": ("content",),
    "bashExecution": ("command",),
    "custom": ("content",),
    "hookMessage": ("content",),
    "branchSummary": ("summary",),
    "compactionSummary": ("summary",),
}
_OUTPUT_BY_ROLE: dict[str, tuple[str, ...]] = {"toolResult": ("content",), "bashExecution": ("output",)}
_BY_TYPE: dict[str, tuple[str, ...]] = {
    "custom_message": ("content",),
    "compaction": ("summary",),
    "branch_summary": ("summary",),
    "session_info": ("name",),
}


def places(kind: str, role: str, *, tool_results: bool) -> list[tuple[str, ...]]:
    """Where an entry of this type (and role, if it is a message) holds what was said.

    Each is a text, or a list of parts that have a `text`. Thinking, tool calls and images are not said.
    """
    if kind != "message":
        return [(field,) for field in _BY_TYPE.get(kind, ())]
    fields = _BY_ROLE.get(role, ())
    if tool_results:
        fields += _OUTPUT_BY_ROLE.get(role, ())
    return [("message", field) for field in fields]


def all_places() -> set[tuple[str, ...]]:
    """Where entries of any kind hold what was said."""
    of_messages = {("message", field) for fields in _BY_ROLE.values() for field in fields}
    of_output = {("message", field) for fields in _OUTPUT_BY_ROLE.values() for field in fields}
    return {*of_messages, *of_output, *((field,) for fields in _BY_TYPE.values() for field in fields)}


def kind_and_role(data: JsonObject) -> tuple[str, str]:
    """The type of an entry and the role of its message; "" for what is missing."""
    message = data.get("message")
    kind, role = data.get("type"), message.get("role") if isinstance(message, dict) else ""
    return kind if isinstance(kind, str) else "", role if isinstance(role, str) else ""


def texts_of(data: JsonObject, *, tool_results: bool) -> Iterator[str]:
    """What was said in an entry, unless it is hidden from people."""
    kind, role = kind_and_role(data)
    holder = data["message"] if kind == "message" and role else data
    if holder.get("display") is False:
        return
    for place in places(kind, role, tool_results=tool_results):
        yield from _texts(holder.get(place[-1]))


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            text = part.get("text") if isinstance(part, dict) else None
            if isinstance(text, str):
                yield text
