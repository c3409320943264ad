"""The body of a `responses` request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pi_term.ai.catalog.levels import clamp_level
from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.fit import EMPTY_RESULT, FittedMessage
from pi_term.ai.messages import (
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolResultMessage,
    UserMessage,
    UserPart,
    parts_of,
    text_of,
)
from pi_term.ai.models import Model
from pi_term.ai.tools import Tool
from pi_term.ai.wire.caching import cache_key
from pi_term.ai.wire.compat import ResponsesCompat
from pi_term.ai.wire.levels import effort_name
from pi_term.ai.wire.responses_items import MessageMark, message_mark, reasoning_item
from pi_term.base.json import JsonObject, dumps_str

_LEAST_OUTPUT = 16  # tokens; the API refuses less


def build_payload(
    model: Model,
    context: Context,
    options: StreamOptions,
    compat: ResponsesCompat,
    history: Sequence[FittedMessage],
) -> JsonObject:
    """The request for this history, which must be fitted to the model. The provider is to keep nothing."""
    payload: JsonObject = {
        "model": model.id,
        "input": list(_input(model, context.system_prompt, compat, history)),
        "stream": True,
        "store": False,
    }
    payload.update(_caching(options, compat))
    if compat.supports_max_output_tokens:
        max_tokens = min(options.max_tokens or model.max_tokens, model.max_tokens)
        payload["max_output_tokens"] = max(_LEAST_OUTPUT, max_tokens)
    if context.tools:
        payload["tools"] = [_tool(tool, compat) for tool in context.tools]
    payload.update(_thinking(model, options))
    payload.update(model.sampling(clamp_level(model, options.thinking)))
    return payload


def _caching(options: StreamOptions, compat: ResponsesCompat) -> JsonObject:
    explicit = compat.supports_explicit_prompt_cache_mode
    if options.cache_retention == "none":
        return {"prompt_cache_options": {"mode": "explicit"}} if explicit else {}
    out: JsonObject = {}
    if options.session_id and compat.prompt_cache_key_mode != "disabled":
        out["prompt_cache_key"] = cache_key(options.session_id)
    if options.cache_retention == "long" and compat.supports_long_cache_retention:
        out.update(
            {"prompt_cache_options": {"ttl": "30m"}} if explicit else {"prompt_cache_retention": "24h"}
        )
    return out


def _thinking(model: Model, options: StreamOptions) -> JsonObject:
    if not model.reasoning:
        return {}
    level = clamp_level(model, options.thinking)
    if level == "off":
        return {"reasoning": {"effort": model.thinking_level_map.get("off") or "none"}}
    return {
        "reasoning": {"effort": effort_name(model, level), "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
    }


def _tool(tool: Tool, compat: ResponsesCompat) -> JsonObject:
    described: JsonObject = {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    if compat.supports_strict_mode:
        # Left out, it would count as true, and that is for schemas of another kind.
        described["strict"] = False
    return described


def _input(
    model: Model, system_prompt: str, compat: ResponsesCompat, history: Sequence[FittedMessage]
) -> Iterator[JsonObject]:
    if system_prompt.strip():
        role = "developer" if compat.supports_developer_role and model.reasoning else "system"
        yield {"role": role, "content": system_prompt}
    used: set[str] = set()
    for number, message in enumerate(history):
        if isinstance(message, UserMessage):
            yield {"role": "user", "content": [_input_part(part) for part in parts_of(message.content)]}
        elif isinstance(message, AssistantMessage):
            yield from _items(message, number, used)
        else:
            yield _output(message)


def _items(message: AssistantMessage, number: int, used: set[str]) -> Iterator[JsonObject]:
    """A reply's items. An id of the provider's is sent only together with all the reasoning behind it."""
    thoughts = [part for part in message.content if isinstance(part, ThinkingContent)]
    complete = all(reasoning_item(part.thinking_signature) for part in thoughts)
    for position, part in enumerate(message.content):
        if isinstance(part, ThinkingContent):
            item = reasoning_item(part.thinking_signature)
            if item is not None and complete and item.get("id") not in used:
                used.add(item.get("id", ""))
                yield item
        elif isinstance(part, TextContent):
            mark = message_mark(part.text_signature) if complete else MessageMark()
            own = mark.id if mark.id not in used else ""
            used.add(own)
            yield _message(part.text, own or f"msg_pt_{number}_{position}", mark.phase)
        else:
            arguments = dumps_str(part.arguments)
            yield {"type": "function_call", "call_id": part.id, "name": part.name, "arguments": arguments}


def _message(text: str, item_id: str, phase: str) -> JsonObject:
    item: JsonObject = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
        "status": "completed",
        "id": item_id,
    }
    return {**item, "phase": phase} if phase else item


def _output(message: ToolResultMessage) -> JsonObject:
    output: Any = text_of(message.content) or EMPTY_RESULT
    if any(isinstance(part, ImageContent) for part in message.content):
        output = [_input_part(part) for part in message.content]
    return {"type": "function_call_output", "call_id": message.tool_call_id, "output": output}


def _input_part(part: UserPart) -> JsonObject:
    if isinstance(part, ImageContent):
        url = f"data:{part.mime_type};base64,{part.data}"
        return {"type": "input_image", "detail": "auto", "image_url": url}
    return {"type": "input_text", "text": part.text}
