from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.ai.catalog.levels import clamp_level, supported_levels
from pi_term.ai.models import THINKING_LEVELS, Model, ThinkingLevel

LEVELS = st.sampled_from(THINKING_LEVELS)


def model(words: Mapping[str, str | None] | None = None, *, reasoning: bool = True) -> Model:
    return Model("m", "p", "a", reasoning=reasoning, thinking_level_map=words or {})


def test_a_model_without_reasoning_has_only_off() -> None:
    assert supported_levels(model({"high": "high"}, reasoning=False)) == ("off",)
    assert clamp_level(model(reasoning=False), "high") == "off"


def test_xhigh_and_max_need_to_be_mapped() -> None:
    assert supported_levels(model()) == ("off", "minimal", "low", "medium", "high")
    assert supported_levels(model({"max": "max"}))[-1] == "max"
    assert supported_levels(model({"off": None, "minimal": None}))[0] == "low"


@pytest.mark.parametrize(
    ("words", "asked", "given_level"),
    [
        ({}, "xhigh", "high"),
        ({}, "max", "high"),
        ({"xhigh": "x"}, "max", "xhigh"),
        ({"max": "max"}, "xhigh", "max"),
        ({"minimal": None}, "minimal", "low"),
        ({"off": None}, "off", "minimal"),
        ({"high": None}, "high", "medium"),
    ],
)
def test_clamping_goes_up_first_then_down(
    words: dict[str, str | None], asked: ThinkingLevel, given_level: str
) -> None:
    assert clamp_level(model(words), asked) == given_level


@given(st.booleans(), st.dictionaries(LEVELS, st.none() | st.just("x")), LEVELS)
def test_a_clamped_level_is_always_supported(
    reasoning: bool, words: dict[str, str | None], level: ThinkingLevel
) -> None:
    any_model = model(words, reasoning=reasoning)
    clamped = clamp_level(any_model, level)
    assert clamped in supported_levels(any_model)
    assert clamp_level(any_model, clamped) == clamped
