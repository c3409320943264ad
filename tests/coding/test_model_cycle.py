"""Going through models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pi_term import create_agent_session
from pi_term.coding.model_cycle import cycle_model
from pi_term.coding.sdk import SessionManager
from pi_term.coding.session import ModelChangeEntry, ThinkingLevelChangeEntry
from pi_term.coding.startup import Started
from pi_term.testing.scripted import Say, ScriptedModel


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


# --- the level that is wanted, over models that cannot think as hard


@pytest.fixture
def minds(tmp_path: Path) -> Path:
    few = {"minimal": None, "medium": None, "high": None}
    models = [
        {"id": "think", "reasoning": True},
        {"id": "plain"},
        {"id": "few", "reasoning": True, "thinkingLevelMap": few},
    ]
    provider = {"baseUrl": "http://x.invalid", "api": "openai-completions", "apiKey": "k", "models": models}
    (tmp_path / "models.json").write_text(json.dumps({"providers": {"mine": provider}}))
    return tmp_path


async def levels(started: Started, names: str) -> list[str]:
    """How hard each of these models thinks, one after the other."""
    found = []
    for name in names.split():
        await started.session.set_model(started.registry.find(f"mine/{name}").model)
        found.append(started.session.thinking_level)
    return found


async def test_a_level_outlasts_models_that_cannot_think_as_hard(minds: Path) -> None:
    async with await create_agent_session(home=minds, cwd=minds, model="mine/think") as started:
        await started.session.set_thinking_level("high")
        assert await levels(started, "plain think few plain think") == ["off", "high", "low", "off", "high"]
        await levels(started, "few")
        await started.session.set_thinking_level("low")
        assert await levels(started, "think") == ["low"]


async def test_a_level_may_be_wanted_before_a_model_can_do_it(minds: Path) -> None:
    async with await create_agent_session(home=minds, cwd=minds, model="mine/plain") as started:
        assert await started.session.cycle_thinking_level() == "off"
        assert await levels(started, "think plain") == ["medium", "off"]
        await started.session.set_thinking_level("high")
        assert started.session.thinking_level == "off"
        assert await levels(started, "think") == ["high"]


@pytest.mark.parametrize(
    ("entries", "model", "level", "then"),
    [
        ("high plain off", "plain", "off", "high"),
        ("high few low", "few", "low", "high"),
        ("high few low low", "few", "low", "low"),
        ("plain off", "plain", "off", "medium"),
        ("high think off", "think", "off", "off"),  # as the list of models to go through asks for
        ("high", "think", "high", "high"),
    ],
)
async def test_a_session_that_is_opened_again_knows_the_level_it_wanted(
    minds: Path, entries: str, model: str, level: str, then: str
) -> None:
    manager = SessionManager.create(id="one")
    with ScriptedModel(answer=lambda context: [Say("hello")]) as script:
        models = json.loads((minds / "models.json").read_text())
        models["providers"]["mine"]["api"] = script.api
        (minds / "models.json").write_text(json.dumps(models))
        options = {"home": minds, "cwd": minds, "session_manager": manager}
        async with await create_agent_session(model="mine/think", **options) as started:  # type: ignore[arg-type]
            await started.session.prompt("hi")
            for name in entries.split():
                is_model = name in ("think", "plain", "few")
                record = ModelChangeEntry("mine", name) if is_model else ThinkingLevelChangeEntry(name)
                started.session.recorder.add(record)
        async with await create_agent_session(**options) as started:  # type: ignore[arg-type]
            assert (started.session.model.id, started.session.thinking_level) == (model, level)
            assert await levels(started, "think") == [then]
