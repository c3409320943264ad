"""What goes into one model call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pi_term.ai.messages import Message
from pi_term.ai.models import ThinkingLevel
from pi_term.ai.tools import Tool
from pi_term.base.abort import AbortSignal


@dataclass(frozen=True, slots=True)
class Context:
    """The system prompt, the conversation and the tools on offer.

    `messages` holds no `SystemMessage`: those are replayed into `system_prompt` and `tools` before.
    """

    system_prompt: str = ""
    messages: Sequence[Message] = ()
    tools: Sequence[Tool] = ()


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """How to make one call. Credentials are resolved by the caller, before every call.

    `idle_timeout_ms` bounds the wait for the next bytes (None: no bound); `block_images` replaces images
    by a sentence; `cross_model_thinking` is "drop" or "text": what becomes of another model's thoughts.
    """

    api_key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    signal: AbortSignal | None = None
    thinking: ThinkingLevel = "off"
    max_tokens: int | None = None
    session_id: str | None = None
    idle_timeout_ms: int | None = 300_000
    thinking_budgets: Mapping[str, int] = field(default_factory=dict)
    block_images: bool = False
    cross_model_thinking: str = "drop"
