"""Thinking levels: which ones a model has, and what each means to a provider."""

from __future__ import annotations

from collections.abc import Mapping

from pi_term.ai.models import THINKING_LEVELS, Model, ThinkingLevel

# Levels that only models have which say so.
_ON_REQUEST = ("xhigh", "max")
_BUDGETS: dict[str, int] = {
    "minimal": 1024,
    "low": 2048,
    "medium": 8192,
    "high": 16384,
    "xhigh": 32768,
    "max": 65536,
}
# What is left for the answer where thinking and answer share one limit; also the least an API accepts.
_LEAST_TOKENS = 1024


def supported_levels(model: Model) -> tuple[ThinkingLevel, ...]:
    """The levels that can be asked of the model, in rising order."""
    if not model.reasoning:
        return ("off",)
    names = model.thinking_level_map
    return tuple(
        level
        for level in THINKING_LEVELS
        if (names[level] is not None if level in names else level not in _ON_REQUEST)
    )


def clamp_level(model: Model, level: ThinkingLevel) -> ThinkingLevel:
    """The level itself, or else the next higher that the model has, or else the highest."""
    supported = supported_levels(model)
    if level in supported or not supported:
        return level if supported else "off"
    wanted = THINKING_LEVELS.index(level)
    return next((each for each in supported if THINKING_LEVELS.index(each) > wanted), supported[-1])


def effort_name(model: Model, level: ThinkingLevel) -> str:
    """The provider's own word for the level."""
    return model.thinking_level_map.get(level) or level


def budget_tokens(level: ThinkingLevel, max_tokens: int, budgets: Mapping[str, int]) -> int | None:
    """Tokens to think with, leaving room for the answer; None where there is no room for thinking."""
    wanted = budgets.get(level) or _BUDGETS.get(level, 0)
    budget = min(wanted, max_tokens - _LEAST_TOKENS)
    return budget if budget >= _LEAST_TOKENS else None
