"""Asking for thinking on `google-generative-ai`: a budget of tokens, or from Gemini 3 on a level."""

from __future__ import annotations

import re

from pi_term.ai.catalog.levels import clamp_level
from pi_term.ai.context import StreamOptions
from pi_term.ai.models import Model
from pi_term.base.json import JsonObject

# Tokens for the levels of the models that count them; another model decides for itself.
_BUDGETS = {
    "gemini-2.5-flash-lite": {"minimal": 512, "low": 2048, "medium": 8192, "high": 24576},
    "gemini-2.5-flash": {"minimal": 128, "low": 2048, "medium": 8192, "high": 24576},
    "gemini-2.5-pro": {"minimal": 128, "low": 2048, "medium": 8192, "high": 32768},
}
_BY_ITSELF = -1
# The least budget of a model that cannot stop thinking.
_LEAST_BUDGET = {"gemini-2.5-pro": 128}
_ROOM_FOR_THE_ANSWER = 1024
_LEVELS = {"minimal": "MINIMAL", "low": "LOW", "medium": "MEDIUM"}
_HIGHEST = "HIGH"
_GENERATION = re.compile(r"gemini-(\d+)")


def generation(model: Model) -> int | None:
    """Which Gemini a model is, as its id says; None for what is no Gemini of a known generation."""
    found = _GENERATION.search(model.id)
    return int(found[1]) if found else None


def has_levels(model: Model) -> bool:
    """Whether the model takes a thinking level rather than a budget."""
    return (generation(model) or 0) >= 3 or "gemma-4" in model.id


def thinking_config(model: Model, options: StreamOptions, max_tokens: int) -> JsonObject:
    """The `thinkingConfig` of a model that reasons."""
    level = clamp_level(model, options.thinking)
    if level == "off":
        return _off(model)
    mapped = model.thinking_level_map.get(level)
    if mapped is not None and not mapped.lstrip("-").isdigit():
        return {"includeThoughts": True, "thinkingLevel": mapped.upper()}
    if mapped is None and has_levels(model):
        return {"includeThoughts": True, "thinkingLevel": _LEVELS.get(level, _HIGHEST)}
    wanted = options.thinking_budgets.get(level) or int(mapped or _budget(model, level))
    if wanted > 0:
        wanted = min(wanted, max(max_tokens - _ROOM_FOR_THE_ANSWER, _LEAST_BUDGET.get(_family(model), 1)))
    return {"includeThoughts": True, "thinkingBudget": wanted}


def _off(model: Model) -> JsonObject:
    if has_levels(model):
        return {"thinkingLevel": "LOW" if "pro" in model.id else "MINIMAL"}
    return {"thinkingBudget": _LEAST_BUDGET.get(_family(model), 0)}


def _budget(model: Model, level: str) -> int:
    budgets = _BUDGETS.get(_family(model), {})
    return budgets.get(level, budgets.get("high", _BY_ITSELF))


def _family(model: Model) -> str:
    return next((name for name in _BUDGETS if name in model.id), "")
