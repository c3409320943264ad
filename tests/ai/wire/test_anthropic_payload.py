from __future__ import annotations

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
from pi_term.ai.wire.anthropic_payload import build_payload
from pi_term.ai.wire.compat import anthropic_compat

MARK = {"type": "ephemeral"}


def model(max_tokens: int = 64000, **compat: Any) -> Model:
    return Model(
        "claude",
        "ant",
        "anthropic-messages",
        reasoning=True,
        input=("text", "image"),
        max_tokens=max_tokens,
        compat=compat,
    )


def payload(target: Model, *messages: Message, **options: Any) -> dict[str, Any]:
    made = StreamOptions(**options)
    history = fit_history(messages, target)
    return build_payload(target, Context("", messages), made, anthropic_compat(target), history)


def said(*parts: Any, by: str = "claude") -> AssistantMessage:
    return AssistantMessage(
        list(parts), api="anthropic-messages", provider="ant", model=by, stop_reason="toolUse"
    )


CALL = ToolCall("c1", "read", {"path": "a"})
RESULT = ToolResultMessage("c1", "read", [TextContent("aaa\n")])


def test_a_turn_with_thinking_and_a_tool() -> None:
    reply = said(ThinkingContent("hm", "SIG"), ThinkingContent("", "BLOB", True), TextContent("Look."), CALL)
    messages = payload(model(), UserMessage("hi"), reply, RESULT)["messages"]
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "aaa\n", "is_error": False}
    assert messages == [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "SIG"},
                {"type": "redacted_thinking", "data": "BLOB"},
                {"type": "text", "text": "Look."},
                {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a"}},
            ],
        },
        {"role": "user", "content": [{**result, "cache_control": MARK}]},
    ]


def test_all_results_of_a_batch_are_one_message_and_steering_is_another() -> None:
    reply = said(CALL, ToolCall("c2", "read", {}))
    messages = payload(
        model(),
        UserMessage("hi"),
        reply,
        RESULT,
        ToolResultMessage("c2", "read", [TextContent("bbb")], is_error=True),
        UserMessage([TextContent("stop"), ImageContent("AAAA", "image/png")]),
    )["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "user"]
    assert [block["tool_use_id"] for block in messages[2]["content"]] == ["c1", "c2"]
    assert [block["is_error"] for block in messages[2]["content"]] == [False, True]
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    assert messages[3]["content"][1] == {"type": "image", "source": source, "cache_control": MARK}
    marks = [block for message in messages for block in message["content"] if "cache_control" in block]
    assert len(marks) == 1


def test_images_lie_inside_the_result_but_an_error_holds_text_only() -> None:
    parts = [TextContent("shot"), ImageContent("AAAA", "image/png")]
    good = payload(model(), said(CALL), ToolResultMessage("c1", "read", list(parts)))["messages"][-1]
    assert [block["type"] for block in good["content"][0]["content"]] == ["text", "image"]
    bad = payload(model(), said(CALL), ToolResultMessage("c1", "read", list(parts), is_error=True))[
        "messages"
    ][-1]
    assert bad["content"][0]["content"] == "shot"


def test_unsigned_thinking_goes_back_as_text_or_as_the_server_wants() -> None:
    reply = said(ThinkingContent("hm"), TextContent("x"))
    assert payload(model(), UserMessage("hi"), reply)["messages"][1]["content"][0] == {
        "type": "text",
        "text": "hm",
    }
    lenient = payload(model(allowEmptySignature=True), UserMessage("hi"), reply)["messages"][1]["content"][0]
    assert lenient == {"type": "thinking", "thinking": "hm", "signature": ""}


def test_a_conversation_begins_with_the_user() -> None:
    assert payload(model(), said(TextContent("x")))["messages"][0]["role"] == "user"


@pytest.mark.parametrize(
    ("level", "max_tokens", "budget"),
    [
        ("minimal", 64000, 1024),
        ("low", 64000, 2048),
        ("medium", 64000, 8192),
        ("high", 64000, 16384),
        ("xhigh", 64000, 16384),
        ("medium", 4096, 3072),
    ],
)
def test_levels_are_budgets_that_leave_room_for_the_answer(level: str, max_tokens: int, budget: int) -> None:
    made = payload(model(max_tokens), UserMessage("x"), thinking=level)
    assert made["thinking"] == {"type": "enabled", "budget_tokens": budget, "display": "summarized"}
    assert made["max_tokens"] == max_tokens


def test_no_thinking_where_it_is_off_or_has_no_room() -> None:
    off = {"type": "disabled"}
    assert payload(model(), UserMessage("x"), thinking="off")["thinking"] == off
    assert payload(model(1500), UserMessage("x"), thinking="high")["thinking"] == off
    plain = Model("claude", "ant", "anthropic-messages")
    assert "thinking" not in payload(plain, UserMessage("x"), thinking="high")


def test_budgets_can_be_set() -> None:
    made = payload(model(), UserMessage("x"), thinking="low", thinking_budgets={"low": 5000})
    assert made["thinking"]["budget_tokens"] == 5000


@pytest.mark.parametrize(("level", "effort"), [("minimal", "low"), ("low", "low"), ("high", "high")])
def test_adaptive_thinking_has_efforts(level: str, effort: str) -> None:
    made = payload(model(forceAdaptiveThinking=True), UserMessage("x"), thinking=level)
    assert made["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert made["output_config"] == {"effort": effort}


def test_the_tool_calls_of_another_model_are_gone_on_with_without_thinking() -> None:
    foreign = said(TextContent("x"), CALL, by="other")
    assert payload(model(), foreign, RESULT, thinking="low")["thinking"] == {"type": "disabled"}
    later = payload(model(), foreign, RESULT, UserMessage("now you"), thinking="low")
    assert later["thinking"]["type"] == "enabled"
    assert payload(model(), said(CALL), RESULT, thinking="low")["thinking"]["type"] == "enabled"
