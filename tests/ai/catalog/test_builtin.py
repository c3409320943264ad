from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from pi_term.ai.catalog import builtin
from pi_term.ai.catalog.builtin import DATA, builtin_providers
from pi_term.ai.catalog.levels import supported_levels
from pi_term.ai.catalog.models_file import apply_models_file
from pi_term.ai.catalog.registry import ModelRegistry
from pi_term.ai.models import Model
from pi_term.ai.registry import known_apis
from pi_term.base.json_locate import parse_json_file

INDEX: dict[str, Any] = json.loads((DATA / "index.json").read_text())
APIS = {"anthropic-messages", "openai-completions", "openai-responses", "google-generative-ai"}
LISTED = sorted(each for each, entry in INDEX["providers"].items() if entry["models"])
# Pi documents a variable for these; others need a sign-in, or have no models to chat with.
DOCUMENTED = {
    "anthropic": "ANTHROPIC_API_KEY",
    "ant-ling": "ANT_LING_API_KEY",
    "openai": "OPENAI_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "nvidia": "NVIDIA_API_KEY",
    "google": "GEMINI_API_KEY",
    "mistral": "MISTRAL_API_KEY",
    "groq": "GROQ_API_KEY",
    "cerebras": "CEREBRAS_API_KEY",
    "xai": "XAI_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "vercel-ai-gateway": "AI_GATEWAY_API_KEY",
    "zai": "ZAI_API_KEY",
    "zai-coding-cn": "ZAI_CODING_CN_API_KEY",
    "opencode": "OPENCODE_API_KEY",
    "opencode-go": "OPENCODE_API_KEY",
    "huggingface": "HF_TOKEN",
    "fireworks": "FIREWORKS_API_KEY",
    "together": "TOGETHER_API_KEY",
    "baseten": "BASETEN_API_KEY",
    "kimi-coding": "KIMI_API_KEY",
    "meta": "META_API_KEY",
    "minimax": "MINIMAX_API_KEY",
    "minimax-cn": "MINIMAX_CN_API_KEY",
    "moonshotai": "MOONSHOT_API_KEY",
    "moonshotai-cn": "MOONSHOT_API_KEY",
    "qwen-token-plan": "QWEN_TOKEN_PLAN_TEAM_API_KEY",
    "qwen-token-plan-cn": "QWEN_TOKEN_PLAN_TEAM_CN_API_KEY",
    "qwen-token-plan-individual": "QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY",
    "qwen-token-plan-individual-cn": "QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY",
    "xiaomi": "XIAOMI_API_KEY",
    "xiaomi-token-plan-cn": "XIAOMI_TOKEN_PLAN_CN_API_KEY",
    "xiaomi-token-plan-ams": "XIAOMI_TOKEN_PLAN_AMS_API_KEY",
    "xiaomi-token-plan-sgp": "XIAOMI_TOKEN_PLAN_SGP_API_KEY",
}


def every_model() -> Iterator[Model]:
    for provider in builtin_providers().values():
        yield from provider.models


def test_the_head_says_where_the_data_come_from() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", INDEX["made"])
    for source in INDEX["sources"]:
        assert source["licence"] == "MIT"
        assert source["copyright"]
        name, version, _ = source["package"].split()
        assert re.fullmatch(r"[\d.]+", version)
        assert "Permission is hereby granted" in (DATA / f"LICENSE.{name}").read_text()


def test_index_and_files_belong_together() -> None:
    files = {path.stem for path in DATA.glob("*.json")} - {"index"}
    assert files == set(LISTED)
    assert {each: entry["models"] for each, entry in INDEX["providers"].items() if entry["models"]} == {
        each: len(json.loads((DATA / f"{each}.json").read_text())) for each in LISTED
    }


def test_the_providers_are_those_that_take_a_key() -> None:
    assert {each: entry["env"][0] for each, entry in INDEX["providers"].items()} == DOCUMENTED
    assert next(iter(builtin_providers())) == "demo"


@pytest.mark.parametrize("provider_id", list(INDEX["providers"]))
def test_a_provider_can_be_reached(provider_id: str) -> None:
    provider = builtin_providers()[provider_id]
    assert provider.name
    assert provider.api in APIS
    assert provider.base_url.startswith("https://")
    assert not provider.base_url.endswith("/")
    assert all(re.fullmatch("[A-Z][A-Z_]+", name) for name in (*provider.env_keys, *provider.env_bearers))
    if provider.default:
        assert provider.preferred() == provider.model(provider.default)
    unknown = provider.unknown_model("brand-new")
    assert unknown is not None
    assert (unknown.provider, unknown.api, unknown.base_url) == (provider_id, provider.api, provider.base_url)


@pytest.mark.parametrize("provider_id", LISTED)
def test_models_are_what_models_json_takes(provider_id: str) -> None:
    entry = INDEX["providers"][provider_id]
    models = json.loads((DATA / f"{provider_id}.json").read_text())
    assert [each["id"] for each in models] == sorted({each["id"] for each in models})
    for each in models:  # models.json wants every price of a tier
        for tier in each.get("cost", {}).get("tiers", ()):
            for price in ("cacheRead", "cacheWrite"):
                tier.setdefault(price, 0)
    described = {"baseUrl": entry["baseUrl"], "api": entry["api"], "models": models}
    file = parse_json_file(None, json.dumps({"providers": {provider_id: described}}))
    problems = [each.text() for each in apply_models_file({}, file)[1]]
    assert [each for each in problems if "no adapter speaks" not in each] == []


def test_every_model_makes_sense() -> None:
    models = [model for model in every_model() if model.provider != "demo"]
    assert len(models) > 800
    assert len({model.key for model in models}) == len(models)
    for model in models:
        assert model.id == model.id.strip(), model
        assert model.api in APIS, model
        assert model.input in (("text",), ("text", "image")), model
        assert 1_000 <= model.max_tokens <= model.context_window, model
        assert model.context_window >= 16_000, model
        prices = (model.cost.input, model.cost.output, model.cost.cache_read, model.cost.cache_write)
        assert all(0 <= price < 1000 for price in prices), model
        for tier in model.cost.tiers:
            assert tier.input_tokens_above >= 1000, model
            assert tier.input >= model.cost.input, model
        assert supported_levels(model), model
        assert model.reasoning or not model.thinking_level_map, model


@pytest.mark.parametrize(
    ("key", "api", "context", "thinks"),
    [
        ("anthropic/claude-sonnet-5", "anthropic-messages", 1_000_000, True),
        ("openai/gpt-5.6-sol", "openai-responses", 922_000, True),
        ("openai/gpt-4.1", "openai-responses", 1_047_576, False),
        ("google/gemini-3.5-flash", "google-generative-ai", 1_048_576, True),
        ("opencode/claude-opus-5", "anthropic-messages", 1_000_000, True),
        ("openrouter/anthropic/claude-opus-5", "openai-completions", 1_000_000, True),
    ],
)
def test_some_models_everybody_knows(key: str, api: str, context: int, thinks: bool) -> None:
    model = next(model for model in every_model() if model.key == key)
    assert (model.api, model.context_window, model.reasoning) == (api, context, thinks)
    assert "image" in model.input
    assert model.cost.output > model.cost.input > 0


def test_prices_rise_with_long_input_where_the_provider_says_so() -> None:
    (tier,) = next(model for model in every_model() if model.key == "openai/gpt-5.6-sol").cost.tiers
    assert (tier.input_tokens_above, tier.input) == (272_000, 8)


def test_every_api_of_the_catalogue_is_spoken() -> None:
    assert {model.api for model in every_model()} <= set(known_apis())


def test_only_what_is_asked_for_is_read(monkeypatch: pytest.MonkeyPatch, make_registry: Any) -> None:
    """A start with a model of models.json reads the index of the catalogue and nothing else of it."""
    read: list[int] = []

    def counted(data: bytes) -> Any:
        read.append(len(data))
        return json.loads(data)

    monkeypatch.setattr(builtin, "loads", counted)
    builtin_providers.cache_clear()
    try:
        registry: ModelRegistry = make_registry({"mine": {"apiKey": "k", "models": [{"id": "m"}]}})
        assert registry.find("mine/m:high").model.key == "mine/m"
        assert [model.key for model in registry.available()] == ["mine/m"]
        assert read == [(DATA / "index.json").stat().st_size]
        assert registry.find("anthropic/claude-opus-5").problem is None
        assert read[1:] == [(DATA / "anthropic.json").stat().st_size]
        registry.reload()
        assert registry.get("anthropic", "claude-opus-5") is not None
    finally:
        monkeypatch.undo()
        builtin_providers.cache_clear()


def test_a_builtin_provider_is_redirected_and_its_models_changed(make_registry: Any) -> None:
    entry = {
        "baseUrl": "https://proxy.test",
        "api": "anthropic-messages",
        "headers": {"X-A": "1"},
        "modelOverrides": {"claude-opus-5": {"maxTokens": 99}},
    }
    registry: ModelRegistry = make_registry({"anthropic": entry})
    model = registry.get("anthropic", "claude-opus-5")
    assert model is not None
    assert (model.base_url, model.max_tokens, model.headers) == ("https://proxy.test", 99, {"X-A": "1"})
    assert model.compat["forceAdaptiveThinking"] is True
    assert registry.find("anthropic/claude-new").model.base_url == "https://proxy.test"
