"""What a session has used so far, and how full the model's context is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pi_term.ai.messages import AssistantMessage, ImageContent, TextContent, ThinkingContent, ToolCall, Usage
from pi_term.base import json
from pi_term.base.json import JsonObject
from pi_term.coding.session.entries import CONTEXT_TYPES, MessageEntry
from pi_term.coding.session.tree import SessionTree

CHARS_PER_TOKEN = 4
IMAGE_TOKENS = 1200
_LOOK_BACK = 500  # messages, newest first: servers that report no usage must not cost a walk to the root
_USING_TYPES = frozenset(("compaction", "branch_summary", "usage"))


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
        if entry.role == "assistant" or entry.type in _USING_TYPES:
            usage = _usage_in(entry.data)
            if usage is not None:
                yield usage


def _usage_in(data: JsonObject) -> Usage | None:
    """The usage of an entry; None where its shape is not known: that counts nothing."""
    try:
        holder = data["message"] if data.get("type") == "message" else data
        usage = Usage.from_json(holder["usage"])
    except (KeyError, ValueError, TypeError, AttributeError):
        return None
    counts = (usage.input, usage.output, usage.cache_read, usage.cache_write, usage.cost.total)
    return usage if all(isinstance(count, (int, float)) for count in counts) else None


def stored_context_tokens(tree: SessionTree) -> int | None:
    """`context_tokens` of a stored branch, from its end: as little as possible is decoded.

    None also when the branch ends soon after a compaction: what it left over has not been counted yet.
    """
    return _tokens(_stored_messages(tree))


def context_tokens(messages: Sequence[object]) -> int | None:
    """Tokens in the model's context: the last answer's own count, plus an estimate of what came later.

    None before the first answer that reported usage, and long after the last one.
    """
    return _tokens(reversed(messages))


def _tokens(newest_first: Iterable[object]) -> int | None:
    later = 0
    for message in islice(newest_first, _LOOK_BACK):
        if isinstance(message, AssistantMessage) and _counted(message):
            return message.usage.total_tokens + later // CHARS_PER_TOKEN
        later += estimate_chars(message)
    return None


def _stored_messages(tree: SessionTree) -> Iterator[object]:
    """Messages of the branch, and records that stand for one, from its end to the latest compaction."""
    for entry in tree.walk(tree.leaf):
        if entry.type == "compaction":
            return
        if entry.type in CONTEXT_TYPES:
            record = entry.record()
            yield record.message if isinstance(record, MessageEntry) else record


def estimate_chars(message: object) -> int:
    """Size of a message for the rule of thumb of four characters a token; an image counts as 1,200 tokens.

    Also of the session's own kinds of messages and entries; what is never sent to a model has none.
    """
    if getattr(message, "exclude_from_context", None):
        return 0
    texts = (getattr(message, name, None) for name in ("summary", "command", "output"))
    sections = getattr(message, "sections", None) or {}
    size = sum(len(text) for text in (*texts, *sections.values()) if text)
    content = getattr(message, "content", "")
    if isinstance(content, str):
        return size + len(content)
    return size + sum(_part_chars(part) for part in content)


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
    total = message.usage.total_tokens
    return message.stop_reason not in ("error", "aborted") and isinstance(total, (int, float)) and total > 0
