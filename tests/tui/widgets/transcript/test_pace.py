"""Flushes are as rare as their cost asks for."""

from __future__ import annotations

import pytest

from pi_term.tui.widgets.transcript.pace import FlushPace


def test_the_first_change_is_shown_at_once() -> None:
    assert FlushPace().delay(123.0) == 0


@pytest.mark.parametrize(
    ("cost", "flood", "interval"),
    [(0.001, False, 1 / 30), (0.001, True, 1 / 15), (0.05, False, 0.05), (0.1, True, 0.1), (9.0, True, 0.2)],
)
def test_the_interval_follows_the_cost(cost: float, flood: bool, interval: float) -> None:
    pace = FlushPace()
    pace.flushed(10.0, cost, flood=flood)
    assert pace.delay(10.0) == pytest.approx(interval)
    assert pace.delay(10.0 + interval / 2) == pytest.approx(interval / 2)
    assert pace.delay(11.0) == 0


def test_what_comes_last_does_not_wait() -> None:
    pace = FlushPace()
    pace.flushed(10.0, 0.1, flood=True)
    pace.rest()
    assert pace.delay(10.0) == 0
