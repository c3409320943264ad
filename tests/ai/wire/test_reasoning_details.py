"""A reply of a router, and how its reasoning goes back."""

from __future__ import annotations

import json
from typing import Any

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.fit import fit_history
from pi_term.ai.messages import AssistantMessage, TextContent, ThinkingContent, UserMessage
from pi_term.ai.models import Model
from pi_term.ai.wire.compat import openai_compat
from pi_term.ai.wire.openai_completions import ChunkDecoder
from pi_term.ai.wire.openai_payload import build_payload

MODEL = Model("a/b", "router", "openai-completions", reasoning=True)
OTHER = Model("other", "router", "openai-completions", reasoning=True)


def decode(tools: Any, *deltas: dict[str, Any]) -> AssistantMessage:
    chunks = [{"choices": [{"delta": delta}]} for delta in deltas]
    chunks.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    stream = b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks)
    make = lambda writer: ChunkDecoder(writer, MODEL, openai_compat(MODEL))  # noqa: E731
    message: AssistantMessage = tools.decode(make, [stream])[0]
    message.api, message.provider, message.model = MODEL.api, MODEL.provider, MODEL.id
    return message


def sent_back(message: AssistantMessage, target: Model = MODEL) -> dict[str, Any]:
    history = fit_history([UserMessage("x"), message, UserMessage("y")], target)
    payload = build_payload(target, Context(), StreamOptions(), openai_compat(target), history)
    found: dict[str, Any] = payload["messages"][1]
    return found


def detail(kind: str, index: int, **more: Any) -> dict[str, Any]:
    return {"type": f"reasoning.{kind}", "index": index, **more}


CALL = {"index": 0, "id": "call_1", "function": {"name": "read", "arguments": "{}"}}


def test_pieces_are_joined_and_go_back_whole(tools: Any) -> None:
    message = decode(
        tools,
        {"reasoning": "think ", "reasoning_details": [detail("text", 0, text="think ")]},
        {"reasoning": "more", "reasoning_details": [detail("text", 0, text="more")]},
        {"reasoning_details": [detail("text", 0, signature="SIGN")]},
        {"content": "Look"},
        {"tool_calls": [CALL], "reasoning_details": [detail("encrypted", 1, data="ENC", id="call_1")]},
    )
    assert isinstance(message.content[0], ThinkingContent)
    assert message.content[0].thinking == "think more"
    back = sent_back(message)
    assert back["reasoning_details"] == [
        detail("text", 0, text="think more", signature="SIGN"),
        detail("encrypted", 1, data="ENC", id="call_1"),
    ]
    assert "reasoning" not in back
    assert "reasoning_details" not in sent_back(message, OTHER)


def test_what_is_only_encrypted_stays_with_the_call(tools: Any) -> None:
    encrypted = detail("encrypted", 0, data="ENC", id="call_1")
    message = decode(tools, {"content": "Look"}, {"tool_calls": [CALL], "reasoning_details": [encrypted]})
    assert sent_back(message)["reasoning_details"] == [encrypted]


def test_odd_details_are_passed_over(tools: Any) -> None:
    message = decode(tools, {"reasoning_details": None}, {"content": "ok", "reasoning_details": ["x", None]})
    assert message.content == [TextContent("ok")]
    assert "reasoning_details" not in sent_back(message)
