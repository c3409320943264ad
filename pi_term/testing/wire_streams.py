"""Answers as the four wire formats stream them, for servers that stand in for a provider."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from pi_term.ai.scripted import Call, Say, Think
from pi_term.base import json
from pi_term.base.json import JsonObject

WirePart: TypeAlias = Say | Think | Call
_PIECES = re.compile(r".{1,12}", re.DOTALL)
_USED, _MADE = 100, 7  # tokens that every answer reports


class WireStream(NamedTuple):
    """An event stream: each item of `body` and `end` is one event; without `end` the answer is incomplete.

    `error` is the event by which this API reports an error inside a stream.
    """

    body: list[bytes]
    end: list[bytes]
    error: bytes


def wire_stream(api: str, parts: Sequence[WirePart], number: int = 1) -> WireStream:
    """The parts as an answer of this API; `number` makes the ids of different answers differ."""
    return _RENDERERS[api](parts, number)


def api_of_path(path: str) -> str:
    """Which API a request's path belongs to; raises `ValueError` for none."""
    for mark, api in _PATHS.items():
        if mark in path:
            return api
    raise ValueError(f"no wire format has the path {path!r}")


def _event(data: JsonObject, *, named: bool = False) -> bytes:
    name = f"event: {data['type']}\n".encode() if named else b""
    return name + b"data: " + json.dumps(data) + b"\n\n"


def _pieces(text: str) -> list[str]:
    return _PIECES.findall(text)


def _completions(parts: Sequence[WirePart], number: int) -> WireStream:
    base = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1, "model": "m"}

    def chunk(delta: JsonObject, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _event({**base, "choices": [choice]})

    def call(place: int, part: Call) -> Iterator[bytes]:
        opening = {"name": part.name, "arguments": ""}
        call_id = part.id or f"call_{number}_{place}"
        yield chunk(
            {"tool_calls": [{"index": place, "id": call_id, "type": "function", "function": opening}]}
        )
        for piece in _pieces(json.dumps_str(part.arguments)):
            yield chunk({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})

    body = [chunk({"role": "assistant", "content": ""})]
    calls = 0
    for part in parts:
        if isinstance(part, Call):
            body += call(calls, part)
            calls += 1
        else:
            name = "content" if isinstance(part, Say) else "reasoning_content"
            body += [chunk({name: piece}) for piece in _pieces(part.text)]
    usage = {"prompt_tokens": _USED, "completion_tokens": _MADE, "total_tokens": _USED + _MADE}
    counted = _event({**base, "choices": [], "usage": usage})
    end = [chunk({}, "tool_calls" if calls else "stop"), counted, b"data: [DONE]\n\n"]
    return WireStream(body, end, _event({"error": {"message": "The server had an error", "code": 500}}))


def _anthropic(parts: Sequence[WirePart], number: int) -> WireStream:
    def event(kind: str, **more: object) -> bytes:
        return _event({"type": kind, **more}, named=True)

    def block(place: int, part: WirePart) -> Iterator[bytes]:
        opened: JsonObject = {"type": "text", "text": ""}
        deltas: list[JsonObject]
        match part:
            case Say(text):
                deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(text)]
            case Think(text):
                opened = {"type": "thinking", "thinking": "", "signature": ""}
                deltas = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(text)]
                deltas.append({"type": "signature_delta", "signature": "c2ln"})
            case Call(name, arguments, call_id):
                call_id = call_id or f"toolu_{number}_{place}"
                opened = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
                written = _pieces(json.dumps_str(arguments))
                deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in written]
        yield event("content_block_start", index=place, content_block=opened)
        yield from (event("content_block_delta", index=place, delta=delta) for delta in deltas)
        yield event("content_block_stop", index=place)

    message: JsonObject = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": _USED, "output_tokens": 1},
    }
    body = [event("message_start", message=message)]
    for place, part in enumerate(parts):
        body += block(place, part)
    stop = "tool_use" if any(isinstance(part, Call) for part in parts) else "end_turn"
    delta = {"stop_reason": stop, "stop_sequence": None}
    end = [event("message_delta", delta=delta, usage={"output_tokens": _MADE}), event("message_stop")]
    return WireStream(body, end, event("error", error={"type": "overloaded_error", "message": "Overloaded"}))


def _responses(parts: Sequence[WirePart], number: int) -> WireStream:
    response = {"id": f"resp_{number}", "object": "response", "created_at": 1, "model": "m", "output": []}
    body = [_response_event("created", response={**response, "status": "in_progress"})]
    for place, part in enumerate(parts):
        body += _item_events(number, place, part)
    usage = {"input_tokens": _USED, "output_tokens": _MADE, "total_tokens": _USED + _MADE}
    output = [_item(number, place, part, whole=True) for place, part in enumerate(parts)]
    done = {**response, "status": "completed", "output": output, "usage": usage}
    error = {"type": "error", "code": "server_error", "message": "The server had an error"}
    return WireStream(body, [_response_event("completed", response=done)], _event(error, named=True))


def _response_event(kind: str, **more: object) -> bytes:
    return _event({"type": f"response.{kind}", "sequence_number": 0, **more}, named=True)


def _item(number: int, place: int, part: WirePart, *, whole: bool) -> JsonObject:
    """An item of a response: as it is announced, or `whole`."""
    status = "completed" if whole else "in_progress"
    match part:
        case Say(text):
            words = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
            own = {"type": "message", "role": "assistant", "content": words if whole else []}
            return {"id": f"msg_{number}_{place}", "status": status, **own}
        case Think(text):
            summary = [{"type": "summary_text", "text": text}] if whole else []
            own = {"type": "reasoning", "summary": summary, "encrypted_content": "AAAA"}
            return {"id": f"rs_{number}_{place}", **own}
        case Call(name, arguments, call_id):
            own = {"type": "function_call", "call_id": call_id or f"call_{number}_{place}", "name": name}
            own["arguments"] = json.dumps_str(arguments) if whole else ""
            return {"id": f"fc_{number}_{place}", "status": status, **own}


def _item_events(number: int, place: int, part: WirePart) -> Iterator[bytes]:
    begun, finished = (_item(number, place, part, whole=whole) for whole in (False, True))
    at = {"item_id": begun["id"], "output_index": place}
    yield _response_event("output_item.added", output_index=place, item=begun)
    match part:
        case Say(text):
            at["content_index"] = 0
            empty = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
            yield _response_event("content_part.added", **at, part=empty)
            for piece in _pieces(text):
                yield _response_event("output_text.delta", **at, delta=piece, logprobs=[])
            yield _response_event("output_text.done", **at, text=text, logprobs=[])
            yield _response_event("content_part.done", **at, part=finished["content"][0])
        case Think(text):
            at["summary_index"] = 0
            empty = {"type": "summary_text", "text": ""}
            yield _response_event("reasoning_summary_part.added", **at, part=empty)
            for piece in _pieces(text):
                yield _response_event("reasoning_summary_text.delta", **at, delta=piece)
            yield _response_event("reasoning_summary_text.done", **at, text=text)
        case Call(name):
            for piece in _pieces(finished["arguments"]):
                yield _response_event("function_call_arguments.delta", **at, delta=piece)
            arguments = finished["arguments"]
            yield _response_event("function_call_arguments.done", **at, name=name, arguments=arguments)
    yield _response_event("output_item.done", output_index=place, item=finished)


def _google(parts: Sequence[WirePart], number: int) -> WireStream:
    def chunk(part: JsonObject, **more: object) -> bytes:
        candidate = {"content": {"role": "model", "parts": [part]}, "index": 0, **more}
        return _event({"candidates": [candidate], "responseId": f"resp_{number}", "modelVersion": "m"})

    body: list[bytes] = []
    for place, part in enumerate(parts):
        match part:
            case Say(text):
                body += [chunk({"text": piece}) for piece in _pieces(text)]
            case Think(text):
                body += [chunk({"text": piece, "thought": True}) for piece in _pieces(text)]
            case Call(name, arguments, call_id):
                call = {"id": call_id or f"call_{number}_{place}", "name": name, "args": arguments}
                body.append(chunk({"functionCall": call}))
    usage = {"promptTokenCount": _USED, "candidatesTokenCount": _MADE, "totalTokenCount": _USED + _MADE}
    last = {"candidates": [{"finishReason": "STOP", "index": 0}], "usageMetadata": usage}
    error = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
    return WireStream(body, [_event(last)], _event(error))


_RENDERERS: dict[str, Callable[[Sequence[WirePart], int], WireStream]] = {
    "openai-completions": _completions,
    "openai-responses": _responses,
    "anthropic-messages": _anthropic,
    "google-generative-ai": _google,
}
_PATHS = {
    "/chat/completions": "openai-completions",
    "/responses": "openai-responses",
    "/messages": "anthropic-messages",
    ":streamGenerateContent": "google-generative-ai",
}
