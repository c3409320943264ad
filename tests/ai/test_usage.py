from __future__ import annotations

import math

import pytest

from pi_term.ai.messages import Usage
from pi_term.ai.models import CostTier, ModelCost
from pi_term.ai.usage import cost_of, count

PRICES = ModelCost(input=3, output=15, cache_read=0.3, cache_write=3.75)


def test_each_kind_of_token_is_charged_once() -> None:
    cost = cost_of(Usage(input=200, output=500, cache_read=800, cache_write=1000), PRICES)
    assert cost.input == pytest.approx(200 * 3 / 1e6)
    assert cost.output == pytest.approx(500 * 15 / 1e6)
    assert cost.cache_read == pytest.approx(800 * 0.3 / 1e6)
    assert cost.cache_write == pytest.approx(1000 * 3.75 / 1e6)
    assert cost.total == pytest.approx(cost.input + cost.output + cost.cache_read + cost.cache_write)


def test_reasoning_is_part_of_the_output() -> None:
    assert cost_of(Usage(output=500, reasoning=300), PRICES) == cost_of(Usage(output=500), PRICES)


def test_the_highest_tier_reached_holds_for_the_whole_request() -> None:
    prices = ModelCost(1, 1, 1, 1, (CostTier(400, 4, 4, 4, 4), CostTier(200, 2, 2, 2, 2)))
    assert cost_of(Usage(input=200), prices).total == pytest.approx(200e-6)
    assert cost_of(Usage(input=100, cache_read=101), prices).total == pytest.approx(402e-6)
    assert cost_of(Usage(input=401, output=1), prices).total == pytest.approx(4 * 402e-6)


def test_cache_entries_for_an_hour_cost_more() -> None:
    usage = Usage(cache_write=1000, extra={"cacheWrite1h": 400})
    assert cost_of(usage, PRICES).cache_write == pytest.approx((600 * 3.75 + 400 * 6) / 1e6)


@pytest.mark.parametrize("bad", [-3, float("nan"), float("inf"), None, "1"])
def test_an_absurd_price_counts_as_zero(bad: object) -> None:
    cost = cost_of(Usage(input=10, output=10), ModelCost(input=bad, output=2))  # type: ignore[arg-type]
    assert cost.input == 0
    assert cost.total == pytest.approx(20e-6)
    assert not math.isnan(cost.total)


@pytest.mark.parametrize(
    ("given", "counted"), [(5, 5), (5.0, 5), (-1, 0), (None, 0), ("7", 0), (True, 0), (math.nan, 0)]
)
def test_an_absurd_count_is_zero(given: object, counted: int) -> None:
    assert count(given) == counted
