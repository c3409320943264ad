"""What a call cost: by the model's prices, or by what the provider itself says that it charged."""

from __future__ import annotations

import math
from typing import Any

from pi_term.ai.messages import Cost, Usage
from pi_term.ai.models import Model
from pi_term.ai.usage import cost_of
from pi_term.base.json import JsonObject

_TICKS_PER_DOLLAR = 10_000_000_000


def charge(usage: Usage, model: Model, report: JsonObject) -> None:
    """Set the cost of counted tokens; `report` is the provider's own account of its usage.

    A charge that the provider names is the total, shared out among the kinds of tokens as the prices are.
    """
    usage.cost = cost_of(usage, model.cost)
    charged = _charged(report)
    if charged is not None:
        usage.cost = _shared_out(usage.cost, charged)


def _charged(report: JsonObject) -> float | None:
    """US dollars: routers name them as `cost`, xAI in ticks. With a key of the user's own for the provider
    behind a router, the router's cost is only its fee."""
    ticks = _dollars(report.get("cost_in_usd_ticks"))
    if ticks is not None:
        return ticks / _TICKS_PER_DOLLAR
    cost = _dollars(report.get("cost"))
    details = report.get("cost_details")
    if cost is not None and report.get("is_byok") is True and isinstance(details, dict):
        cost += _dollars(details.get("upstream_inference_cost")) or 0.0
    return cost


def _dollars(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None


def _shared_out(cost: Cost, total: float) -> Cost:
    part = total / cost.total if cost.total > 0 else 0.0
    shared = Cost(
        cost.input * part, cost.output * part, cost.cache_read * part, cost.cache_write * part, total
    )
    shared.extra["totalFromProvider"] = True
    return shared
