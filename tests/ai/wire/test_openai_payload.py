from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.fit import fit_history
from pi_term.ai.messages import (
    AssistantMessage,
    ImageContent,
    Message,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_term.ai.models import Model
from pi_term.ai.tools import Tool
from pi_term.ai.wire.compat import openai_compat
from pi_term.ai.wire.openai_payload import build_payload

READ = Tool("read", "Reads.", {"type": "object"})


def model(*, reasoning: bool = False, url: str = "http://test/v1", **more: Any) -> Model:
    compat = {key: more.pop(key) for key in list(more) if key[0].islower() and any(map(str.isupper, key))}
    more.setdefault("input", ("text", "image"))
    return Model("m", "oai", "openai-completions", base_url=url, reasoning=reasoning, compat=compat, **more)


def payload(target: Model, *messages: Message, tools: Sequence[Tool] = (), **options: Any) -> dict[str, Any]:
    context = Context("Be brief.", messages, tools)
    made = StreamOptions(**options)
    return build_payload(target, context, made, openai_compat(target), fit_history(messages, target))


def said(*parts: Any) -> AssistantMessage:
    stop = "toolUse" if any(isinstance(part, ToolCall) for part in parts) else "stop"
    return AssistantMessage(
        list(parts),
        api="openai-completions",
        provider="oai",
        model="m",
        stop_reason=stop,  # type: ignore[arg-type]
    )


ASK = UserMessage("hi")
CALL = ToolCall("c1", "read", {"path": "a"})
RESULT = ToolResultMessage("c1", "read", [TextContent("aaa")])
PICTURE = ToolResultMessage("c1", "read", [TextContent("an image"), ImageContent("AAAA", "image/png")])


def test_a_turn_with_a_tool() -> None:
    messages = payload(model(), UserMessage("hi"), said(TextContent("Look."), CALL), RESULT)["messages"]
    function = {"name": "read", "arguments": '{"path":"a"}'}
    assert messages[1:] == [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {
            "role": "assistant",
            "content": "Look.",
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        {"role": "tool", "content": "aaa", "tool_call_id": "c1"},
    ]


def test_a_reply_of_calls_only_has_no_content() -> None:
    assert payload(model(), ASK, said(CALL), RESULT)["messages"][2]["content"] is None
    picky = model(requiresNonNullAssistantContent=True)
    assert payload(picky, ASK, said(CALL), RESULT)["messages"][2]["content"] == ""


def test_images_of_a_batch_follow_all_its_results() -> None:
    second = ToolCall("c2", "read", {})
    messages = payload(
        model(),
        ASK,
        said(CALL, second),
        PICTURE,
        ToolResultMessage("c2", "read", [ImageContent("BBBB", "image/png")]),
        UserMessage("and?"),
    )["messages"]
    assert [message["role"] for message in messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
        "user",
    ]
    assert messages[3]["content"] == "an image"
    assert messages[4]["content"].strip()
    urls = [part["image_url"]["url"] for part in messages[5]["content"] if part["type"] == "image_url"]
    assert urls == ["data:image/png;base64,AAAA", "data:image/png;base64,BBBB"]


def test_own_thinking_goes_back_in_the_field_it_came_in() -> None:
    for field in ("reasoning_content", "reasoning"):
        reply = payload(model(), ASK, said(ThinkingContent("hm", field), TextContent("x")))["messages"][2]
        assert reply[field] == "hm"
    unknown = payload(model(), ASK, said(ThinkingContent("hm", "SIG"), TextContent("x")))["messages"][2]
    assert set(unknown) == {"role", "content"}
    as_text = payload(
        model(requiresThinkingAsText=True), ASK, said(ThinkingContent("hm", "reasoning"), CALL), RESULT
    )
    assert as_text["messages"][2]["content"] == "<thinking>\nhm\n</thinking>"


def test_switches_for_picky_servers() -> None:
    picky = model(
        reasoning=True,
        supportsStore=False,
        supportsDeveloperRole=True,
        supportsUsageInStreaming=False,
        maxTokensField="max_tokens",
        requiresToolResultName=True,
        requiresAssistantAfterToolResult=True,
        requiresToolsWithToolHistory=True,
        requiresReasoningContentOnAssistantMessages=True,
        vllmPriority=3,
        openRouterRouting={"only": ["x"]},
        sampling_params={"temperature": 0.5},
        max_tokens=100,
    )
    made = payload(picky, ASK, said(CALL), RESULT, UserMessage("go on"), max_tokens=50)
    roles = [message["role"] for message in made.pop("messages")]
    assert roles == ["developer", "user", "assistant", "tool", "assistant", "user"]
    assert made == {
        "model": "m",
        "stream": True,
        "max_tokens": 50,
        "tools": [],
        "priority": 3,
        "provider": {"only": ["x"]},
        "temperature": 0.5,
    }
    messages = payload(picky, ASK, said(CALL), RESULT)["messages"]
    assert messages[2]["reasoning_content"] == ""
    assert messages[3]["name"] == "read"


def test_cache_marks_where_anthropic_wants_them() -> None:
    mark = {"type": "ephemeral"}
    cached = model(cacheControlFormat="anthropic")
    made = payload(cached, UserMessage("one"), said(CALL), RESULT, tools=[READ, READ])
    assert made["messages"][0]["content"][0]["cache_control"] == mark
    assert [tool.get("cache_control") for tool in made["tools"]] == [None, mark]
    assert made["messages"][3]["content"] == [{"type": "text", "text": "aaa", "cache_control": mark}]
    assert "cache_control" not in made["messages"][1]["content"][0]


@pytest.mark.parametrize(
    ("url", "mode", "sent"),
    [
        ("https://api.openai.com/v1", "auto", True),
        ("http://test", "auto", False),
        ("http://test", "enabled", True),
        ("https://api.openai.com/v1", "disabled", False),
    ],
)
def test_the_cache_key_is_the_session(url: str, mode: str, sent: bool) -> None:
    made = payload(model(url=url, promptCacheKeyMode=mode), UserMessage("x"), session_id="s1")
    assert made.get("prompt_cache_key") == ("s1" if sent else None)


# --- thinking -----------------------------------------------------------------------------------------

_BASE = {"model", "messages", "stream", "stream_options", "store", "max_completion_tokens"}


def thinking(target: Model, level: str, **options: Any) -> dict[str, Any]:
    made = payload(target, UserMessage("x"), thinking=level, **options)
    return {key: value for key, value in made.items() if key not in _BASE}


def test_a_model_that_does_not_reason_is_not_asked_to() -> None:
    assert thinking(model(), "high") == {}


def test_levels_are_named_as_the_model_wants() -> None:
    mapped = {"off": "none", "minimal": None, "high": "HI", "xhigh": "XX"}
    named = model(reasoning=True, thinking_level_map=mapped)
    assert thinking(named, "off") == {"reasoning_effort": "none"}
    assert thinking(named, "minimal") == {"reasoning_effort": "low"}
    assert thinking(named, "high") == {"reasoning_effort": "HI"}
    assert thinking(named, "xhigh") == {"reasoning_effort": "XX"}
    assert thinking(model(reasoning=True), "off") == {}
    assert thinking(model(reasoning=True), "xhigh") == {"reasoning_effort": "high"}
    assert thinking(model(reasoning=True, supportsReasoningEffort=False), "high") == {}


@pytest.mark.parametrize(
    ("style", "off", "high"),
    [
        ("openrouter", {"reasoning": {"effort": "none"}}, {"reasoning": {"effort": "high"}}),
        ("ant-ling", {}, {"reasoning": {"effort": "high"}}),
        (
            "deepseek",
            {"thinking": {"type": "disabled"}},
            {"thinking": {"type": "enabled"}, "reasoning_effort": "high"},
        ),
        (
            "zai",
            {"thinking": {"type": "disabled"}},
            {"thinking": {"type": "enabled", "clear_thinking": False}, "reasoning_effort": "high"},
        ),
        (
            "together",
            {"reasoning": {"enabled": False}},
            {"reasoning": {"enabled": True}, "reasoning_effort": "high"},
        ),
        ("qwen", {"enable_thinking": False}, {"enable_thinking": True, "reasoning_effort": "high"}),
        (
            "qwen-chat-template",
            {"chat_template_kwargs": {"enable_thinking": False, "preserve_thinking": True}},
            {"chat_template_kwargs": {"enable_thinking": True, "preserve_thinking": True}},
        ),
        ("string-thinking", {"thinking": "none"}, {"thinking": "high"}),
    ],
)
def test_each_family_of_servers_has_its_own_switch(style: str, off: Any, high: Any) -> None:
    target = model(reasoning=True, thinkingFormat=style)
    assert thinking(target, "off") == off
    assert thinking(target, "high") == high


def test_templates_are_filled_in() -> None:
    kwargs = {"on": {"$var": "thinking.enabled"}, "effort": {"$var": "thinking.effort"}, "fixed": 1}
    target = model(reasoning=True, thinkingFormat="chat-template", chatTemplateKwargs=kwargs)
    assert thinking(target, "high") == {"chat_template_kwargs": {"on": True, "effort": "high", "fixed": 1}}
    assert thinking(target, "off") == {"chat_template_kwargs": {"on": False, "fixed": 1}}


def test_a_budget_is_sent_where_the_server_has_a_field_for_it() -> None:
    target = model(reasoning=True, thinkingTokenBudgetField="thinking_budget", max_tokens=64000)
    assert thinking(target, "low")["thinking_budget"] == 2048
    assert thinking(target, "low", thinking_budgets={"low": 5000})["thinking_budget"] == 5000
    assert "thinking_budget" not in thinking(target, "off")
