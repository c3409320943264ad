"""What a thinking level means to a provider: a word, or a number of tokens."""

from __future__ import annotations

from collections.abc import Mapping

from pi_term.ai.models import Model, ThinkingLevel

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


def effort_name(model: Model, level: ThinkingLevel) -> str:
    """The provider's own word for the level."""
    return model.thinking_level_map.get(level) or level


def budget_tokens(level: ThinkingLevel, max_tokens: int, budgets: Mapping[str, int]) -> int | None:
    """Tokens to think with, leaving room for the answer; None where there is no room for thinking."""
    wanted = budgets.get(level) or _BUDGETS.get(level, 0)
    budget = min(wanted, max_tokens - _LEAST_TOKENS)
    return budget if budget >= _LEAST_TOKENS else None
