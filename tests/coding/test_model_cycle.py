"""Going through models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pi_term import create_agent_session
from pi_term.coding.model_cycle import cycle_model
from pi_term.coding.startup import Started


@pytest.fixture
def home(tmp_path: Path) -> Path:
    models = [{"id": name, "reasoning": True} for name in ("one", "two", "three")]
    provider = {"baseUrl": "http://x.invalid", "api": "openai-completions", "apiKey": "k", "models": models}
    (tmp_path / "models.json").write_text(json.dumps({"providers": {"mine": provider}}))
    return tmp_path


async def keys(started: Started, steps: list[int]) -> list[str]:
    """The models that are come to."""
    found = [started.session.model.id]
    for step in steps:
        chosen = await cycle_model(started.session, step)
        assert chosen is None or chosen.model.key == started.session.model.key
        found.append(started.session.model.id)
    return found


async def test_all_models_in_a_circle(home: Path) -> None:
    async with await create_agent_session(home=home, cwd=home, model="mine/two") as started:
        assert await keys(started, [1, 1, 1, -1]) == ["two", "three", "one", "two", "one"]


async def test_only_those_that_were_named_with_their_levels(home: Path) -> None:
    models = ["mine/three:high", "mine/one:low"]
    async with await create_agent_session(home=home, cwd=home, models=models) as started:
        assert (started.session.model.id, started.session.thinking_level) == ("three", "high")
        assert await keys(started, [1]) == ["three", "one"]
        assert started.session.thinking_level == "low"
        assert await keys(started, [1]) == ["one", "three"]
        assert started.session.thinking_level == "high"


async def test_the_setting_names_them_too(home: Path) -> None:
    (home / "settings.json").write_text('{"enabledModels": ["t*"]}')
    async with await create_agent_session(home=home, cwd=home) as started:
        assert await keys(started, [1, 1]) == ["two", "three", "two"]


async def test_from_a_model_outside(home: Path) -> None:
    models = ["mine/one", "mine/two"]
    for step, first in ((1, "one"), (-1, "two")):
        async with await create_agent_session(
            home=home, cwd=home, models=models, model="mine/three"
        ) as started:
            assert await keys(started, [step]) == ["three", first]


async def test_one_model_is_no_circle(home: Path) -> None:
    async with await create_agent_session(home=home, cwd=home, models=["mine/one"]) as started:
        assert await cycle_model(started.session) is None
        assert started.session.model.id == "one"


async def test_a_name_that_fits_nothing_is_told(home: Path) -> None:
    async with await create_agent_session(home=home, cwd=home, models=["mine/one", "nosuch"]) as started:
        assert any("nosuch" in each.text() for each in started.diagnostics)
