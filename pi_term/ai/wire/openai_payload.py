"""The body of a `chat/completions` request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_term.ai.catalog.levels import clamp_level
from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.fit import FittedMessage
from pi_term.ai.messages import (
    AssistantMessage,
    ImageContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    UserPart,
    parts_of,
    text_of,
)
from pi_term.ai.models import Model
from pi_term.ai.tools import Tool
from pi_term.ai.wire.caching import cache_key, cache_mark
from pi_term.ai.wire.compat import OpenAICompat, is_host
from pi_term.ai.wire.openai_thinking import thinking_parameters
from pi_term.ai.wire.reasoning_details import details_in
from pi_term.base.json import JsonObject, dumps_str

# A thinking block's signature names the field that it came in and goes back in.
REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text")

_IMAGES_FOLLOW = "Attached image(s) from tool result:"
_ONLY_IMAGES = "(the image follows below)"
_BETWEEN = "The tool results are noted."


def build_payload(
    model: Model,
    context: Context,
    options: StreamOptions,
    compat: OpenAICompat,
    history: Sequence[FittedMessage],
) -> JsonObject:
    """The request for this history, which must be fitted to the model."""
    max_tokens = min(options.max_tokens or model.max_tokens, model.max_tokens)
    messages = _messages(model, context.system_prompt, compat, history)
    tools = [_tool(tool) for tool in context.tools]
    if compat.cache_control_format == "anthropic":
        _mark_for_caching(
            messages, tools, cache_mark(options.cache_retention, long=compat.supports_long_cache_retention)
        )
    payload: JsonObject = {"model": model.id, "messages": messages, "stream": True}
    if compat.supports_usage_in_streaming:
        payload["stream_options"] = {"include_usage": True}
    if compat.supports_store:
        payload["store"] = False
    payload[compat.max_tokens_field] = max_tokens
    if tools or (compat.requires_tools_with_tool_history and _has_calls(history)):
        payload["tools"] = tools
    if tools and compat.zai_tool_stream:
        payload["tool_stream"] = True
    payload.update(thinking_parameters(model, options, compat, max_tokens))
    payload.update(_caching(model, options, compat))
    payload.update(_routing(compat))
    payload.update(model.sampling(clamp_level(model, options.thinking)))
    return payload


def _caching(model: Model, options: StreamOptions, compat: OpenAICompat) -> JsonObject:
    if options.cache_retention == "none":
        return {}
    out: JsonObject = {}
    long = options.cache_retention == "long" and compat.supports_long_cache_retention
    mode = compat.prompt_cache_key_mode
    by_default = mode == "auto" and (long or is_host(model.base_url, "api.openai.com"))
    if options.session_id and (mode == "enabled" or by_default):
        out["prompt_cache_key"] = cache_key(options.session_id)
    if long and compat.cache_control_format != "anthropic":
        out["prompt_cache_retention"] = "24h"
    return out


def _routing(compat: OpenAICompat) -> JsonObject:
    extra: JsonObject = {}
    if compat.open_router_routing:
        extra["provider"] = compat.open_router_routing
    if compat.vercel_gateway_routing:
        extra["providerOptions"] = {"gateway": compat.vercel_gateway_routing}
    if compat.vllm_priority is not None:
        extra["priority"] = compat.vllm_priority
    return extra


def _messages(
    model: Model, system_prompt: str, compat: OpenAICompat, history: Sequence[FittedMessage]
) -> list[JsonObject]:
    out: list[JsonObject] = []
    if system_prompt.strip():
        role = "developer" if compat.supports_developer_role and model.reasoning else "system"
        out.append({"role": role, "content": system_prompt})
    images: list[ImageContent] = []
    for message in history:
        if not isinstance(message, ToolResultMessage):
            _flush_images(out, images, compat)
        if isinstance(message, UserMessage):
            _append_user(out, [_user_part(part) for part in parts_of(message.content)], compat)
        elif isinstance(message, AssistantMessage):
            out.append(_assistant(model, message, compat))
        else:
            out.append(_tool_result(message, compat))
            images.extend(part for part in message.content if isinstance(part, ImageContent))
    _flush_images(out, images, compat)
    return out


def _append_user(out: list[JsonObject], content: list[JsonObject], compat: OpenAICompat) -> None:
    if compat.requires_assistant_after_tool_result and out and out[-1]["role"] == "tool":
        out.append({"role": "assistant", "content": _BETWEEN})
    out.append({"role": "user", "content": content})


def _flush_images(out: list[JsonObject], images: list[ImageContent], compat: OpenAICompat) -> None:
    """A tool message holds text only, so the images of a whole batch follow it in a user message."""
    if images:
        content = [{"type": "text", "text": _IMAGES_FOLLOW}, *map(_user_part, images)]
        _append_user(out, content, compat)
        images.clear()


def _user_part(part: UserPart) -> JsonObject:
    if isinstance(part, ImageContent):
        return {"type": "image_url", "image_url": {"url": f"data:{part.mime_type};base64,{part.data}"}}
    return {"type": "text", "text": part.text}


def _assistant(model: Model, message: AssistantMessage, compat: OpenAICompat) -> JsonObject:
    text = text_of(message.content)
    thoughts = [part for part in message.content if isinstance(part, ThinkingContent)]
    reasoning = "\n".join(part.thinking for part in thoughts)
    if compat.requires_thinking_as_text and reasoning:
        text = f"<thinking>\n{reasoning}\n</thinking>\n{text}".rstrip("\n")
    empty = "" if compat.requires_non_null_assistant_content else None
    out: JsonObject = {"role": "assistant", "content": text or empty}
    if not compat.requires_thinking_as_text:
        field = thoughts[0].thinking_signature if thoughts else None
        details = details_in(message)
        if details:
            out["reasoning_details"] = details
        elif field in REASONING_FIELDS:
            out[field] = reasoning
    if compat.requires_reasoning_content_on_assistant_messages and model.reasoning:
        out.setdefault("reasoning_content", "")
    calls = [_call(part) for part in message.content if isinstance(part, ToolCall)]
    if calls:
        out["tool_calls"] = calls
    return out


def _call(call: ToolCall) -> JsonObject:
    function = {"name": call.name, "arguments": dumps_str(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _tool_result(message: ToolResultMessage, compat: OpenAICompat) -> JsonObject:
    text = text_of(message.content) or _ONLY_IMAGES
    out: JsonObject = {"role": "tool", "content": text, "tool_call_id": message.tool_call_id}
    if compat.requires_tool_result_name:
        out["name"] = message.tool_name
    return out


def _tool(tool: Tool) -> JsonObject:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _has_calls(history: Sequence[FittedMessage]) -> bool:
    return any(isinstance(message, AssistantMessage) and message.tool_calls for message in history)


def _mark_for_caching(messages: list[JsonObject], tools: list[JsonObject], mark: JsonObject) -> None:
    """Anthropic's convention: a mark on the system prompt, the last tool and the last text."""
    if not mark:
        return
    if messages and messages[0]["role"] in ("system", "developer"):
        _mark_content(messages[0], mark)
    if tools:
        tools[-1].update(mark)
    for message in reversed(messages):
        if message["role"] not in ("system", "developer") and _mark_content(message, mark):
            return


def _mark_content(message: JsonObject, mark: JsonObject) -> bool:
    content: Any = message.get("content")
    if isinstance(content, str) and content:
        message["content"] = [{"type": "text", "text": content, **mark}]
        return True
    texts = [part for part in content or () if isinstance(part, dict) and part.get("type") == "text"]
    if not texts:
        return False
    texts[-1].update(mark)
    return True
