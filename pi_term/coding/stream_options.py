"""How model calls are made."""

from __future__ import annotations

import os

from pi_term.ai.context import CacheRetention, StreamOptions
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore


def stream_options(settings: SettingsStore) -> StreamOptions:
    """What the settings and the environment say now."""
    first, idle = settings.get(schema.PROVIDER_TIMEOUT), settings.get(schema.HTTP_IDLE_TIMEOUT)
    return StreamOptions(
        timeout_ms=None if first is None else round(first),
        idle_timeout_ms=round(idle) or None,
        proxy=settings.get(schema.HTTP_PROXY),
        cache_retention=_cache_retention(),
        attribution=os.environ.get("PI_TELEMETRY", "1").lower() not in ("0", "false", "no"),
        thinking_budgets=settings.get(schema.THINKING_BUDGETS),
        block_images=settings.get(schema.BLOCK_IMAGES),
        cross_model_thinking=settings.get(schema.CROSS_MODEL_THINKING),
    )


def _cache_retention() -> CacheRetention:
    """How long providers shall keep the prompt; Pi's variable says so."""
    return "long" if os.environ.get("PI_CACHE_RETENTION") == "long" else "short"
