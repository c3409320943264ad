"""Models as programs are told of them."""

from __future__ import annotations

from pi_term.ai.models import CostTier, Model, ModelCost
from pi_term.base.json import JsonObject


def model_json(model: Model) -> JsonObject:
    """A model in Pi's shape. Its headers are left out: a key may be among them."""
    told: JsonObject = {
        "id": model.id,
        "name": model.label,
        "api": model.api,
        "provider": model.provider,
        "baseUrl": model.base_url,
        "reasoning": model.reasoning,
        "input": list(model.input),
        "cost": _cost_json(model.cost),
        "contextWindow": model.context_window,
        "maxTokens": model.max_tokens,
    }
    if model.thinking_level_map:
        told["thinkingLevelMap"] = dict(model.thinking_level_map)
    if model.compat:
        told["compat"] = model.compat
    return told


def _cost_json(cost: ModelCost) -> JsonObject:
    told = _prices(cost)
    if cost.tiers:
        told["tiers"] = [
            {"inputTokensAbove": tier.input_tokens_above, **_prices(tier)} for tier in cost.tiers
        ]
    return told


def _prices(cost: ModelCost | CostTier) -> JsonObject:
    return {
        "input": cost.input,
        "output": cost.output,
        "cacheRead": cost.cache_read,
        "cacheWrite": cost.cache_write,
    }
