"""The official SDKs take our requests, and make the same message of the same streams.

Only here are they imported: that takes long.
"""

from __future__ import annotations

import asyncio
import json
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.context import Context, StreamOptions
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
from pi_term.ai.registry import stream_model
from pi_term.ai.scripted import Call, Say, Think
from pi_term.ai.tools import Tool
from pi_term.ai.wire import http
from pi_term.testing.wire_streams import WirePart, wire_stream

BASES = {
    "openai-completions": "http://test/v1",
    "openai-responses": "http://test/v1",
    "anthropic-messages": "http://test",
    "google-generative-ai": "http://test/v1beta",
}
READ = Tool("read", "Reads.", {"type": "object", "properties": {"path": {"type": "string"}}})


@dataclass
class Said:
    """What an answer came to, in words of no SDK."""

    thoughts: str
    text: str
    calls: list[tuple[str, str, Any]]
    stop: str
    tokens: tuple[int, int]


def model(api: str) -> Model:
    # OpenAI's own models say that they know this mode, and then the field is needed.
    compat = {"supportsStrictMode": True}
    return Model(
        "m",
        "test",
        api,
        base_url=BASES[api],
        reasoning=True,
        input=("text", "image"),
        max_tokens=8192,
        compat=compat,
    )


def conversation(api: str) -> list[Message]:
    """All that a request can hold."""
    own = {"api": api, "provider": "test", "model": "m", "stop_reason": "toolUse"}
    signature = {
        "openai-completions": "reasoning_content",
        "openai-responses": '{"type":"reasoning","id":"rs_9","summary":[],"encrypted_content":"AAAA"}',
    }.get(api, "c2ln")
    picture = ImageContent("iVBORw0KGgo=", "image/png")
    parts = [ThinkingContent("hm", signature), TextContent("Look."), ToolCall("c1", "read", {"path": "a"})]
    return [
        UserMessage([TextContent("see"), picture]),
        AssistantMessage(parts, **own),  # type: ignore[arg-type]
        ToolResultMessage("c1", "read", [TextContent("a picture"), picture]),
        UserMessage("and now?"),
    ]


def ask(api: str, stream: bytes) -> tuple[AssistantMessage, dict[str, Any]]:
    """Our message, and the payload that we sent."""
    payloads: list[dict[str, Any]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        payloads.append(json.loads(request.content))
        return httpx2.Response(200, content=stream)

    async def call() -> AssistantMessage:
        context = Context("Be brief.", conversation(api), [READ])
        options = StreamOptions(api_key="k", thinking="low", session_id="s", cache_retention="long")
        return await stream_model(model(api), context, options).result()

    with http.use_transport(httpx2.MockTransport(answer)):
        message = asyncio.run(call())
    return message, payloads[0]


def ours(message: AssistantMessage) -> Said:
    assert message.error_message is None
    usage = message.usage
    return Said(
        "".join(part.thinking for part in message.content if isinstance(part, ThinkingContent)),
        message.text,
        [(call.id.partition("|")[0], call.name, call.arguments) for call in message.tool_calls],
        message.stop_reason,
        (usage.input + usage.cache_read + usage.cache_write, usage.output),
    )


class Server:
    """Answers an SDK's client with the stream, and keeps what it sent."""

    def __init__(self, stream: bytes) -> None:
        self.stream = stream
        self.payload: dict[str, Any] = {}

    def client(self) -> httpx2.Client:
        return httpx2.Client(transport=httpx2.MockTransport(self._answer))

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.payload = json.loads(request.content)
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=self.stream)


def openai_completions(stream: bytes, payload: dict[str, Any]) -> tuple[Said, dict[str, Any]]:
    import openai

    server = Server(stream)
    client = openai.OpenAI(api_key="k", base_url="http://test/v1", http_client=server.client())
    arguments = {key: value for key, value in payload.items() if key != "stream"}
    with client.chat.completions.stream(**arguments) as events:
        final = events.get_final_completion()
    message = final.choices[0].message
    calls = [
        (each.id, each.function.name, json.loads(each.function.arguments))
        for each in message.tool_calls or ()
    ]
    assert final.usage is not None
    said = Said(
        getattr(message, "reasoning_content", None) or "",
        message.content or "",
        calls,
        {"tool_calls": "toolUse", "length": "length"}.get(final.choices[0].finish_reason, "stop"),
        (final.usage.prompt_tokens, final.usage.completion_tokens),
    )
    return said, server.payload


def openai_responses(stream: bytes, payload: dict[str, Any]) -> tuple[Said, dict[str, Any]]:
    import openai

    server = Server(stream)
    client = openai.OpenAI(api_key="k", base_url="http://test/v1", http_client=server.client())
    arguments = {key: value for key, value in payload.items() if key != "stream"}
    with client.responses.stream(**arguments) as events:
        final = events.get_final_response()
    thoughts = [part.text for item in final.output if item.type == "reasoning" for part in item.summary]
    called = [item for item in final.output if item.type == "function_call"]
    calls = [(item.call_id, item.name, json.loads(item.arguments)) for item in called]
    stop = "length" if final.status == "incomplete" else "toolUse" if calls else "stop"
    assert final.usage is not None
    tokens = (final.usage.input_tokens, final.usage.output_tokens)
    return Said("".join(thoughts), final.output_text, calls, stop, tokens), server.payload


def anthropic_messages(stream: bytes, payload: dict[str, Any]) -> tuple[Said, dict[str, Any]]:
    import anthropic

    server = Server(stream)
    client = anthropic.Anthropic(api_key="k", base_url="http://test", http_client=server.client())
    arguments = {key: value for key, value in payload.items() if key != "stream"}
    with client.messages.stream(**arguments) as events:
        final = events.get_final_message()
    said = Said(
        "".join(block.thinking for block in final.content if block.type == "thinking"),
        "".join(block.text for block in final.content if block.type == "text"),
        [(block.id, block.name, block.input) for block in final.content if block.type == "tool_use"],
        {"tool_use": "toolUse", "max_tokens": "length"}.get(final.stop_reason or "", "stop"),
        (final.usage.input_tokens, final.usage.output_tokens),
    )
    return said, server.payload


def google_generative_ai(stream: bytes, payload: dict[str, Any]) -> tuple[Said, dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from google import genai

    server = Server(stream)
    options = genai.types.HttpOptions(base_url="http://test", httpx_client=server.client())
    client = genai.Client(api_key="k", http_options=options)
    config = {
        **payload["generationConfig"],
        "systemInstruction": payload["systemInstruction"],
        "tools": payload["tools"],
    }
    parts: list[Any] = []
    last: Any = None
    for chunk in client.models.generate_content_stream(
        model="m", contents=payload["contents"], config=config
    ):
        content = chunk.candidates[0].content
        parts += (content.parts or []) if content else []
        last = chunk
    called = [part.function_call for part in parts if part.function_call]
    said = Said(
        "".join(part.text for part in parts if part.text and part.thought),
        "".join(part.text for part in parts if part.text and not part.thought),
        [(call.id, call.name, call.args) for call in called],
        "length" if last.candidates[0].finish_reason == "MAX_TOKENS" else "toolUse" if called else "stop",
        (last.usage_metadata.prompt_token_count, last.usage_metadata.candidates_token_count),
    )
    return said, server.payload


SDKS: dict[str, Callable[[bytes, dict[str, Any]], tuple[Said, dict[str, Any]]]] = {
    "openai-completions": openai_completions,
    "openai-responses": openai_responses,
    "anthropic-messages": anthropic_messages,
    "google-generative-ai": google_generative_ai,
}

_WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
_ARGUMENTS = st.dictionaries(
    st.sampled_from(["path", "text", "n"]), _WORDS | st.integers(0, 9) | st.booleans()
)
_PARTS = st.lists(
    st.builds(Say, _WORDS)
    | st.builds(Think, _WORDS)
    | st.builds(Call, st.sampled_from(["read", "bash"]), _ARGUMENTS),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("api", SDKS)
@settings(max_examples=10)
@given(parts=_PARTS)
def test_the_sdk_makes_the_same_message_of_the_same_stream(api: str, parts: Sequence[WirePart]) -> None:
    wire = wire_stream(api, parts)
    stream = b"".join([*wire.body, *wire.end])
    message, payload = ask(api, stream)
    theirs, _ = SDKS[api](stream, payload)
    assert ours(message) == theirs


RECORDED = Path(__file__).with_name("recorded")
WRITE = ("write", {"path": "aä.txt", "content": "x\ny"})


@pytest.mark.parametrize("api", SDKS)
def test_the_sdk_makes_the_same_message_of_a_real_stream(api: str) -> None:
    stream = (RECORDED / f"{api}.sse").read_bytes()
    message, payload = ask(api, stream)
    theirs, _ = SDKS[api](stream, payload)
    made = ours(message)
    # Between the paragraphs of a summary we write an empty line; Google's SDK leaves thoughts uncounted.
    assert made.thoughts.replace("\n", "") == theirs.thoughts.replace("\n", "")
    assert (made.text, made.calls, made.stop) == (theirs.text, theirs.calls, theirs.stop)
    assert made.text == "Okay, let’s look: 🔍"
    assert made.calls[0][1:] == WRITE
    usage = message.usage
    assert (usage.cache_read, usage.output, usage.total_tokens) == (3000, 89, 3681)


@pytest.mark.parametrize("api", SDKS)
def test_the_sdk_sends_our_request_as_it_is(api: str) -> None:
    wire = wire_stream(api, [Say("ok")])
    stream = b"".join([*wire.body, *wire.end])
    _, payload = ask(api, stream)
    _, sent = SDKS[api](stream, payload)
    assert camel_keys(sent) == camel_keys(payload)


def camel_keys(node: Any) -> Any:
    """With all keys in one spelling: Google's API takes two, and its SDK mixes them."""
    if isinstance(node, dict):
        return {
            re.sub("_([a-z])", lambda found: found[1].upper(), key): camel_keys(node[key]) for key in node
        }
    return [camel_keys(item) for item in node] if isinstance(node, list) else node


@pytest.mark.parametrize("api", ["openai-completions", "openai-responses", "anthropic-messages"])
def test_the_requests_are_of_the_types_that_the_sdks_declare(api: str) -> None:
    import anthropic.types as claude
    import openai.types.chat as chat
    import openai.types.responses as responses
    from anthropic.types.message_create_params import MessageCreateParamsStreaming
    from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
    from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
    from pydantic import TypeAdapter

    # The types of the request, of a message, of a part of its content, of a tool: what is declared as
    # an iterable, pydantic does not look into.
    declared: dict[str, tuple[Any, Any, Any, Any]] = {
        "openai-completions": (
            CompletionCreateParamsStreaming,
            chat.ChatCompletionMessageParam,
            chat.ChatCompletionContentPartParam,
            chat.ChatCompletionToolUnionParam,
        ),
        "openai-responses": (
            ResponseCreateParamsStreaming,
            responses.ResponseInputItemParam,
            responses.ResponseInputContentParam | responses.ResponseOutputTextParam,
            responses.ToolParam,
        ),
        "anthropic-messages": (
            MessageCreateParamsStreaming,
            claude.MessageParam,
            claude.ContentBlockParam,
            claude.ToolUnionParam,
        ),
    }
    wire = wire_stream(api, [Say("ok")])
    _, payload = ask(api, b"".join([*wire.body, *wire.end]))
    whole, message, part, tool = declared[api]
    TypeAdapter(whole).validate_python(payload)
    sent = payload.get("messages") or payload["input"]
    TypeAdapter(list[message]).validate_python(sent)
    contents = (each.get("content") or each.get("output") for each in sent)
    TypeAdapter(list[part]).validate_python(
        [inner for content in contents if isinstance(content, list) for inner in content]
    )
    TypeAdapter(list[tool]).validate_python(payload["tools"])
