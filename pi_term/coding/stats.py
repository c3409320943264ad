"""What a session has used so far, and how full the model's context is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pi_term.ai.messages import AssistantMessage, ImageContent, TextContent, ThinkingContent, ToolCall, Usage
from pi_term.base import json

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
