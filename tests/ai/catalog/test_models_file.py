from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pi_term.ai.catalog.builtin import builtin_providers
from pi_term.ai.catalog.models_file import apply_models_file
from pi_term.ai.catalog.providers import Provider
from pi_term.ai.models import CostTier, Model, ModelCost
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.json_locate import parse_json_file

FILE = Path("/cfg/models.json")


def load(text: str | dict[str, Any], *known: Provider) -> tuple[dict[str, Provider], list[Diagnostic]]:
    content = text if isinstance(text, str) else json.dumps(text)
    return apply_models_file({each.id: each for each in known}, parse_json_file(FILE, content))


def load_one(provider: dict[str, Any], *known: Provider) -> Provider:
    providers, problems = load({"providers": {"p": provider}}, *known)
    assert problems == []
    return providers["p"]


def test_a_local_server_in_a_few_lines() -> None:
    entry = {"baseUrl": "http://127.0.0.1:1/v1", "api": "openai-completions", "apiKey": "ollama"}
    provider = load_one({**entry, "models": [{"id": "qwen:7b"}]})
    (model,) = provider.models
    assert model == Model("qwen:7b", "p", "openai-completions", base_url="http://127.0.0.1:1/v1")
    assert (model.context_window, model.max_tokens, model.input) == (128_000, 16_384, ("text",))
    assert provider.api_key == "ollama"
    assert "ollama" not in repr(provider)


def test_every_field_arrives() -> None:
    prices = {"input": 1, "output": 2.5, "cacheRead": 0.1, "cacheWrite": 3}
    full = {
        "id": "m",
        "name": "My model",
        "api": "anthropic-messages",
        "baseUrl": "http://other",
        "reasoning": True,
        "thinkingLevelMap": {"off": None, "xhigh": "extra"},
        "input": ["text", "image"],
        "cost": {**prices, "tiers": [{"inputTokensAbove": 200000, **prices}]},
        "contextWindow": 1000,
        "maxTokens": 100,
        "samplingParams": {"temperature": 0.5},
        "headers": {"X-B": "$B"},
        "compat": {"supportsStore": True},
        "inputLimits": {"maxRequestBytes": 5},
        "promptCache": {"short": 300},
    }
    defaults = {
        "headers": {"X-A": "a", "X-B": "b"},
        "compat": {"supportsStore": False, "zaiToolStream": True},
    }
    (model,) = load_one(
        {"baseUrl": "http://x", "api": "openai-completions", "models": [full], **defaults}
    ).models
    assert model == Model(
        "m",
        "p",
        "anthropic-messages",
        "My model",
        "http://other",
        True,
        ("text", "image"),
        1000,
        100,
        ModelCost(1, 2.5, 0.1, 3, (CostTier(200000, 1, 2.5, 0.1, 3),)),
        {"X-A": "a", "X-B": "$B"},
        {"supportsStore": True, "zaiToolStream": True},
        {"off": None, "xhigh": "extra"},
        {"temperature": 0.5},
    )


def known_provider() -> Provider:
    models = (
        Model("a", "p", "api", base_url="http://old", cost=ModelCost(1, 2, 3, 4), compat={"x": 1}),
        Model("b", "p", "api", base_url="http://old", thinking_level_map={"xhigh": "x"}),
    )
    return Provider("p", api="api", base_url="http://old", env_keys=("P_KEY",), listed=lambda: models)


def test_a_known_provider_is_redirected_with_its_models() -> None:
    provider = load_one({"baseUrl": "http://proxy", "headers": {"X": "1"}}, known_provider())
    assert [model.base_url for model in provider.models] == ["http://proxy", "http://proxy"]
    assert all(model.headers == {"X": "1"} for model in provider.models)
    assert provider.env_keys == ("P_KEY",)


def test_overrides_merge_objects_and_ignore_unknown_ids() -> None:
    overrides = {
        "a": {"cost": {"output": 9}, "compat": {"y": 2}, "contextWindow": 5},
        "b": {"thinkingLevelMap": {"max": "m"}, "name": "B"},
        "nosuch": {"name": "?"},
    }
    a, b = load_one({"modelOverrides": overrides}, known_provider()).models
    assert a.cost == ModelCost(1, 9, 3, 4)
    assert (a.compat, a.context_window) == ({"x": 1, "y": 2}, 5)
    assert (b.name, b.thinking_level_map) == ("B", {"xhigh": "x", "max": "m"})


def test_an_entry_replaces_the_model_of_that_id_in_its_place() -> None:
    models = load_one({"models": [{"id": "c"}, {"id": "a", "maxTokens": 7}]}, known_provider()).models
    assert [model.id for model in models] == ["a", "b", "c"]
    assert (models[0].max_tokens, models[0].cost) == (7, ModelCost())


def test_a_bad_part_is_named_with_its_line_and_the_rest_loads() -> None:
    text = """{
  "providers": {  // mine
    "p": {
      "baseUrl": "http://x",
      "api": "openai-completions",
      "apiKey": 5,
      "models": [
        {"id": "good", "contextWindow": "big", "maxTokens": 5},
        {"name": "no id"},
        {"id": "also", "cost": {"input": 1, "tiers": [{"input": 1}]}},
      ],
    },
    "q": {"models": [{"id": "lost"}]},
    "r": "what"
  }
}"""
    providers, problems = load(text)
    assert [(model.id, model.context_window, model.max_tokens) for model in providers["p"].models] == [
        ("good", 128_000, 5),
        ("also", 128_000, 16_384),
    ]
    assert providers["p"].models[1].cost == ModelCost(1)
    told = [problem.text() for problem in problems]
    assert told[:4] == [
        "/cfg/models.json:6: providers.p.apiKey: must be a string",
        "/cfg/models.json:8: providers.p.models.0.contextWindow: must be a whole number of at least 1",
        '/cfg/models.json:9: providers.p.models.1: needs "id"',
        '/cfg/models.json:10: providers.p.models.2.cost.tiers.0: needs "inputTokensAbove"',
    ]
    assert "/cfg/models.json:14: providers.r: must be an object" in told
    assert any('"lost" needs "api" and "baseUrl"' in each for each in told)
    assert providers["q"].models == ()


def test_a_broken_file_leaves_the_built_in_providers() -> None:
    known = builtin_providers()
    providers, problems = apply_models_file(known, parse_json_file(FILE, '{\n"providers": {\n'))
    assert providers == known
    assert problems[0].file == FILE
    assert problems[0].line is not None
    assert apply_models_file(known, parse_json_file(FILE, ""))[1] == []
    _, problems = apply_models_file(known, parse_json_file(FILE, '{"mock": {}}'))
    assert [problem.message for problem in problems] == ['needs "providers"']


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["providers", "models", "id", "cost", "tiers", "input", "api", "baseUrl", "headers"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_no_content_whatever_raises(content: Any) -> None:
    apply_models_file(builtin_providers(), parse_json_file(FILE, json.dumps({"providers": {"p": content}})))
    apply_models_file(builtin_providers(), parse_json_file(FILE, json.dumps(content)))
