"""What goes into one model call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Literal, TypeAlias

from pi_term.ai.messages import Message
from pi_term.ai.models import ThinkingLevel
from pi_term.ai.tools import Tool
from pi_term.base.abort import AbortSignal
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject, JsonValue

CacheRetention: TypeAlias = Literal["none", "short", "long"]
HeadersHook: TypeAlias = "Callable[[dict[str, str | None]], object]"
PayloadHook: TypeAlias = "Callable[[JsonObject], object]"
ResponseHook: TypeAlias = "Callable[[int, Mapping[str, str]], object]"
EventHook: TypeAlias = "Callable[[JsonValue], object]"


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

    `timeout_ms` bounds the wait until the answer begins (None: as long as `idle_timeout_ms`),
    `idle_timeout_ms` the wait for the next bytes (None or 0: no bound). `cache_retention` says for how
    long the provider is asked to keep the prompt. `proxy` is a proxy's URL that counts instead of the
    environment's. `attribution` tells some routers which program is calling. `block_images` replaces
    images by a sentence; `cross_model_thinking` is "drop" or "text": what becomes of another model's
    thoughts.

    The hooks may be functions or coroutine functions and are called in this order: `on_headers` changes
    the headers in place (None removes one; the API key is not among them); `on_payload` may return another
    payload; `on_response` gets the status and headers before the answer is read; `on_event` each JSON value
    of the stream before it is understood. What a hook raises fails the call.
    """

    api_key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    signal: AbortSignal | None = None
    thinking: ThinkingLevel = "off"
    max_tokens: int | None = None
    session_id: str | None = None
    timeout_ms: int | None = None
    idle_timeout_ms: int | None = 300_000
    thinking_budgets: Mapping[str, int] = field(default_factory=dict)
    cache_retention: CacheRetention = "short"
    proxy: str | None = field(default=None, repr=False)
    attribution: bool = True
    block_images: bool = False
    cross_model_thinking: str = "drop"
    on_headers: HeadersHook | None = None
    on_payload: PayloadHook | None = None
    on_response: ResponseHook | None = None
    on_event: EventHook | None = None
