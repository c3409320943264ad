from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.faults import ProviderError
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
from pi_term.ai.models import Model, ModelCost
from pi_term.ai.tools import Tool
from pi_term.ai.wire import google_generative_ai
from pi_term.ai.wire.google_generative_ai import PartDecoder
from pi_term.ai.wire.google_payload import build_payload

RECORDED = Path(__file__).with_name("recorded").joinpath("google-generative-ai.sse").read_bytes()
OLD = Model(
    "gemini-2.5-flash",
    "gem",
    "google-generative-ai",
    reasoning=True,
    input=("text", "image"),
    cost=ModelCost(1, 2, 0.1, 0),
    max_tokens=64_000,
)
NEW = replace(OLD, id="gemini-3-flash-preview")


def decode(tools: Any, *chunks: Any) -> AssistantMessage:
    stream = b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks)
    message: AssistantMessage = tools.decode(lambda writer: PartDecoder(writer, OLD), [stream])[0]
    return message


def chunk(*parts: Any, finish: str | None = None, **more: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], **more}


@settings(max_examples=40)
@given(places=st.lists(st.integers(0, 5000), max_size=20))
def test_any_cutting_of_the_stream_gives_the_same_message(tools: Any, places: list[int]) -> None:
    message, events = tools.decode(lambda writer: PartDecoder(writer, OLD), tools.cut(RECORDED, places))
    assert message.content == [
        ThinkingContent("**Looking**\n\nThe user wants it.\n\nI will write."),
        TextContent("Okay, let’s look: 🔍"),
        ToolCall("call_9", "write", {"path": "aä.txt", "content": "x\ny"}, "Ep8CCpwCAb4+9vv1kQ=="),
        ToolCall("call_10", "read", {}),
    ]
    assert (message.stop_reason, message.raw_stop_reason) == ("toolUse", "STOP")
    assert (message.response_id, message.response_model) == (
        "Wb8Gafz4KYLsz7IPmsGpiAE",
        "gemini-3-flash-preview",
    )
    kinds = [event.type for event in events]
    ends = ["thinking_end", "text_end", "toolcall_end", "toolcall_end"]
    assert [kind for kind in kinds if kind.endswith("_end")] == ends


def test_thoughts_and_cached_tokens_count_once(tools: Any) -> None:
    report = {
        "promptTokenCount": 1000,
        "cachedContentTokenCount": 800,
        "candidatesTokenCount": 200,
        "thoughtsTokenCount": 300,
    }
    usage = decode(tools, chunk({"text": "x"}, finish="STOP", usageMetadata=report)).usage
    assert (usage.input, usage.cache_read, usage.output, usage.reasoning) == (200, 800, 500, 300)
    assert usage.total_tokens == 1500
    assert usage.cost.total == pytest.approx((200 + 1000 + 80) / 1e6)


def test_signatures_stay_with_what_they_sign(tools: Any) -> None:
    message = decode(
        tools,
        chunk({"text": "t", "thought": True, "thoughtSignature": "c2lnMQ=="}),
        chunk({"text": "answer"}),
        chunk({"text": "", "thoughtSignature": "c2lnMg=="}, finish="STOP"),
    )
    assert message.content == [ThinkingContent("t", "c2lnMQ=="), TextContent("answer", "c2lnMg==")]


def test_calls_without_an_id_get_one(tools: Any) -> None:
    part = {"functionCall": {"name": "read"}}
    message = decode(tools, chunk(part, part, finish="STOP"))
    first, second = message.tool_calls
    assert first.id
    assert first.id != second.id
    assert (first.arguments, message.stop_reason) == ({}, "toolUse")


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("SAFETY", "bad_request"),
        ("PROHIBITED_CONTENT", "bad_request"),
        ("MALFORMED_FUNCTION_CALL", "transient"),
    ],
)
def test_reasons_that_are_no_answer(tools: Any, reason: str, kind: str) -> None:
    with pytest.raises(ProviderError, match=reason) as caught:
        decode(tools, chunk({"text": "half"}, finish=reason))
    assert caught.value.fault.kind == kind


@pytest.mark.parametrize(
    ("reason", "stop"), [("STOP", "stop"), ("MAX_TOKENS", "length"), ("A_NEW_ONE", "stop")]
)
def test_reasons_that_are_an_answer(tools: Any, reason: str, stop: str) -> None:
    assert decode(tools, chunk({"text": "x"}, finish=reason)).stop_reason == stop


def test_what_is_no_whole_answer_is_an_error(tools: Any) -> None:
    with pytest.raises(ProviderError, match="incomplete"):
        decode(tools, chunk({"text": "half"}))
    with pytest.raises(ProviderError, match="refused the prompt: SAFETY"):
        decode(tools, {"promptFeedback": {"blockReason": "SAFETY"}})
    with pytest.raises(ProviderError) as caught:
        decode(
            tools, {"error": {"code": 429, "message": "Resource exhausted", "status": "RESOURCE_EXHAUSTED"}}
        )
    assert caught.value.fault.retryable


def test_odd_chunks_are_passed_over(tools: Any) -> None:
    message = decode(
        tools,
        None,
        {},
        {"candidates": []},
        {"candidates": [None]},
        {"candidates": [{"content": {"parts": None}}]},
        chunk(None, {"executableCode": {}}, {"text": None}),
        chunk({"text": "ok"}, finish="STOP", usageMetadata=None),
    )
    assert message.content == [TextContent("ok")]


async def test_the_key_goes_into_a_header_and_the_model_into_the_address(tools: Any) -> None:
    made = await tools.call(google_generative_ai, replace(OLD, base_url="http://test/v1beta/"), [RECORDED])
    assert str(made.request.url) == (
        "http://test/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    )
    assert made.request.headers["x-goog-api-key"] == "key"
    assert "authorization" not in made.request.headers
    assert made.kinds[-1] == "done"


# --- requests -----------------------------------------------------------------------------------------


def payload(target: Model, *history: Message, tools: Sequence[Tool] = (), **options: Any) -> dict[str, Any]:
    context = Context("", history, tools)
    return build_payload(target, context, StreamOptions(**options), fit_history(history, target))


def said(by: Model, *parts: Any) -> AssistantMessage:
    return AssistantMessage(list(parts), api=by.api, provider=by.provider, model=by.id, stop_reason="toolUse")


PICTURE = ImageContent("AAAA", "image/png")
CALLS = (ToolCall("c1", "read", {"path": "a"}, "c2ln"), ToolCall("c2", "read", {"path": "b"}))
RESULTS = (
    ToolResultMessage("c1", "read", [TextContent("one"), PICTURE]),
    ToolResultMessage("c2", "read", [TextContent("bad")], is_error=True),
)


def test_pictures_of_results_lie_inside_or_follow_all_of_them() -> None:
    contents = payload(NEW, UserMessage("x"), said(NEW, *CALLS), *RESULTS)["contents"]
    first, second = (part["functionResponse"] for part in contents[2]["parts"])
    inline = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    assert first == {"name": "read", "response": {"output": "one"}, "parts": [inline], "id": "c1"}
    assert second == {"name": "read", "response": {"error": "bad"}, "id": "c2"}
    contents = payload(OLD, UserMessage("x"), said(OLD, *CALLS), *RESULTS)["contents"]
    assert [list(part) for part in contents[2]["parts"]] == [["functionResponse"], ["functionResponse"]]
    assert [list(part) for part in contents[3]["parts"]] == [["text"], ["inlineData"]]
    assert "id" not in contents[2]["parts"][0]["functionResponse"]


def test_the_call_of_another_model_is_signed_for_a_model_that_insists() -> None:
    signed = payload(NEW, UserMessage("x"), said(NEW, *CALLS), *RESULTS)["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in signed] == ["c2ln", None]
    foreign = payload(NEW, UserMessage("x"), said(OLD, *CALLS), *RESULTS)["contents"][1]["parts"]
    assert foreign[0]["thoughtSignature"] == "skip_thought_signature_validator"
    earlier = payload(NEW, UserMessage("x"), said(OLD, *CALLS), *RESULTS, UserMessage("y"))["contents"][1]
    assert "thoughtSignature" not in earlier["parts"][0]


def test_replies_in_a_row_are_one() -> None:
    history = [UserMessage("x"), said(OLD, TextContent("a")), said(OLD, TextContent("b")), UserMessage("y")]
    contents = payload(OLD, *history)["contents"]
    assert [content["role"] for content in contents] == ["user", "model", "user"]
    assert contents[1]["parts"] == [{"text": "a"}, {"text": "b"}]


@pytest.mark.parametrize(
    ("model_id", "level", "config"),
    [
        ("gemini-2.5-flash", "off", {"thinkingBudget": 0}),
        ("gemini-2.5-flash", "low", {"includeThoughts": True, "thinkingBudget": 2048}),
        ("gemini-2.5-flash-lite", "minimal", {"includeThoughts": True, "thinkingBudget": 512}),
        ("models/gemini-2.5-pro", "high", {"includeThoughts": True, "thinkingBudget": 32768}),
        ("gemini-2.5-pro", "off", {"thinkingBudget": 128}),
        ("gemini-3-pro-preview", "medium", {"includeThoughts": True, "thinkingLevel": "MEDIUM"}),
        ("gemini-3-pro-preview", "off", {"thinkingLevel": "LOW"}),
        ("gemini-3-flash-preview", "off", {"thinkingLevel": "MINIMAL"}),
        ("gemini-10-flash", "high", {"includeThoughts": True, "thinkingLevel": "HIGH"}),
        ("gemma-4-31b", "low", {"includeThoughts": True, "thinkingLevel": "LOW"}),
        ("something", "low", {"includeThoughts": True, "thinkingBudget": -1}),
    ],
)
def test_levels_are_budgets_or_words(model_id: str, level: Any, config: dict[str, Any]) -> None:
    target = replace(OLD, id=model_id)
    assert payload(target, UserMessage("x"), thinking=level)["generationConfig"]["thinkingConfig"] == config


def test_levels_can_be_mapped_and_budgets_set() -> None:
    def config(target: Model, **options: Any) -> Any:
        return payload(target, UserMessage("x"), **options)["generationConfig"]["thinkingConfig"]

    mapped = replace(OLD, thinking_level_map={"low": "7000", "max": "high"})
    assert config(mapped, thinking="low")["thinkingBudget"] == 7000
    assert config(mapped, thinking="max")["thinkingLevel"] == "HIGH"
    assert config(OLD, thinking="low", thinking_budgets={"low": 5000})["thinkingBudget"] == 5000
    assert config(OLD, thinking="high", max_tokens=4096)["thinkingBudget"] == 3072
    plain = payload(replace(OLD, reasoning=False), UserMessage("x"), thinking="high")
    assert plain["generationConfig"] == {"maxOutputTokens": 64_000}


def test_tools_are_declared_with_their_schemas() -> None:
    read = Tool("read", "Reads.", {"type": "object"})
    made = payload(NEW, UserMessage("x"), tools=[read])
    declared = {"name": "read", "description": "Reads.", "parametersJsonSchema": {"type": "object"}}
    assert made["tools"] == [{"functionDeclarations": [declared]}]
    assert made["toolConfig"] == {"functionCallingConfig": {"mode": "VALIDATED"}}
    assert "toolConfig" not in payload(OLD, UserMessage("x"), tools=[read])
