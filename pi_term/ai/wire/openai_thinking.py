"""Asking for thinking on `openai-completions`, where each family of servers has its own parameter."""

from __future__ import annotations

from typing import Any

from pi_term.ai.catalog.levels import clamp_level
from pi_term.ai.context import StreamOptions
from pi_term.ai.models import Model
from pi_term.ai.wire.compat import OpenAICompat
from pi_term.ai.wire.levels import budget_tokens, effort_name
from pi_term.base.json import JsonObject


def thinking_parameters(
    model: Model, options: StreamOptions, compat: OpenAICompat, max_tokens: int
) -> JsonObject:
    """The parameters that set the thinking level; none for a model that does not reason."""
    if not model.reasoning:
        return {}
    level = clamp_level(model, options.thinking)
    on = level != "off"
    effort = effort_name(model, level) if on else model.thinking_level_map.get("off")
    budget = budget_tokens(level, max_tokens, options.thinking_budgets) if on else None
    parameters = _by_format(compat, on=on, effort=effort, budget=budget)
    budget_field = compat.thinking_token_budget_field or (
        "thinking_token_budget" if compat.supports_thinking_token_budget else ""
    )
    if budget_field and budget is not None:
        parameters[budget_field] = budget
    return parameters


def _by_format(compat: OpenAICompat, *, on: bool, effort: str | None, budget: int | None) -> JsonObject:
    with_effort: JsonObject = {}
    if effort is not None and compat.supports_reasoning_effort:
        with_effort["reasoning_effort"] = effort
    switch = "enabled" if on else "disabled"
    match compat.thinking_format:
        case "openrouter":
            return {"reasoning": {"effort": effort or "none"}}
        case "ant-ling":
            return {"reasoning": {"effort": effort}} if effort is not None else {}
        case "deepseek":
            return {"thinking": {"type": switch}, **with_effort}
        case "zai":
            kept: JsonObject = {"clear_thinking": False} if on else {}
            return {"thinking": {"type": switch, **kept}, **with_effort}
        case "together":
            return {"reasoning": {"enabled": on}, **with_effort}
        case "qwen":
            return {"enable_thinking": on, **with_effort}
        case "qwen-chat-template":
            return {"chat_template_kwargs": {"enable_thinking": on, "preserve_thinking": True}}
        case "string-thinking":
            return {"thinking": effort or "none"}
        case "chat-template":
            values = {"thinking.enabled": on, "thinking.effort": effort, "thinking.budget": budget}
            return {"chat_template_kwargs": _filled(compat.chat_template_kwargs, values)}
        case "baseten":
            values = {"thinking.enabled": on, "thinking.effort": effort, "thinking.budget": budget}
            return {"chat_template_args": _filled(compat.chat_template_args, values), **with_effort}
        case _:
            return with_effort


def _filled(template: JsonObject, values: JsonObject) -> JsonObject:
    """The template with each `{"$var": name}` replaced by its value; one without a value is left out."""
    filled: JsonObject = {}
    for key, item in template.items():
        value: Any = item
        if isinstance(item, dict) and "$var" in item:
            value = values.get(str(item["$var"]))
            if value is None:
                continue
        filled[key] = value
    return filled
