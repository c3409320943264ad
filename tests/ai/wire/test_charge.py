from __future__ import annotations

from typing import Any

import pytest

from pi_term.ai.messages import Usage
from pi_term.ai.models import Model, ModelCost
from pi_term.ai.wire.charge import charge

MODEL = Model("m", "p", "a", cost=ModelCost(input=1, output=3))


def charged(report: dict[str, Any], model: Model = MODEL) -> Usage:
    usage = Usage(input=1_000_000, output=1_000_000)
    charge(usage, model, report)
    return usage


@pytest.mark.parametrize(
    ("report", "total"),
    [
        ({}, 4),
        ({"cost": 2}, 2),
        ({"cost": 0}, 0),
        ({"cost": 0.1, "is_byok": True, "cost_details": {"upstream_inference_cost": 1.9}}, 2),
        ({"cost": 2, "is_byok": False, "cost_details": {"upstream_inference_cost": 2}}, 2),
        ({"cost_in_usd_ticks": 15_000_000_000}, 1.5),
        ({"cost": -1}, 4),
        ({"cost": float("nan")}, 4),
        ({"cost": "2"}, 4),
        ({"cost": True}, 4),
        ({"cost": None}, 4),
    ],
)
def test_what_the_provider_says_it_charged_is_the_total(report: dict[str, Any], total: float) -> None:
    cost = charged(report).cost
    assert cost.total == pytest.approx(total)
    assert cost.input + cost.output == pytest.approx(total)
    assert cost.output == pytest.approx(cost.input * 3)


def test_without_prices_only_the_total_is_known() -> None:
    cost = charged({"cost": 2}, Model("m", "p", "a")).cost
    assert (cost.input, cost.output, cost.total) == (0, 0, 2)
    assert cost.to_json()["totalFromProvider"] is True
    assert "totalFromProvider" not in charged({}).cost.to_json()
