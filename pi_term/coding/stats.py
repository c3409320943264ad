"""What a session has used so far, and how full the model's context is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from pi_term.ai.messages import AssistantMessage, ImageContent, TextContent, ThinkingContent, ToolCall, Usage
from pi_term.base import json
from pi_term.coding.session.entries import MessageEntry
from pi_term.coding.session.tree import SessionTree

CHARS_PER_TOKEN = 4
IMAGE_TOKENS = 1200


@dataclass(slots=True)
class SessionStats:
    """Tokens and US dollars of all model calls."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float = 0.0

    def add(self, usage: Usage) -> None:
        """Count one call."""
        self.input += usage.input
        self.output += usage.output
        self.cache_read += usage.cache_read
        self.cache_write += usage.cache_write
        self.cost += usage.cost.total

    def merge(self, other: SessionStats) -> None:
        """Add what `other` counted."""
        self.input += other.input
        self.output += other.output
        self.cache_read += other.cache_read
        self.cache_write += other.cache_write
        self.cost += other.cost


def stored_usage(tree: SessionTree) -> Iterator[Usage]:
    """What each model call of a stored session used, on every branch; decodes one entry at a time."""
    for entry in tuple(tree.entries):
        usage = None
        if entry.role == "assistant":
            usage = entry.data.get("message", {}).get("usage")
        elif entry.type in ("compaction", "branch_summary", "usage"):
            usage = entry.data.get("usage")
        if isinstance(usage, dict):
            with suppress(ValueError, TypeError, AttributeError):  # a shape that is not known counts nothing
                yield Usage.from_json(usage)


def stored_context_tokens(tree: SessionTree) -> int | None:
    """`context_tokens` of a stored branch, from its end: as little as possible is decoded."""
    later: list[object] = []
    for entry in tree.walk(tree.leaf):
        if entry.type == "compaction":
            return None
        record = entry.record() if entry.type == "message" else None
        if isinstance(record, MessageEntry):
            later.append(record.message)
            found = context_tokens(reversed(later))
            if found is not None:
                return found
    return None


def context_tokens(messages: Iterable[object]) -> int | None:
    """Tokens in the model's context: the last answer's own count, plus an estimate of what came later.

    None before the first answer that reported usage.
    """
    later = 0
    for message in reversed(list(messages)):
        if isinstance(message, AssistantMessage) and _counted(message):
            return message.usage.total_tokens + later // CHARS_PER_TOKEN
        later += estimate_chars(message)
    return None


def estimate_chars(message: object) -> int:
    """Size of a message for the rule of thumb of four characters a token; an image counts as 1,200 tokens."""
    content = getattr(message, "content", "")
    if isinstance(content, str):
        return len(content)
    return sum(_part_chars(part) for part in content)


def _part_chars(part: object) -> int:
    match part:
        case TextContent(text=text) | ThinkingContent(thinking=text):
            return len(text)
        case ToolCall():
            return len(part.name) + len(json.dumps(part.arguments))
        case ImageContent():
            return IMAGE_TOKENS * CHARS_PER_TOKEN
    return 0


def _counted(message: AssistantMessage) -> bool:
    return message.stop_reason not in ("error", "aborted") and message.usage.total_tokens > 0
