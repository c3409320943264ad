"""Whole model calls against a server on loopback: what aborting, silence and odd servers do to them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.messages import TextContent, ToolCall, UserMessage
from pi_term.ai.models import Model
from pi_term.ai.registry import stream_model
from pi_term.base.abort import AbortController

APIS = ["openai-completions", "anthropic-messages", "openai-responses", "google-generative-ai"]

OPENAI = [
    {"id": "r1", "choices": [{"index": 0, "delta": {"content": "half an "}}]},
    {
        "choices": [
            {
                "delta": {
                    "tool_calls": [
                        {"index": 0, "id": "c", "function": {"name": "read", "arguments": '{"path":"a'}}
                    ]
                }
            }
        ]
    },
]
ANTHROPIC = [
    {"type": "message_start", "message": {"id": "r1", "usage": {"input_tokens": 3}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "half an "}},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "c", "name": "read", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": '{"path":"a'},
    },
]
RESPONSES = [
    {"type": "response.created", "response": {"id": "r1"}},
    {"type": "response.output_item.added", "output_index": 0, "item": {"type": "message"}},
    {"type": "response.output_text.delta", "output_index": 0, "delta": "half an "},
    {
        "type": "response.output_item.added",
        "output_index": 1,
        "item": {"type": "function_call", "call_id": "c", "name": "read", "arguments": ""},
    },
    {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"path":"a'},
]
CALL_PART = {"functionCall": {"id": "c", "name": "read", "args": {"path": "a"}}}
GOOGLE = [
    {"candidates": [{"content": {"role": "model", "parts": [part]}}]}
    for part in ({"text": "half an "}, CALL_PART)
]
HALVES = {
    api: [f"data: {json.dumps(e)}\n\n".encode() for e in half]
    for api, half in zip(APIS, (OPENAI, ANTHROPIC, RESPONSES, GOOGLE), strict=True)
}


def model(api: str, url: str) -> Model:
    return Model("m", "p", api, base_url=f"{url}/v1")


@pytest.mark.parametrize("api", APIS)
async def test_an_abort_keeps_what_came_and_hangs_up_at_once(serve: Any, api: str) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(*HALVES[api], end=False)
        await exchange.gone.wait()

    controller = AbortController()
    async with serve(answer) as server:
        options = StreamOptions(api_key="key", signal=controller.signal)
        stream = stream_model(model(api, server.url), Context("", [UserMessage("hi")]), options)
        kinds = []
        async for event in stream:
            kinds.append(event.type)
            if event.type == "toolcall_delta":
                controller.abort()
        async with asyncio.timeout(20):
            await server.exchanges[0].gone.wait()
    message = await stream.result()
    assert message.stop_reason == "aborted"
    assert message.content == [TextContent("half an "), ToolCall("c", "read", {"path": "a"})]
    assert kinds[-3:] == ["text_end", "toolcall_end", "error"] or kinds[-2:] == ["toolcall_end", "error"]
    assert kinds.count("text_end") == kinds.count("text_start")


@pytest.mark.parametrize("api", APIS)
async def test_an_abort_while_the_server_is_still_thinking(serve: Any, api: str) -> None:
    controller = AbortController()

    async def answer(exchange: Any) -> None:
        controller.abort("user")
        await exchange.gone.wait()

    async with serve(answer) as server, asyncio.timeout(20):
        options = StreamOptions(signal=controller.signal)
        message = await stream_model(
            model(api, server.url), Context("", [UserMessage("hi")]), options
        ).result()
        await server.exchanges[0].gone.wait()
    assert (message.stop_reason, message.content) == ("aborted", [])


@pytest.mark.parametrize("api", APIS)
async def test_a_torn_connection_keeps_what_came_and_can_be_tried_again(serve: Any, api: str) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(*HALVES[api], end=False)
        exchange.writer.close()

    async with serve(answer) as server:
        stream = stream_model(model(api, server.url), Context("", [UserMessage("hi")]), StreamOptions())
        message = await stream.result()
    assert message.stop_reason == "error"
    assert "closed" in (message.error_message or "")
    assert message.fault.retryable
    assert message.content == [TextContent("half an "), ToolCall("c", "read", {"path": "a"})]


@pytest.mark.parametrize("api", APIS)
async def test_a_server_that_falls_silent_is_given_up(serve: Any, api: str) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(*HALVES[api], end=False)
        await exchange.gone.wait()

    async with serve(answer) as server:
        options = StreamOptions(idle_timeout_ms=50)
        message = await stream_model(
            model(api, server.url), Context("", [UserMessage("hi")]), options
        ).result()
    assert message.stop_reason == "error"
    assert message.fault.kind == "network"


async def test_a_connection_that_breaks_after_the_finish_reason_spoils_nothing(serve: Any) -> None:
    finish = {"choices": [{"index": 0, "delta": {"content": "all"}, "finish_reason": "stop"}]}

    async def answer(exchange: Any) -> None:
        await exchange.events(f"data: {json.dumps(finish)}\n\n".encode(), end=False)
        exchange.writer.close()

    async with serve(answer) as server:
        target = model("openai-completions", server.url)
        message = await stream_model(target, Context("", [UserMessage("hi")]), StreamOptions()).result()
    assert (message.stop_reason, message.text) == ("stop", "all")


async def test_an_unusable_address_is_a_message_too() -> None:
    for api in APIS:
        target = Model("m", "p", api, base_url="nonsense")
        message = await stream_model(target, Context("", [UserMessage("hi")]), StreamOptions()).result()
        assert message.stop_reason == "error"
        assert message.fault.kind == "bad_request"


async def test_a_long_conversation_is_sent_whole(serve: Any) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n')

    async with serve(answer) as server:
        messages = [UserMessage(f"message {number}") for number in range(500)]
        target = model("openai-completions", server.url)
        message = await stream_model(target, Context("", messages), StreamOptions()).result()
    assert message.text == "ok"
    sent = json.loads(server.exchanges[0].body)["messages"]
    assert [each["content"][0]["text"] for each in sent] == [each.content for each in messages]
