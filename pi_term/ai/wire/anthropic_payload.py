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
from pi_term.ai.wire.compat import AnthropicCompat
from pi_term.ai.wire.levels import budget_tokens, effort_name
from pi_term.base.json import JsonObject

_CACHE_MARK: JsonObject = {"type": "ephemeral"}
_OPENING = "(The conversation goes on from here.)"
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
    payload: JsonObject = {
        "model": model.id,
        "max_tokens": max_tokens,
        "stream": True,
        "messages": _messages(history, compat),
    }
    if context.system_prompt.strip():
        payload["system"] = [{"type": "text", "text": context.system_prompt, "cache_control": _CACHE_MARK}]
    if context.tools:
        payload["tools"] = _tools(context.tools, compat)
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
    if level == "off" or _goes_on_for_another(model, history):
        return off
    if compat.force_adaptive_thinking:
        effort = model.thinking_level_map.get(level) or _EFFORTS.get(level) or effort_name(model, level)
        thinking = {"type": "adaptive", "display": "summarized"}
        return {"thinking": thinking, "output_config": {"effort": effort}}
    budget = budget_tokens(level, max_tokens, options.thinking_budgets)
    if budget is None:
        return off
    return {"thinking": {"type": "enabled", "budget_tokens": budget, "display": "summarized"}}


def _goes_on_for_another(model: Model, history: Sequence[FittedMessage]) -> bool:
    """Whether this request continues, in mid-turn, the tool calls of another model.

    With thinking on, the API wants such a turn to begin with a thought, and there is none to show.
    """
    for message in reversed(history):
        if isinstance(message, UserMessage):
            return False
        if isinstance(message, AssistantMessage):
            return not wrote(model, message)
    return False


def _tools(tools: Sequence[Tool], compat: AnthropicCompat) -> list[JsonObject]:
    out: list[JsonObject] = []
    for tool in tools:
        described: JsonObject = {"name": tool.name, "description": tool.description}
        if compat.supports_eager_tool_input_streaming:
            described["eager_input_streaming"] = True
        described["input_schema"] = {"type": "object", "properties": {}, **tool.parameters}
        out.append(described)
    if compat.supports_cache_control_on_tools:
        out[-1]["cache_control"] = _CACHE_MARK
    return out


def _messages(history: Sequence[FittedMessage], compat: AnthropicCompat) -> list[JsonObject]:
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
            if not out:
                out.append({"role": "user", "content": [{"type": "text", "text": _OPENING}]})
            content = [block for part in message.content for block in _assistant_blocks(part, compat)]
            out.append({"role": "assistant", "content": content})
    if out and out[-1]["role"] == "user":
        out[-1]["content"][-1]["cache_control"] = _CACHE_MARK
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
    if part.redacted:
        return [{"type": "redacted_thinking", "data": part.thinking_signature or ""}]
    if part.thinking_signature or compat.allow_empty_signature:
        signature = part.thinking_signature or ""
        return [{"type": "thinking", "thinking": part.thinking, "signature": signature}]
    # Unsigned thinking is refused as such; as text the model can still read it.
    return [{"type": "text", "text": part.thinking}]
