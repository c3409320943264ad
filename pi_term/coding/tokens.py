"""How large messages are for a model: the rule of thumb of four characters a token."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from pi_term.ai.messages import AssistantMessage, ImageContent, TextContent, ThinkingContent, ToolCall
from pi_term.base import json

CHARS_PER_TOKEN = 4
IMAGE_TOKENS = 1200
_LOOK_BACK = 500  # messages, newest first: servers that report no usage must not cost a walk to the root


def estimate_all(messages: Iterable[object]) -> int:
    """Tokens of messages, or of a session's records that stand for some; none of what no model gets."""
    return sum(estimate_chars(message) for message in messages) // CHARS_PER_TOKEN


def known_tokens(newest_first: Iterable[object]) -> int | None:
    """Tokens in the context whose messages are given from its end: the last answer's own count, plus an
    estimate of what came later.

    None before the first answer that reported usage, and long after the last one.
    """
    later = 0
    for message in islice(newest_first, _LOOK_BACK):
        if isinstance(message, AssistantMessage) and _counted(message):
            return message.usage.total_tokens + later // CHARS_PER_TOKEN
        later += estimate_chars(message)
    return None


def context_tokens(messages: Sequence[object], outdated: int = 0) -> int:
    """`known_tokens` of `messages`, or an estimate of all of them where nothing is known.

    The counts of the first `outdated` messages are of a context that is gone.
    """
    known = known_tokens(reversed(messages[outdated:]))
    return estimate_all(messages) if known is None else known


def estimate_chars(message: object) -> int:
    """Characters of a message; an image counts as 1,200 tokens."""
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
