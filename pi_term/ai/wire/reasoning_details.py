"""The reasoning that routers send in pieces beside the words, and want back whole.

A session keeps it as the signature of the reply's thought, as Pi's session files do; a reply without a
readable thought keeps it on its first call.
"""

from __future__ import annotations

from typing import Any

from pi_term.ai.messages import AssistantMessage, ThinkingContent, ToolCall
from pi_term.base.json import JsonError, JsonObject, dumps_str, loads

_GROWING = ("text", "summary")


class ReasoningDetails:
    """Collects the pieces of one reply."""

    def __init__(self) -> None:
        self._details: list[JsonObject] = []

    def add(self, pieces: Any) -> None:
        """Take what a chunk holds; pieces of one kind and number are one detail."""
        for piece in pieces if isinstance(pieces, list) else ():
            if not isinstance(piece, dict):
                continue
            last = self._details[-1] if self._details else None
            if last is not None and _continues(last, piece):
                _extend(last, piece)
            else:
                self._details.append(dict(piece))

    def keep_in(self, message: AssistantMessage) -> None:
        """Store all of it in the message."""
        if not self._details:
            return
        signature = dumps_str(self._details)
        thought = next((part for part in message.content if isinstance(part, ThinkingContent)), None)
        if thought is not None:
            thought.thinking_signature = signature
        elif message.tool_calls:
            message.tool_calls[0].thought_signature = signature


def details_in(message: AssistantMessage) -> list[Any]:
    """What is to be sent back of a reply of the model's own; none for what is no such detail."""
    for part in message.content:
        signature = None
        if isinstance(part, ThinkingContent):
            signature = part.thinking_signature
        elif isinstance(part, ToolCall):
            signature = part.thought_signature
        if signature and signature.startswith("["):
            try:
                value = loads(signature)
            except JsonError:
                continue
            if isinstance(value, list):
                return value
    return []


def _continues(last: JsonObject, piece: JsonObject) -> bool:
    return (
        any(isinstance(last.get(key), str) for key in _GROWING)
        and piece.get("type") == last.get("type")
        and piece.get("index") == last.get("index")
    )


def _extend(last: JsonObject, piece: JsonObject) -> None:
    for key, value in piece.items():
        if key in _GROWING and isinstance(value, str) and isinstance(last.get(key), str):
            last[key] += value
        elif value is not None:
            last[key] = value
