"""The body of a `messages` request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_term.ai.catalog.levels import clamp_level
from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.fit import EMPTY_RESULT, FittedMessage, wrote
from pi_term.ai.messages import (
    AssistantMessage,
    AssistantPart,
    ImageContent,
    TextContent,
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
from pi_term.ai.wire.caching import cache_mark
from pi_term.ai.wire.compat import AnthropicCompat
from pi_term.ai.wire.levels import budget_tokens, effort_name
from pi_term.base.json import JsonObject

# Efforts of adaptive thinking; it has none below "low".
_EFFORTS = {"minimal": "low"}


def build_payload(
    model: Model,
    context: Context,
    options: StreamOptions,
    compat: AnthropicCompat,
    history: Sequence[FittedMessage],
) -> JsonObject:
    """The request for this history, which must be fitted to the model."""
    max_tokens = min(options.max_tokens or model.max_tokens, model.max_tokens)
    mark = cache_mark(options.cache_retention, long=compat.supports_long_cache_retention)
    payload: JsonObject = {
        "model": model.id,
        "max_tokens": max_tokens,
        "stream": True,
        "messages": _messages(history, compat, mark),
    }
    if context.system_prompt.strip():
        payload["system"] = [{"type": "text", "text": context.system_prompt, **mark}]
    if context.tools:
        payload["tools"] = _tools(context.tools, compat, mark)
    payload.update(_thinking(model, options, compat, max_tokens, history))
    return payload


def _thinking(
    model: Model,
    options: StreamOptions,
    compat: AnthropicCompat,
    max_tokens: int,
    history: Sequence[FittedMessage],
) -> JsonObject:
    if not model.reasoning:
        return {}
    off: JsonObject = {"thinking": {"type": "disabled"}}
    level = clamp_level(model, options.thinking)
    if level == "off":
        return off
    if compat.force_adaptive_thinking:
        effort = model.thinking_level_map.get(level) or _EFFORTS.get(level) or effort_name(model, level)
        thinking = {"type": "adaptive", "display": "summarized"}
        return {"thinking": thinking, "output_config": {"effort": effort}}
    budget = budget_tokens(level, max_tokens, options.thinking_budgets)
    if budget is None or not _may_think(model, history, compat):
        return off
    return {"thinking": {"type": "enabled", "budget_tokens": budget, "display": "summarized"}}


def _may_think(model: Model, history: Sequence[FittedMessage], compat: AnthropicCompat) -> bool:
    """Whether the turn that this request continues, if it does, was begun by this model, thinking.

    With a thinking budget the API refuses to go on with a turn that began otherwise. (Adaptive thinking may
    leave thoughts out.) A server that was asked to think and did not cannot insist.
    """
    first: AssistantMessage | None = None
    for message in reversed(history):
        if isinstance(message, UserMessage):
            break
        if isinstance(message, AssistantMessage):
            first = message
    if first is None:
        return True
    if not wrote(model, first):
        return False
    part = first.content[0]
    thought = isinstance(part, ThinkingContent) and _can_be_replayed(part, compat)
    return thought or first.thinking_level != "off"


def _can_be_replayed(part: ThinkingContent, compat: AnthropicCompat) -> bool:
    return bool(part.thinking_signature) or (compat.allow_empty_signature and not part.redacted)


def _tools(tools: Sequence[Tool], compat: AnthropicCompat, mark: JsonObject) -> list[JsonObject]:
    out: list[JsonObject] = []
    for tool in tools:
        described: JsonObject = {"name": tool.name, "description": tool.description}
        if compat.supports_eager_tool_input_streaming:
            described["eager_input_streaming"] = True
        described["input_schema"] = {"type": "object", "properties": {}, **tool.parameters}
        out.append(described)
    if compat.supports_cache_control_on_tools:
        out[-1].update(mark)
    return out


def _messages(
    history: Sequence[FittedMessage], compat: AnthropicCompat, mark: JsonObject
) -> list[JsonObject]:
    out: list[JsonObject] = []
    results: list[JsonObject] = []
    for message in history:
        if isinstance(message, ToolResultMessage):
            # All results of a batch belong into one message.
            if not results:
                out.append({"role": "user", "content": results})
            results.append(_tool_result(message))
            continue
        results = []
        if isinstance(message, UserMessage):
            out.append({"role": "user", "content": [_user_block(part) for part in parts_of(message.content)]})
        else:
            content = [block for part in message.content for block in _assistant_blocks(part, compat)]
            out.append({"role": "assistant", "content": content})
    if out and out[-1]["role"] == "user":
        out[-1]["content"][-1].update(mark)
    return out


def _user_block(part: UserPart) -> JsonObject:
    if isinstance(part, ImageContent):
        source = {"type": "base64", "media_type": part.mime_type, "data": part.data}
        return {"type": "image", "source": source}
    return {"type": "text", "text": part.text}


def _tool_result(message: ToolResultMessage) -> JsonObject:
    has_images = any(isinstance(part, ImageContent) for part in message.content)
    content: Any = text_of(message.content) or EMPTY_RESULT
    if has_images and not message.is_error:
        # An error may hold text only.
        content = [_user_block(part) for part in message.content]
    return {
        "type": "tool_result",
        "tool_use_id": message.tool_call_id,
        "content": content,
        "is_error": message.is_error,
    }


def _assistant_blocks(part: AssistantPart, compat: AnthropicCompat) -> list[JsonObject]:
    if isinstance(part, TextContent):
        return [{"type": "text", "text": part.text}]
    if isinstance(part, ToolCall):
        return [{"type": "tool_use", "id": part.id, "name": part.name, "input": part.arguments}]
    return _thinking_blocks(part, compat)


def _thinking_blocks(part: ThinkingContent, compat: AnthropicCompat) -> list[JsonObject]:
    if _can_be_replayed(part, compat):
        signature = part.thinking_signature or ""
        if part.redacted:
            return [{"type": "redacted_thinking", "data": signature}]
        return [{"type": "thinking", "thinking": part.thinking, "signature": signature}]
    # Unsigned thinking is refused as such; as text the model can still read it.
    return [{"type": "text", "text": part.thinking}]
