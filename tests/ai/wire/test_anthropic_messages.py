from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.messages import TextContent, ThinkingContent, ToolCall, UserMessage
from pi_term.ai.models import Model, ModelCost
from pi_term.ai.tools import Tool
from pi_term.ai.wire import anthropic_messages
from pi_term.ai.wire.anthropic_messages import EventDecoder

MODEL = Model("claude", "ant", "anthropic-messages", base_url="http://test", cost=ModelCost(3, 15, 0.3, 3.75))


def sse(*events: Any) -> bytes:
    lines = [
        event if isinstance(event, str) else f"event: {event['type']}\ndata: {json.dumps(event)}"
        for event in events
    ]
    return "".join(f"{line}\n\n" for line in lines).encode()


def start(**usage: Any) -> dict[str, Any]:
    message = {"id": "msg_1", "model": "claude", "content": [], "usage": {"input_tokens": 10, **usage}}
    return {"type": "message_start", "message": message}


def opened(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **values: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **values}}


def closed(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def ended(reason: str = "end_turn", **usage: Any) -> list[dict[str, Any]]:
    return [
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 20, **usage}},
        {"type": "message_stop"},
    ]


def said(text: str, index: int = 0) -> list[dict[str, Any]]:
    return [opened(index, type="text", text=""), delta(index, "text_delta", text=text), closed(index)]


def asked(arguments: str, index: int = 1) -> list[dict[str, Any]]:
    return [
        opened(index, type="tool_use", id="toolu_1", name="read", input={}),
        delta(index, "input_json_delta", partial_json=""),
        delta(index, "input_json_delta", partial_json=arguments[:5]),
        delta(index, "input_json_delta", partial_json=arguments[5:]),
        closed(index),
    ]


WHOLE = sse(
    start(cache_read_input_tokens=7, cache_creation_input_tokens=5, output_tokens=1),
    {"type": "ping"},
    opened(0, type="thinking", thinking="", signature=""),
    delta(0, "thinking_delta", thinking="Hm, "),
    delta(0, "thinking_delta", thinking="ü 🤔"),
    delta(0, "signature_delta", signature="SIG"),
    closed(0),
    opened(1, type="redacted_thinking", data="BLOB"),
    closed(1),
    *said("Let me see.", 2),
    *asked('{"path": "a.txt"}', 3),
    *ended("tool_use"),
)
WHOLE_PARTS = [
    ThinkingContent("Hm, ü 🤔", "SIG"),
    ThinkingContent("", "BLOB", True),
    TextContent("Let me see."),
    ToolCall("toolu_1", "read", {"path": "a.txt"}),
]


def decoder(writer: Any) -> EventDecoder:
    return EventDecoder(writer, MODEL)


@settings(max_examples=60)
@given(places=st.lists(st.integers(0, 5000), max_size=20))
def test_any_cutting_of_the_stream_gives_the_same_message(tools: Any, places: list[int]) -> None:
    message, _ = tools.decode(decoder, tools.cut(WHOLE, places))
    assert message.content == WHOLE_PARTS
    assert (message.stop_reason, message.raw_stop_reason) == ("toolUse", "tool_use")
    assert message.response_id == "msg_1"


async def test_events_tell_the_story_in_order(tools: Any) -> None:
    call = await tools.call(anthropic_messages, MODEL, [WHOLE])
    kinds = [kind for kind, before in zip(call.kinds, ["", *call.kinds], strict=False) if kind != before]
    assert kinds == [
        *("start", "thinking_start", "thinking_delta", "thinking_end", "thinking_start", "thinking_end"),
        *("text_start", "text_delta", "text_end", "toolcall_start", "toolcall_delta", "toolcall_end", "done"),
    ]


def test_tokens_are_counted_once_and_later_reports_win(tools: Any) -> None:
    usage = tools.decode(decoder, [WHOLE])[0].usage
    assert (usage.input, usage.output, usage.cache_read, usage.cache_write) == (10, 20, 7, 5)
    assert usage.total_tokens == 42
    assert usage.cost.total == pytest.approx((10 * 3 + 20 * 15 + 7 * 0.3 + 5 * 3.75) / 1e6)

    late = sse(start(), *said("x"), *ended(input_tokens=33, cache_read_input_tokens=None))
    assert tools.decode(decoder, [late])[0].usage.input == 33


def test_cache_entries_for_an_hour_are_noted(tools: Any) -> None:
    began = start(cache_creation_input_tokens=5, cache_creation={"ephemeral_1h_input_tokens": 3})
    usage = tools.decode(decoder, [sse(began, *said("x"), *ended())])[0].usage
    assert usage.to_json()["cacheWrite1h"] == 3


def test_odd_events_are_passed_over(tools: Any) -> None:
    stream = sse(
        ": comment",
        "data: null",
        "event: surprise\ndata: {}",
        start(),
        opened(0, type="server_tool_use", id="x", name="search", input={}),
        delta(0, "input_json_delta", partial_json="{}"),
        closed(0),
        closed(9),
        delta(4, "text_delta", text="no "),
        delta(4, "text_delta", text="start"),
        delta(4, "citations_delta", citation={}),
        {"type": "message_delta", "delta": None, "usage": None},
        *ended(),
    )
    assert tools.decode(decoder, [stream])[0].content == [TextContent("no start")]


def test_events_need_no_names(tools: Any) -> None:
    nameless = b"\n".join(line for line in WHOLE.split(b"\n") if not line.startswith(b"event:"))
    assert tools.decode(decoder, [nameless])[0].content == WHOLE_PARTS


def test_arguments_may_come_whole_with_the_call(tools: Any) -> None:
    stream = sse(
        start(), opened(0, type="tool_use", id="t", name="read", input={"path": "x"}), closed(0), *ended()
    )
    message, _ = tools.decode(decoder, [stream])
    assert message.content == [ToolCall("t", "read", {"path": "x"})]
    assert message.stop_reason == "toolUse"


@pytest.mark.parametrize("reason", ["max_tokens", "tool_use"])
def test_cut_off_arguments_are_kept_apart_and_never_arguments(tools: Any, reason: str) -> None:
    received = '{"path":"a.py","content":"print('
    message, _ = tools.decode(decoder, [sse(start(), *asked(received, 0), *ended(reason))])
    call = message.content[0]
    assert (call.arguments, call.invalid_arguments) == ({}, received)
    assert message.stop_reason == ("length" if reason == "max_tokens" else "toolUse")


@pytest.mark.parametrize(
    ("stream", "words", "kind"),
    [
        (sse(start(), *said("half")), "message_stop", "transient"),
        (sse(start(), *said("half"), ended()[0]), "message_stop", "transient"),
        (sse(start(), *said("half"), *asked('{"path":"a"}')), "message_stop", "transient"),
        (b"", "message_stop", "transient"),
        (sse(start(), *said("half"), "data: {broken"), "JSON", "transient"),
        (
            sse(
                start(),
                *said("half"),
                {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
            ),
            "Overloaded",
            "transient",
        ),
        (
            sse(
                {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long"}}
            ),
            "too long",
            "overflow",
        ),
        (sse(start(), *said("half"), *ended("refusal")), "refused", "bad_request"),
    ],
)
async def test_what_breaks_off_becomes_an_error_that_keeps_what_came(
    tools: Any, stream: bytes, words: str, kind: str
) -> None:
    call = await tools.call(anthropic_messages, MODEL, [stream])
    assert call.kinds[-1] == "error"
    assert call.message.stop_reason == "error"
    assert words in (call.message.error_message or "")
    assert call.message.fault.kind == kind
    if b"half" in stream:
        assert call.message.text == "half"


@pytest.mark.parametrize("base", ["http://test", "http://test/", "http://test/v1"])
async def test_the_request_goes_where_the_model_lives_with_its_key(tools: Any, base: str) -> None:
    model = Model("claude", "ant", "anthropic-messages", base_url=base)
    context = Context("Be brief.", [UserMessage("hi")], [Tool("read", "Reads.", {"required": ["path"]})])
    call = await tools.call(
        anthropic_messages, model, [WHOLE], context=context, options=StreamOptions(api_key="k1")
    )
    assert str(call.request.url) == "http://test/v1/messages"
    assert call.request.headers["x-api-key"] == "k1"
    assert call.request.headers["anthropic-version"] == "2023-06-01"
    mark = {"type": "ephemeral"}
    assert call.body == {
        "model": "claude",
        "max_tokens": 16384,
        "stream": True,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": mark}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": mark}]}],
        "tools": [
            {
                "name": "read",
                "description": "Reads.",
                "eager_input_streaming": True,
                "input_schema": {"type": "object", "properties": {}, "required": ["path"]},
                "cache_control": mark,
            }
        ],
    }


async def test_a_server_without_eager_streaming_gets_the_old_header(tools: Any) -> None:
    compat = {"supportsEagerToolInputStreaming": False, "supportsCacheControlOnTools": False}
    model = Model("claude", "ant", "anthropic-messages", base_url="http://test", compat=compat)
    call = await tools.call(
        anthropic_messages, model, [WHOLE], context=Context("", [], [Tool("read", "R", {})])
    )
    assert call.request.headers["anthropic-beta"].startswith("fine-grained-tool-streaming")
    assert set(call.body["tools"][0]) == {"name", "description", "input_schema"}
