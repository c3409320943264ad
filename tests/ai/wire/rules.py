"""What each provider refuses: the rules of its API for a request, as checks that raise `AssertionError`.

From the providers' documentation and their error messages. Each function takes the payload as it is sent.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
from typing import Any

PICTURES = {"image/png", "image/jpeg", "image/gif", "image/webp"}
GOOGLE_PICTURES = {"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}
Payload = dict[str, Any]


def completions(payload: Payload) -> None:
    """`chat/completions`, with the limits of OpenAI's own server."""
    messages = payload["messages"]
    assert messages, "at least one message is needed"
    seen: set[str] = set()
    waiting: list[str] = []
    for place, message in enumerate(messages):
        role = message["role"]
        if role == "tool":
            assert waiting, "a tool message must follow the calls that it answers"
            assert message["tool_call_id"] == waiting.pop(0)
            assert isinstance(message["content"], str)
            assert message["content"].strip()
            continue
        assert not waiting, f"calls without an answer: {waiting}"
        if role == "assistant":
            waiting = _completions_reply(message, seen)
        elif role == "user":
            _completions_user(message["content"])
        else:
            assert role in ("system", "developer")
            assert place == 0
    assert not waiting
    assert messages[-1]["role"] in ("user", "tool")


def mistral(payload: Payload) -> None:
    """What Mistral's server wants beyond that."""
    for message in payload["messages"]:
        ids = [call["id"] for call in message.get("tool_calls", ())]
        if message["role"] == "tool":
            assert message["name"]
            ids.append(message["tool_call_id"])
        assert all(re.fullmatch(r"[A-Za-z0-9]{9}", each) for each in ids)
        known = {"role", "content", "tool_calls", "tool_call_id", "name"}
        assert set(message) <= known, "other fields are refused"
    assert not {"store", "reasoning_effort", "prompt_cache_retention"} & set(payload)


def _completions_reply(message: Payload, seen: set[str]) -> list[str]:
    calls = message.get("tool_calls", [])
    content = message["content"]
    assert calls or content, "a reply has content or calls"
    assert content is None or content.strip()
    assert "tool_calls" not in message or calls, "an empty list of calls is refused"
    for call in calls:
        assert call["type"] == "function"
        assert call["id"]
        assert call["id"] not in seen, "call ids must be unique"
        seen.add(call["id"])
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", call["function"]["name"])
        assert isinstance(json.loads(call["function"]["arguments"]), dict)
    return [call["id"] for call in calls]


def _completions_user(parts: list[Payload]) -> None:
    assert parts
    for part in parts:
        if part["type"] == "text":
            assert part["text"].strip()
        else:
            _data_url(part["image_url"]["url"])


def _data_url(url: str) -> None:
    found = re.fullmatch(r"data:(image/[a-z]+);base64,(.+)", url)
    assert found
    assert found[1] in PICTURES
    base64.b64decode(found[2], validate=True)


def responses(payload: Payload) -> None:
    """`responses` with `store: false`."""
    items = payload["input"]
    assert payload["store"] is False
    assert items, "input must not be empty"
    ids: set[str] = set()
    calls: set[str] = set()
    waiting: set[str] = set()
    for item, following in itertools.zip_longest(items, items[1:]):
        kind = item.get("type", "message")
        if "id" in item:
            assert item["id"] not in ids, "item ids must be unique"
            assert len(item["id"]) <= 64
            ids.add(item["id"])
        if kind == "reasoning":
            assert item["encrypted_content"], "nothing is stored, so an id alone means nothing"
            assert isinstance(item["summary"], list)
            follows = following or {}
            own = follows.get("type") in ("reasoning", "function_call") or follows.get("role") == "assistant"
            assert own, "reasoning must be followed by the item that it led to"
        elif kind == "function_call":
            assert item["call_id"] not in calls
            assert 1 <= len(item["call_id"]) <= 64
            assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", item["name"])
            assert isinstance(json.loads(item["arguments"]), dict)
            calls.add(item["call_id"])
            waiting.add(item["call_id"])
        elif kind == "function_call_output":
            assert item["call_id"] in waiting, "an output needs its call before it"
            waiting.remove(item["call_id"])
            _responses_content(item["output"])
        else:
            assert item["role"] == "assistant" or not waiting, f"calls without an output: {waiting}"
            _responses_message(item)
    assert not waiting
    assert items[-1].get("role") == "user" or items[-1].get("type") == "function_call_output"


def _responses_message(item: Payload) -> None:
    if item["role"] != "assistant":
        _responses_content(item["content"])
        return
    assert item["id"].startswith("msg"), "an id of another kind is refused"
    assert item["content"]
    for part in item["content"]:
        assert part["type"] == "output_text"
        assert part["text"].strip()


def _responses_content(content: Any) -> None:
    assert content
    if isinstance(content, str):
        assert content.strip()
        return
    for part in content:
        if part["type"] == "input_text":
            assert part["text"].strip()
        else:
            assert part["type"] == "input_image"
            _data_url(part["image_url"])


def anthropic(payload: Payload) -> None:
    """`messages`, as Anthropic's own server checks them."""
    messages = payload["messages"]
    assert messages, "at least one message is required"
    assert json.dumps(payload).count('"cache_control"') <= 4, "at most four blocks may be marked"
    turns = [
        (role, [block for message in group for block in message["content"]])
        for role, group in itertools.groupby(messages, key=lambda message: message["role"])
    ]
    assert turns[0][0] == "user"
    assert turns[-1][0] == "user", "newer models refuse an answer that is begun for them"
    seen: set[str] = set()
    waiting: list[str] = []
    for role, blocks in turns:
        assert blocks, "content must not be empty"
        if role == "assistant":
            waiting = _anthropic_reply(blocks, seen)
        else:
            _anthropic_user(blocks, waiting)
            waiting = []
    _anthropic_thinking(payload, turns)


def _anthropic_reply(blocks: list[Payload], seen: set[str]) -> list[str]:
    calls = []
    for block in blocks:
        match block["type"]:
            case "text":
                assert block["text"].strip(), "text content blocks must be non-empty"
            case "thinking":
                assert block["signature"]
            case "redacted_thinking":
                assert block["data"]
            case "tool_use":
                assert re.fullmatch(r"[A-Za-z0-9_-]+", block["id"])
                assert block["id"] not in seen, "tool_use ids must be unique"
                seen.add(block["id"])
                assert re.fullmatch(r"[A-Za-z0-9_-]{1,128}", block["name"])
                assert isinstance(block["input"], dict)
                calls.append(block["id"])
            case kind:
                raise AssertionError(kind)
    assert blocks[-1]["type"] not in ("thinking", "redacted_thinking"), "thinking must not come last"
    return calls


def _anthropic_user(blocks: list[Payload], waiting: list[str]) -> None:
    results = [block for block in blocks if block["type"] == "tool_result"]
    assert blocks[: len(results)] == results, "results must come first"
    assert sorted(block["tool_use_id"] for block in results) == sorted(waiting), "each call has one result"
    for block in blocks:
        if block["type"] == "tool_result":
            content = block["content"]
            inner = [{"type": "text", "text": content}] if isinstance(content, str) else content
            assert inner
            assert not block["is_error"] or all(part["type"] == "text" for part in inner)
            for part in inner:
                _anthropic_part(part)
        else:
            _anthropic_part(block)


def _anthropic_part(part: Payload) -> None:
    if part["type"] == "text":
        assert part["text"].strip()
        return
    assert part["type"] == "image"
    assert part["source"]["media_type"] in PICTURES
    assert part["source"]["data"]


def _anthropic_thinking(payload: Payload, turns: list[tuple[str, list[Payload]]]) -> None:
    thinking = payload.get("thinking", {})
    if thinking.get("type") != "enabled":
        return
    assert 1024 <= thinking["budget_tokens"] < payload["max_tokens"]
    begun: Payload | None = None
    for role, blocks in turns:
        if role == "assistant":
            begun = begun or blocks[0]
        elif any(block["type"] != "tool_result" for block in blocks):
            begun = None
    kinds = ("thinking", "redacted_thinking")
    assert begun is None or begun["type"] in kinds, "a turn that goes on must have begun with thinking"


def google(payload: Payload, *, modern: bool) -> None:
    """`generateContent`; `modern`: Gemini 3 and later."""
    contents = payload["contents"]
    assert contents, "contents must not be empty"
    assert [content["role"] for content in (contents[0], contents[-1])] == ["user", "user"]
    waiting: list[Payload] = []
    for content in contents:
        parts = content["parts"]
        assert parts, "a content needs parts"
        for part in parts:
            _google_part(part)
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        if waiting or answers:
            assert content["role"] == "user"
            assert len(answers) == len(parts) == len(waiting), "as many responses as calls, and nothing else"
            assert [each["name"] for each in answers] == [each["name"] for each in waiting]
            assert [each.get("id") for each in answers] == [each.get("id") for each in waiting]
        assert not calls or content["role"] == "model"
        waiting = calls
    assert not waiting
    roles = [content["role"] for content in contents]
    assert all(pair != ("model", "model") for pair in itertools.pairwise(roles))
    if modern:
        _google_signatures(contents)


def _google_part(part: Payload) -> None:
    if "text" in part:
        assert part["text"].strip(), "a part needs data"
    if "inlineData" in part:
        assert part["inlineData"]["mimeType"] in GOOGLE_PICTURES
        assert part["inlineData"]["data"]
    if "thoughtSignature" in part and part["thoughtSignature"] != "skip_thought_signature_validator":
        base64.b64decode(part["thoughtSignature"], validate=True)
    for inner in part.get("functionResponse", {}).get("parts", []):
        _google_part(inner)
    named = part.get("functionCall") or part.get("functionResponse")
    if named is not None:
        assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}", named["name"])


def _google_signatures(contents: list[Payload]) -> None:
    asked = max(
        place
        for place, content in enumerate(contents)
        if content["role"] == "user" and not any("functionResponse" in part for part in content["parts"])
    )
    for content in contents[asked:]:
        calls = [part for part in content["parts"] if "functionCall" in part]
        assert not calls or calls[0].get("thoughtSignature"), "the first call of a step must be signed"
