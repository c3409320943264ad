"""What a model call cost.

Prices are dollars per million tokens. A missing, negative or absurd price or count is zero: no figure
may become NaN, and none may lower the sum.
"""

from __future__ import annotations

import math
from typing import Any

from pi_term.ai.messages import Cost, Usage
from pi_term.ai.models import CostTier, ModelCost

_MILLION = 1_000_000
# A cache entry that lives an hour is written at twice the price of fresh input.
_LONG_CACHE_FACTOR = 2


def count(value: Any) -> int:
    """A token count as a server gave it: anything that is no number above zero is zero."""
    return int(price(value))


def price(value: Any) -> float:
    """A price as configured: anything that is no number above zero is zero."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    return float(value) if value > 0 and math.isfinite(value) else 0.0


def cost_of(usage: Usage, prices: ModelCost) -> Cost:
    """Dollars for each kind of token. A tier's prices hold for the whole request."""
    rates = _rates(prices, usage.input + usage.cache_read + usage.cache_write)
    long_writes = min(count(usage.extra.get("cacheWrite1h")), usage.cache_write)
    cost = Cost(
        input=price(rates.input) * usage.input / _MILLION,
        output=price(rates.output) * usage.output / _MILLION,
        cache_read=price(rates.cache_read) * usage.cache_read / _MILLION,
        cache_write=(
            price(rates.cache_write) * (usage.cache_write - long_writes)
            + price(rates.input) * _LONG_CACHE_FACTOR * long_writes
        )
        / _MILLION,
    )
    cost.total = cost.input + cost.output + cost.cache_read + cost.cache_write
    return cost


def _rates(prices: ModelCost, whole_input: int) -> ModelCost | CostTier:
    reached = [tier for tier in prices.tiers if whole_input > tier.input_tokens_above]
    return max(reached, key=lambda tier: tier.input_tokens_above, default=None) or prices
