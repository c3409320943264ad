"""Asking a provider to keep the prompt for the next request."""

from __future__ import annotations

from pi_term.ai.context import CacheRetention
from pi_term.base.json import JsonObject

_LONGEST_KEY = 64


def cache_mark(retention: CacheRetention, *, long: bool) -> JsonObject:
    """Anthropic's field that has a block, and all before it, kept; `long`: if an hour can be asked for."""
    if retention == "none":
        return {}
    lifetime = {"ttl": "1h"} if retention == "long" and long else {}
    return {"cache_control": {"type": "ephemeral", **lifetime}}


def cache_key(session_id: str) -> str:
    """OpenAI's key for prompts that belong together: the session's id, as far as the API takes it."""
    return session_id[:_LONGEST_KEY]
