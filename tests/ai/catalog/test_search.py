from __future__ import annotations

from typing import Any

import pytest

from pi_term.ai.catalog.ranking import by_fit
from pi_term.ai.catalog.registry import ModelRegistry
from pi_term.ai.catalog.search import choose_model, search_models
from pi_term.base.errors import PiTermError

PROVIDERS = {
    "oai": {"apiKey": "k", "models": [{"id": "chat", "maxTokens": 4096}, {"id": "plain"}, {"id": "think"}]},
    "ant": {"apiKey": "k", "models": [{"id": "claude", "name": "Claude Sonnet"}]},
    "m1": {
        "apiKey": "k",
        "models": [{"id": each} for each in ("gpt-9", "gpt-10", "gpt-10-20250101", "qwen:high", "shared")],
    },
    "m2": {"apiKey": "k", "models": [{"id": "shared"}, {"id": "x/y"}]},
    "off": {"models": [{"id": "shared"}, {"id": "keyless"}]},
}


@pytest.fixture
def registry(make_registry: Any) -> ModelRegistry:
    made: ModelRegistry = make_registry(PROVIDERS)
    return made


@pytest.mark.parametrize(
    ("pattern", "key", "level"),
    [
        ("oai/chat", "oai/chat", None),
        ("OAI/Chat:high", "oai/chat", "high"),
        ("claud", "ant/claude", None),
        ("sonnet:low", "ant/claude", "low"),
        ("gpt", "m1/gpt-10", None),
        ("gpt-10", "m1/gpt-10", None),
        ("m1/gpt", "m1/gpt-10", None),
        ("gpt-10-2", "m1/gpt-10-20250101", None),
        ("qwen:high", "m1/qwen:high", None),
        ("qwen:low", "m1/qwen:high", "low"),
        ("x/y", "m2/x/y", None),
        ("m2/x/y:max", "m2/x/y", "max"),
        ("keyless", "off/keyless", None),
        ("m2/shared", "m2/shared", None),
        ("demo/demo", "demo/demo", None),
    ],
)
def test_find(registry: ModelRegistry, pattern: str, key: str, level: str | None) -> None:
    choice = registry.find(pattern)
    assert (choice.model.key, choice.level, choice.problem) == (key, level, None)


def test_find_within_a_provider(registry: ModelRegistry) -> None:
    assert registry.find("plain", "oai").model.key == "oai/plain"
    assert registry.find("oai/plain", "oai").model.key == "oai/plain"
    assert registry.find("shared", "m1").model.key == "m1/shared"
    with pytest.raises(PiTermError) as caught:
        registry.find("plain", "nosuch")
    assert caught.value.code == "unknown_provider"


@pytest.mark.parametrize(
    ("pattern", "provider", "model_id", "level"),
    [
        ("oai/nosuch", None, "nosuch", None),
        ("oai/new:high", None, "new", "high"),
        ("nosuch", "oai", "nosuch", None),
        ("ant/claude", "oai", "ant/claude", None),
    ],
)
def test_an_unknown_id_of_a_known_provider_is_used_with_a_warning(
    registry: ModelRegistry, pattern: str, provider: str | None, model_id: str, level: str | None
) -> None:
    choice = registry.find(pattern, provider)
    assert (choice.model.provider, choice.model.id, choice.level) == ("oai", model_id, level)
    assert choice.model.base_url == registry.models()[1].base_url
    assert choice.model.max_tokens == 4096
    assert choice.problem is not None
    assert f'"{model_id}" was not found' in choice.problem.message


def test_hosted_providers_take_any_id(registry: ModelRegistry) -> None:
    claude = registry.find("anthropic/claude-x").model
    assert (claude.api, claude.base_url) == ("anthropic-messages", "https://api.anthropic.com")
    assert registry.find("openai/gpt-x").model.base_url == "https://api.openai.com/v1"


@pytest.mark.parametrize("pattern", ["zork", "", "chat:bogus", "nosuch/model", "demo/other", "(scripted"])
def test_what_matches_nothing_is_an_error(registry: ModelRegistry, pattern: str) -> None:
    with pytest.raises(PiTermError) as caught:
        registry.find(pattern)
    assert caught.value.code == "unknown_model"


def test_several_providers_with_a_key_are_ambiguous(registry: ModelRegistry) -> None:
    with pytest.raises(PiTermError) as caught:
        registry.find("shared")
    assert caught.value.code == "ambiguous_model"
    assert "m1/shared, m2/shared" in caught.value.message
    assert "off/shared" not in caught.value.message


def keys(registry: ModelRegistry, *patterns: str) -> list[str]:
    return [choice.model.key for choice in registry.match(patterns)[0]]


def test_match_takes_lists_globs_and_levels(registry: ModelRegistry) -> None:
    choices, problems = registry.match(["oai/chat", "ant/claude:high"])
    assert [(each.model.key, each.level) for each in choices] == [("oai/chat", None), ("ant/claude", "high")]
    assert problems == []
    assert keys(registry, "GPT*") == ["m1/gpt-9", "m1/gpt-10", "m1/gpt-10-20250101"]
    assert keys(registry, "m2/*", "oai/*k") == ["m2/shared", "m2/x/y", "oai/think"]
    assert registry.match(["gpt-?:low"])[0][0].level == "low"
    assert keys(registry, "oai/chat", "oai/*") == ["oai/chat", "oai/plain", "oai/think"]


def test_match_reports_nothing_found_and_several_providers(registry: ModelRegistry) -> None:
    choices, problems = registry.match(["nosuch", "shared", "keyless"])
    assert [choice.model.key for choice in choices] == ["m1/shared", "m2/shared"]
    told = [problem.message for problem in problems]
    assert len(told) == 3
    assert "nosuch" in told[0]
    assert "m1/shared, m2/shared" in told[1]
    assert "keyless" in told[2]


def test_choose_the_flag_the_default_the_scope_or_the_first(registry: ModelRegistry) -> None:
    assert choose_model(registry, pattern="claud").model.key == "ant/claude"
    assert choose_model(registry).model.key == "oai/chat"
    default = choose_model(registry, default_provider="ant", default_model="claude")
    assert (default.model.key, default.problem) == ("ant/claude", None)
    assert choose_model(registry, default_model="plain").model.key == "oai/plain"
    assert choose_model(registry, default_provider="m2").model.key == "m2/shared"
    scope = registry.match(["oai/think:high", "oai/plain"])[0]
    assert choose_model(registry, scope=scope).level == "high"
    chosen = choose_model(registry, scope=scope, default_provider="oai", default_model="plain")
    assert chosen.model.key == "oai/plain"
    chosen = choose_model(registry, scope=scope, default_provider="ant", default_model="claude")
    assert chosen.model.key == "oai/think"


def test_a_default_that_is_not_available_is_replaced_with_a_warning(registry: ModelRegistry) -> None:
    for provider, model_id in (("off", "keyless"), ("nosuch", "x"), ("anthropic", "claude-x")):
        choice = choose_model(registry, default_provider=provider, default_model=model_id)
        assert choice.model.key == "oai/chat"
        assert choice.problem is not None
        assert f"{provider}/{model_id}" in choice.problem.message


def test_a_default_may_name_any_model_of_a_hosted_provider(make_registry: Any) -> None:
    registry = make_registry(env={"ANTHROPIC_API_KEY": "k"})
    choice = choose_model(registry, default_provider="anthropic", default_model="claude-x")
    assert (choice.model.key, choice.problem) == ("anthropic/claude-x", None)


def test_a_fresh_machine_has_no_model_but_the_demo(make_registry: Any) -> None:
    with pytest.raises(PiTermError) as caught:
        choose_model(make_registry())
    assert caught.value.code == "no_model"
    assert "--demo" in caught.value.hint
    chosen = choose_model(make_registry(PROVIDERS, demo=True), default_provider="oai", default_model="chat")
    assert chosen.model.key == "demo/demo"


GATEWAY = {
    "gate": {"apiKey": "k", "models": [{"id": "anthropic/claude-opus-5"}, {"id": "a/glm-5.3-flash"}]},
}


def test_models_with_a_key_go_before_all_others(make_registry: Any) -> None:
    """A gateway's names look like full names; what nobody has a key for is still found."""
    registry = make_registry(GATEWAY)
    assert registry.find("anthropic/claude-opus-5").model.key == "gate/anthropic/claude-opus-5"
    assert registry.find("claude-opus-5").model.key == "gate/anthropic/claude-opus-5"
    assert registry.find("anthropic/claude-haiku-4-5").model.key == "anthropic/claude-haiku-4-5"
    with_both = make_registry(GATEWAY, {"ANTHROPIC_API_KEY": "k"})
    assert with_both.find("anthropic/claude-opus-5").model.key == "anthropic/claude-opus-5"
    within = with_both.find("anthropic/claude-opus-5", "gate").model
    assert within.key == "gate/anthropic/claude-opus-5"


@pytest.mark.parametrize("pattern", ["glm 5.3", "GLM5.3flash", "flash glm", "glm-5-3:low"])
def test_marks_and_the_order_of_words_do_not_matter(make_registry: Any, pattern: str) -> None:
    assert make_registry(GATEWAY).find(pattern).model.key == "gate/a/glm-5.3-flash"


def test_a_part_of_a_name_means_the_provider_s_own_choice_first(make_registry: Any) -> None:
    registry = make_registry(env={"ANTHROPIC_API_KEY": "k"})
    assert registry.find("claude").model == registry.providers["anthropic"].preferred()
    assert registry.find("claude opus:max").model.id.startswith("claude-opus-5")
    assert choose_model(registry).model == registry.providers["anthropic"].preferred()
    assert choose_model(registry, default_provider="anthropic").model.provider == "anthropic"


@pytest.mark.parametrize(
    ("pattern", "model_id"),
    [
        ("opus", "maker/claude-opus-4-5"),
        ("kimi", "kimi-k2.5"),
        ("gpt", "gpt-5.4"),
        ("llama", "llama-3.1-405b"),
        ("qwen", "maker/qwen4-max"),
    ],
)
def test_the_highest_version_is_no_size_and_no_date(make_registry: Any, pattern: str, model_id: str) -> None:
    ids = [
        *("~maker/claude-opus-latest", "maker/claude-opus-4", "maker/claude-opus-4-5"),
        *("maker/claude-opus-4-5-fast", "kimi-k2-0905", "kimi-k2.5", "gpt-oss-120b", "gpt-4o", "gpt-5.4"),
        *("gpt-5.4-mini", "llama-3.1-405b", "llama-3-70b"),
        *("maker/qwen-plus-2025-07-28:thinking", "maker/qwen3-14b", "maker/qwen4-max"),
    ]
    registry = make_registry({"gate": {"apiKey": "k", "models": [{"id": each} for each in ids]}})
    assert registry.find(pattern).model.id == model_id


def test_an_ambiguous_name_lists_only_some(make_registry: Any) -> None:
    with pytest.raises(PiTermError) as caught:
        make_registry().find("gpt")
    assert caught.value.code == "ambiguous_model"
    assert len(caught.value.message) < 250


def test_own_models_are_begun_with_before_built_in_ones(make_registry: Any) -> None:
    registry = make_registry(PROVIDERS, {"ANTHROPIC_API_KEY": "k"})
    assert choose_model(registry).model.key == "oai/chat"
    assert [model.provider for model in registry.available()][-1] == "anthropic"


def test_a_default_without_its_provider_is_found_where_there_is_a_key(make_registry: Any) -> None:
    registry = make_registry(env={"OPENCODE_API_KEY": "k"})
    chosen = choose_model(registry, default_model="claude-opus-5").model
    assert chosen.key == "opencode/claude-opus-5"


def test_searching_a_list(registry: ModelRegistry) -> None:
    available = registry.available()

    def found(query: str) -> list[str]:
        return [model.key for model in search_models(available, query)]

    assert found("") == [model.key for model in available]
    assert found("GPT 10") == ["m1/gpt-10", "m1/gpt-10-20250101"]
    assert found("sonnet") == ["ant/claude"]
    assert found("gt9") == ["m1/gpt-9"]
    assert found("zork") == []


def test_the_name_of_a_model_fits_better_than_that_of_its_provider(make_registry: Any) -> None:
    def models(*ids: str) -> dict[str, Any]:
        return {"apiKey": "k", "models": [{"id": each} for each in ids]}

    registry = make_registry(
        {
            "qwen-plan": models("glm-5", "big-qwen", "qwen4-max"),
            "gate": models("qwen/qwen3-14b", "x/my-qwen2", "other/thing", "qwen/qwen4-max"),
            "own": models("qwen", "deepseek-qwen", "thing"),
        }
    )
    available = registry.available()
    found = [model for model in available if "qwen" in model.key]
    assert [model.key for model in by_fit(found, "qwen", registry.providers)] == [
        *("own/qwen", "qwen-plan/qwen4-max", "gate/qwen/qwen4-max", "gate/qwen/qwen3-14b"),
        *("qwen-plan/big-qwen", "gate/x/my-qwen2", "own/deepseek-qwen", "qwen-plan/glm-5"),
    ]
    assert by_fit(available, "own thing", registry.providers)[0].key == "own/thing"
    assert by_fit(available, "zzz", registry.providers) == available
    assert by_fit(available, "", registry.providers) == available
