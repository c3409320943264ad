from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.ai.messages import (
    AssistantMessage,
    OpaquePart,
    SystemMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
    message_from_json,
)

unknown = st.dictionaries(
    st.text(min_size=1).map(lambda key: f"x-{key}"), st.integers() | st.text(), max_size=3
)


@given(unknown, unknown)
def test_unknown_keys_pass_through(in_message: dict[str, Any], in_part: dict[str, Any]) -> None:
    data = {
        "role": "assistant",
        "content": [{"type": "text", "text": "hi", **in_part}, {"type": "novelty", "a": 1}],
        "api": "a",
        "provider": "p",
        "model": "m",
        "usage": {
            "input": 1,
            "output": 2,
            "cacheRead": 3,
            "cacheWrite": 4,
            "totalTokens": 10,
            "cacheWrite1h": 4,
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0, "odd": True},
        },
        "stopReason": "stop",
        "timestamp": 5,
        **in_message,
    }
    assert message_from_json(data).to_json() == data


def test_keys_are_those_of_the_format() -> None:
    message = ToolResultMessage(tool_call_id="c", tool_name="read", content=[TextContent("x")], timestamp=1)
    assert message.to_json() == {
        "role": "toolResult",
        "toolCallId": "c",
        "toolName": "read",
        "content": [{"type": "text", "text": "x"}],
        "isError": False,
        "timestamp": 1,
    }


def test_string_content_stays_a_string() -> None:
    assert UserMessage.from_json({"role": "user", "content": "hi", "timestamp": 1}).content == "hi"


def test_what_is_only_of_memory_is_not_written() -> None:
    call = ToolCall("1", "write", invalid_arguments='{"path":')
    assert call.to_json() == {"type": "toolCall", "id": "1", "name": "write", "arguments": {}}


def test_sections_may_be_removed() -> None:
    data = {"role": "system", "content": "", "sections": {"skills": None}, "timestamp": 1}
    assert SystemMessage.from_json(data).to_json() == data


def test_unknown_part_keeps_its_type() -> None:
    message = AssistantMessage.from_json({"content": [{"type": "novelty", "a": 1}]})
    part: Any = message.content[0]
    assert isinstance(part, OpaquePart)
    assert part.type == "novelty"


def test_a_role_of_no_model_is_refused() -> None:
    with pytest.raises(ValueError, match="bashExecution"):
        message_from_json({"role": "bashExecution"})


def test_usage_defaults_are_complete() -> None:
    assert Usage().to_json() == {
        "input": 0,
        "output": 0,
        "cacheRead": 0,
        "cacheWrite": 0,
        "totalTokens": 0,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
    }


@pytest.mark.parametrize(
    "part",
    [
        {"type": "text", "text": ["x"]},
        {"type": "thinking", "thinking": 5},
        {"type": "image", "data": {}, "mimeType": "image/png"},
        {"type": "toolCall", "id": "1", "name": 7, "arguments": {}},
        {"type": "toolCall", "id": "1", "name": "read", "arguments": "{}"},
    ],
)
def test_a_block_of_the_wrong_shape_is_refused(part: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is expected"):
        message_from_json({"role": "user", "content": [part]})
