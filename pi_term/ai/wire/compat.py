"""How servers differ that call themselves compatible.

What a model's `compat` object says counts (names and meanings are those of Pi's `models.json`); what it
leaves open is known for some hosts, and is otherwise what the API's inventor does.
"""

from __future__ import annotations

import dataclasses
from dataclasses import field
from typing import Any, TypeVar
from urllib.parse import urlsplit

from pi_term.ai.models import Model
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.records import camel


@dataclass(frozen=True, slots=True)
class OpenAICompat:
    """Switches of `openai-completions`."""

    supports_store: bool = True
    supports_developer_role: bool = False
    supports_reasoning_effort: bool = True
    supports_usage_in_streaming: bool = True
    supports_finish_reason: bool = True
    max_tokens_field: str = "max_completion_tokens"
    requires_tool_result_name: bool = False
    requires_assistant_after_tool_result: bool = False
    requires_non_null_assistant_content: bool = False
    requires_tools_with_tool_history: bool = False
    requires_thinking_as_text: bool = False
    requires_reasoning_content_on_assistant_messages: bool = False
    thinking_format: str = "openai"
    chat_template_kwargs: JsonObject = field(default_factory=dict)
    chat_template_args: JsonObject = field(default_factory=dict)
    open_router_routing: JsonObject = field(default_factory=dict)
    vercel_gateway_routing: JsonObject = field(default_factory=dict)
    zai_tool_stream: bool = False
    thinking_token_budget_field: str = ""
    supports_thinking_token_budget: bool = False
    cache_control_format: str = ""
    supports_long_cache_retention: bool = True
    send_session_affinity_headers: bool = False
    session_affinity_format: str = "openai"
    prompt_cache_key_mode: str = "auto"
    vllm_priority: int | None = None


@dataclass(frozen=True, slots=True)
class ResponsesCompat:
    """Switches of `openai-responses`. `strict` is sent, as false, only where it is known."""

    supports_developer_role: bool = True
    supports_strict_mode: bool = False
    supports_max_output_tokens: bool = True
    supports_long_cache_retention: bool = True
    supports_explicit_prompt_cache_mode: bool = False
    session_affinity_format: str = "openai"
    prompt_cache_key_mode: str = "auto"


@dataclass(frozen=True, slots=True)
class AnthropicCompat:
    """Switches of `anthropic-messages`."""

    supports_eager_tool_input_streaming: bool = True
    supports_cache_control_on_tools: bool = True
    supports_long_cache_retention: bool = True
    send_session_affinity_headers: bool = False
    session_affinity_format: str = ""
    force_adaptive_thinking: bool = False
    allow_empty_signature: bool = False


_OPENROUTER: JsonObject = {"send_session_affinity_headers": True, "session_affinity_format": "openrouter"}
_NO_STORE: JsonObject = {"supports_store": False}
_NO_EFFORT: JsonObject = {"supports_reasoning_effort": False}
_NO_LONG_CACHE: JsonObject = {"supports_long_cache_retention": False}
_SHORT_LIMIT: JsonObject = {**_NO_STORE, "max_tokens_field": "max_tokens"}

# What is known of hosts; a subdomain counts as its domain.
_OPENAI_HOSTS: dict[str, JsonObject] = {
    "api.openai.com": {"supports_developer_role": True},
    "openrouter.ai": {**_OPENROUTER, "thinking_format": "openrouter"},
    "api.deepseek.com": {
        **_SHORT_LIMIT,
        "thinking_format": "deepseek",
        "requires_reasoning_content_on_assistant_messages": True,
    },
    "z.ai": {**_SHORT_LIMIT, **_NO_EFFORT, "thinking_format": "zai"},
    "bigmodel.cn": {**_SHORT_LIMIT, **_NO_EFFORT, "thinking_format": "zai"},
    "together.xyz": {**_SHORT_LIMIT, **_NO_EFFORT, **_NO_LONG_CACHE, "thinking_format": "together"},
    "together.ai": {**_SHORT_LIMIT, **_NO_EFFORT, **_NO_LONG_CACHE, "thinking_format": "together"},
    "ant-ling.com": {**_SHORT_LIMIT, **_NO_EFFORT, **_NO_LONG_CACHE, "thinking_format": "ant-ling"},
    "dashscope.aliyuncs.com": {**_SHORT_LIMIT, "thinking_format": "qwen"},
    "dashscope-intl.aliyuncs.com": {**_SHORT_LIMIT, "thinking_format": "qwen"},
    "api.mistral.ai": {
        **_SHORT_LIMIT,
        **_NO_EFFORT,
        **_NO_LONG_CACHE,
        "requires_tool_result_name": True,
        "requires_thinking_as_text": True,
    },
    "api.x.ai": {**_NO_STORE, **_NO_EFFORT},
    "chutes.ai": _SHORT_LIMIT,
    "moonshot.ai": {**_SHORT_LIMIT, **_NO_EFFORT},
    "moonshot.cn": {**_SHORT_LIMIT, **_NO_EFFORT},
    "integrate.api.nvidia.com": {**_SHORT_LIMIT, **_NO_EFFORT, **_NO_LONG_CACHE},
    "gateway.ai.cloudflare.com": {**_SHORT_LIMIT, **_NO_EFFORT, **_NO_LONG_CACHE},
    "api.cloudflare.com": {**_NO_STORE, **_NO_LONG_CACHE},
    "opencode.ai": _NO_STORE,
    "api.cerebras.ai": _NO_STORE,
    "api.groq.com": _NO_STORE,
}
_RESPONSES_HOSTS: dict[str, JsonObject] = {
    "api.openai.com": {"supports_strict_mode": True},
    "openrouter.ai": {"session_affinity_format": "openrouter"},
}
_ANTHROPIC_HOSTS: dict[str, JsonObject] = {"openrouter.ai": _OPENROUTER}

CompatT = TypeVar("CompatT", OpenAICompat, ResponsesCompat, AnthropicCompat)


def openai_compat(model: Model) -> OpenAICompat:
    """The switches for a model of `openai-completions`."""
    return _resolve(OpenAICompat, _known(model.base_url, _OPENAI_HOSTS), model.compat)


def responses_compat(model: Model) -> ResponsesCompat:
    """The switches for a model of `openai-responses`."""
    return _resolve(ResponsesCompat, _known(model.base_url, _RESPONSES_HOSTS), model.compat)


def anthropic_compat(model: Model) -> AnthropicCompat:
    """The switches for a model of `anthropic-messages`."""
    return _resolve(AnthropicCompat, _known(model.base_url, _ANTHROPIC_HOSTS), model.compat)


def is_host(base_url: str, domain: str) -> bool:
    """Whether the address lies on this domain or below it."""
    try:
        host = urlsplit(base_url).hostname or ""
    except ValueError:
        return False
    return host == domain or host.endswith(f".{domain}")


def _known(base_url: str, hosts: dict[str, JsonObject]) -> JsonObject:
    return next((known for domain, known in hosts.items() if is_host(base_url, domain)), {})


def _resolve(kind: type[CompatT], known: JsonObject, configured: JsonObject) -> CompatT:
    values: dict[str, Any] = dict(known)
    for each in dataclasses.fields(kind):
        value = configured.get(camel(each.name))
        if value is not None and _fits(value, each.type):
            values[each.name] = value
    return kind(**values)


def _fits(value: Any, declared: Any) -> bool:
    """Whether a configured value has the type of its switch; one that has not is as if absent."""
    expected: dict[str, type] = {"bool": bool, "str": str, "JsonObject": dict, "int | None": int}
    return isinstance(value, expected[str(declared)]) and not (isinstance(value, bool) and declared != "bool")
