"""The requests of Pi 1.6.0 on the four APIs, as its frozen scenarios hold them, against ours.

`golden_requests.json` is the `requests` aspect of three scenarios, with one tool left of four. What the
scenarios keep open is named here in the same way: opaque fields, ids that are made up.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.messages import (
    AssistantMessage,
    Message,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_term.ai.models import Model, ThinkingLevel
from pi_term.ai.registry import stream_model
from pi_term.ai.tools import Tool
from pi_term.ai.wire import http
from pi_term.base.json import JsonObject

GOLDEN = json.loads(Path(__file__).with_name("golden_requests.json").read_text())
SESSION = "01a22a73-117a-7342-a90f-ed1b3677707c"
READ = Tool(
    "read",
    "Reads a file.",
    {
        "type": "object",
        "required": ["path"],
        "properties": {
            "path": {"type": "string"},
            "offset": {"type": "number"},
            "limit": {"type": "number"},
        },
    },
)
BOTH = ("text", "image")


def model(provider: str, model_id: str, api: str, base: str, *, reasoning: bool = True) -> Model:
    return Model(model_id, provider, api, base_url=base, reasoning=reasoning, input=BOTH, max_tokens=4096)


CHAT = model("oai", "chat", "openai-completions", "http://mock/v1", reasoning=False)
THINK = model("oai", "think", "openai-completions", "http://mock/v1")
RESP = model("oair", "resp", "openai-responses", "http://mock/v1")
CLAUDE = model("ant", "claude", "anthropic-messages", "http://mock")
GEMINI = model("gem", "gemini", "google-generative-ai", "http://mock/v1beta")


def said(by: Model, *parts: Any) -> AssistantMessage:
    stop = "toolUse" if any(isinstance(part, ToolCall) for part in parts) else "stop"
    return AssistantMessage(
        list(parts),
        api=by.api,
        provider=by.provider,
        model=by.id,
        stop_reason=stop,  # type: ignore[arg-type]
        thinking_level="medium",
    )


async def sent(target: Model, *messages: Message) -> httpx2.Request:
    """What goes out for this conversation."""
    requests: list[httpx2.Request] = []

    def refuse(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        return httpx2.Response(400, json={"error": {"message": "enough seen"}})

    level: ThinkingLevel = "medium" if target.reasoning else "off"
    options = StreamOptions(api_key="key", session_id=SESSION, thinking=level)
    with http.use_transport(httpx2.MockTransport(refuse)):
        await stream_model(target, Context("You are a test.", messages, [READ]), options).result()
    (request,) = requests
    return request


CONVERSATION = {"messages", "system", "input", "contents", "systemInstruction", "tools"}
OPAQUE = {"signature", "encrypted_content", "thoughtSignature"}
CALLS = {"call_1", "call_2", "call_3", "call_4", "call_ant", "call_oair", "call_oai", "call_gem"}


def canonical(request: httpx2.Request, before: list[Any]) -> JsonObject:
    body = json.loads(request.content)
    messages = body.get("messages") or body.get("input") or body["contents"]
    made = [_message(message) for message in messages]
    shared = 0
    while shared < min(len(made), len(before)) and made[shared] == before[shared]:
        shared += 1
    before[:] = made
    if shared >= 3:
        made = [f"the first {shared} messages of the request before", *made[shared:]]
    auth = ("authorization", "x-api-key", "x-goog-api-key")
    return {
        "path": urlsplit(str(request.url)).path,
        "auth": [name for name in auth if name in request.headers],
        "params": {
            key: "<UUID1>" if value == SESSION else value
            for key, value in body.items()
            if key not in CONVERSATION
        },
        "tools": _without_descriptions(body["tools"]),
        "messages": made,
    }


def _message(message: JsonObject) -> Any:
    if message.get("role") in ("system", "developer"):
        return {"role": message["role"], "is": "system prompt"}
    return _named(message)


def _named(node: Any, key: str = "") -> Any:
    if isinstance(node, list):
        return [_named(item, key) for item in node]
    if not isinstance(node, dict):
        if key in OPAQUE:
            return "<opaque>"
        is_call = key in ("call_id", "tool_call_id", "tool_use_id", "tool_calls.id", "tool_use.id")
        return "<CALL1>" if is_call and node not in CALLS else node
    out: JsonObject = {}
    for name, value in node.items():
        if name == "arguments":
            out[name] = {"json": json.loads(value)}
        elif name == "id" and node.get("type") in ("function", "tool_use"):
            out[name] = _named(value, "tool_use.id")
        elif name == "id":
            out[name] = "<id>"
        else:
            out[name] = _named(value, name)
    return out


def _without_descriptions(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _without_descriptions(value) for key, value in node.items() if key != "description"}
    return [_without_descriptions(item) for item in node] if isinstance(node, list) else node


def check(requests: list[httpx2.Request], scenario: str) -> None:
    before: list[Any] = []
    ours = [canonical(request, before) for request in requests]
    # The scenario's own UUIDs count up with its runs.
    expected = json.loads(json.dumps(GOLDEN[scenario]).replace("<UUID2>", "<UUID1>"))
    assert ours == expected


async def test_a_plain_question() -> None:
    asked = UserMessage("say hello")
    check([await sent(each, asked) for each in (CHAT, RESP, CLAUDE, GEMINI)], "plain_four_apis")


ENCRYPTED = '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"AAAA"}'
TEXT_ID = '{"v":1,"id":"msg_1"}'


async def test_a_tool_call() -> None:
    requests = []
    for number, target in enumerate((CHAT, RESP, CLAUDE, GEMINI), start=1):
        asked = UserMessage("what is in note.txt?")
        text, call_id = TextContent("Let me look."), f"call_{number}"
        thoughts = []
        if target is RESP:
            call_id, text.text_signature = f"{call_id}|fc_1", TEXT_ID
            thoughts = [ThinkingContent("", ENCRYPTED)]
        looked = said(target, *thoughts, text, ToolCall(call_id, "read", {"path": "note.txt"}))
        result = ToolResultMessage(call_id, "read", [TextContent("first line\nsecond line\n")])
        requests += [await sent(target, asked), await sent(target, asked, looked, result)]
    check(requests, "tool_call_four_apis")


SIGNATURES = {
    "ant": "c2ln",
    "oair": '{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Thought of oair."}],'
    '"encrypted_content":"AAAA"}',
    "oai": "reasoning_content",
    "gem": None,
}


async def test_thinking_and_tools_while_models_are_switched() -> None:
    requests, history = [], list[Message]()
    for target in (CLAUDE, RESP, THINK, GEMINI):
        name = target.provider
        call_id = f"call_{name}|fc_{'1' * 40}" if target is RESP else f"call_{name}"
        history.append(UserMessage(f"question for {name}"))
        requests.append(await sent(target, *history))
        history += [
            said(
                target,
                ThinkingContent(f"Thought of {name}.", SIGNATURES[name]),
                TextContent(f"Text of {name}."),
                ToolCall(call_id, "read", {"path": "a.txt"}),
            ),
            ToolResultMessage(call_id, "read", [TextContent("aaa\n")]),
        ]
        requests.append(await sent(target, *history))
        second = ThinkingContent(f"Second thought of {name}.", SIGNATURES[name])
        history.append(said(target, second, TextContent(f"Answer of {name}.")))
    history.append(UserMessage("once more"))
    requests.append(await sent(CLAUDE, *history))
    check(requests, "thinking_switch")


@pytest.mark.parametrize("scenario", GOLDEN)
def test_the_goldens_are_all_there(scenario: str) -> None:
    assert len(GOLDEN[scenario]) in (4, 8, 9)
