from __future__ import annotations

from typing import Any

import pytest

from pi_term.ai.models import Model
from pi_term.ai.wire.compat import anthropic_compat, openai_compat, responses_compat


def model(base_url: str, **compat: Any) -> Model:
    return Model("m", "p", "openai-completions", base_url=base_url, compat=compat)


def test_an_unknown_server_is_taken_for_compatible() -> None:
    compat = openai_compat(model("http://127.0.0.1:8080/v1"))
    assert compat.supports_store
    assert not compat.supports_developer_role
    assert compat.max_tokens_field == "max_completion_tokens"


@pytest.mark.parametrize(
    ("url", "name", "value"),
    [
        ("https://api.openai.com/v1", "supports_developer_role", True),
        ("https://evil.test/api.openai.com", "supports_developer_role", False),
        ("https://api.openai.com.evil.test/v1", "supports_developer_role", False),
        ("https://openrouter.ai/api/v1", "thinking_format", "openrouter"),
        ("https://api.deepseek.com", "thinking_format", "deepseek"),
        ("https://api.z.ai/api/coding/paas/v4", "thinking_format", "zai"),
        ("https://llm.chutes.ai/v1", "max_tokens_field", "max_tokens"),
        ("https://api.z.ai/api/coding/paas/v4", "supports_reasoning_effort", False),
        ("https://integrate.api.nvidia.com/v1", "supports_long_cache_retention", False),
        ("https://opencode.ai/zen/v1", "supports_store", False),
        ("http://[broken", "thinking_format", "openai"),
    ],
)
def test_known_hosts_are_recognised_by_their_domain(url: str, name: str, value: Any) -> None:
    assert getattr(openai_compat(model(url)), name) == value


def test_what_is_configured_counts_before_what_is_known() -> None:
    compat = openai_compat(model("https://api.deepseek.com", thinkingFormat="qwen", supportsStore=True))
    assert (compat.thinking_format, compat.supports_store) == ("qwen", True)
    assert compat.max_tokens_field == "max_tokens"


def test_a_switch_of_the_wrong_type_is_as_if_absent() -> None:
    compat = openai_compat(
        model("http://x", supportsStore="no", maxTokensField=3, vllmPriority=True, chatTemplateKwargs=[])
    )
    assert (compat.supports_store, compat.max_tokens_field) == (True, "max_completion_tokens")
    assert (compat.vllm_priority, compat.chat_template_kwargs) == (None, {})


def test_responses_switches() -> None:
    assert responses_compat(model("https://api.openai.com/v1")).supports_strict_mode
    assert not responses_compat(model("http://x")).supports_strict_mode
    assert responses_compat(model("https://openrouter.ai/api/v1")).session_affinity_format == "openrouter"
    assert not responses_compat(model("http://x", supportsDeveloperRole=False)).supports_developer_role


def test_anthropic_switches() -> None:
    compat = anthropic_compat(model("http://x", forceAdaptiveThinking=True))
    assert compat.force_adaptive_thinking
    assert compat.supports_eager_tool_input_streaming
