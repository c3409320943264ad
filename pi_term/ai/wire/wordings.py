"""How providers word what went wrong. Patterns are searched in the words of a refusal, case ignored."""

from __future__ import annotations

import re

from pi_term.ai.faults import FaultKind


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# "The conversation is too long."
OVERFLOW = _any(
    r"context[ _]?length[ _]exceeded",  # OpenAI's code
    r"context[ _](?:length|window|size)",  # OpenAI, OpenRouter, DeepSeek, vLLM, llama.cpp, LM Studio, MiniMax
    r"context limit",  # Anthropic: input length and `max_tokens` exceed context limit
    r"prompt (?:is )?too long",  # Anthropic, Fireworks, Ollama
    r"input is too long",  # Bedrock
    r"number of input tokens .{0,40}exceed",  # Bedrock's own models
    r"input length .{0,60}exceed",
    r"maximum (?:prompt|model) length",  # xAI; vLLM: longer than the maximum model length
    r"input token count .{0,40}exceed",  # Google
    r"token count of \d+ exceeds",  # GitHub Copilot
    r"exceed\w* (?:the )?(?:model|maximum) (?:token|context)s?(?: limit)?",  # Kimi
    r"exceed_context_size_error",  # llama.cpp's type
    r"too large for model",  # Mistral
    r"inputs?` tokens \+ `max_new_tokens`",  # Together, Hugging Face
    r"`inputs` must have less than",
    r"range of input length should be",  # DashScope
    r"token limit exceeded|too many (?:input |total )?tokens",  # Cohere and others
    r"reduce the length of (?:the|your) (?:messages|prompt|input)",  # Groq, OpenAI
    r"request_too_large|request too large for|request exceeds the maximum size",
)
# Limits on the answer are no matter of the conversation's length.
OUTPUT_LIMIT = _any(r"maximum (?:allowed )?number of output tokens|max_tokens is too large|completion tokens")
# One request that is larger than a whole minute's allowance gets through only when it is shorter.
TOO_LARGE_AT_ONCE = _any(r"request too large for|reduce your message size")

QUOTA = _any(
    r"insufficient[_ ](?:quota|funds|credit|balance)|billing|credit balance|payment required|out of credits",
    r"exceeded your (?:current|monthly|daily) quota|quota (?:exceeded|exhausted|will reset|resets)",
    r"usage[ _]limit|spend(?:ing)? limit|(?:daily|weekly|monthly) limit|per[ -](?:day|month)\b",
    r"requires more credits|add credits|top up|recharge",
)
OVERLOAD = _any(
    r"overloaded|rate.?limit|too many requests|at capacity|throttl|tokens per min|requests per min",
    r"temporarily unavailable|please (?:wait|try again later)|server is busy|high demand",
)
AUTH = _any(
    r"api[ _-]?key (?:is |was )?(?:not valid|invalid|expired|missing|not found)",
    r"(?:invalid|incorrect|missing|wrong) (?:x-)?api[ _-]?key|no auth credentials|invalid bearer",
    r"unauthori[sz]ed|authentication|token (?:has |is )?expired",
)

# The names (type, code, status, reason) that a refusal gives itself.
NAMES: dict[str, FaultKind] = {
    "rate_limit_error": "transient",
    "rate_limit_exceeded": "transient",
    "overloaded_error": "transient",
    "overloaded": "transient",
    "server_overloaded": "transient",
    "api_error": "transient",
    "server_error": "transient",
    "internal_server_error": "transient",
    "internal_error": "transient",
    "timeout_error": "transient",
    "throttlingexception": "transient",
    "serviceunavailableexception": "transient",
    "modelstreamerrorexception": "transient",
    "unavailable": "transient",
    "internal": "transient",
    "deadline_exceeded": "transient",
    "resource_exhausted": "transient",
    "authentication_error": "auth",
    "permission_error": "auth",
    "invalid_api_key": "auth",
    "api_key_invalid": "auth",
    "unauthenticated": "auth",
    "permission_denied": "auth",
    "billing_error": "quota",
    "insufficient_quota": "quota",
    "usage_limit_reached": "quota",
    "usage_not_included": "quota",
    "context_length_exceeded": "overflow",
    "exceed_context_size_error": "overflow",
    "request_too_large": "overflow",
    "string_above_max_length": "overflow",
    "invalid_request_error": "bad_request",
    "invalid_argument": "bad_request",
    "invalid_prompt": "bad_request",
    "not_found_error": "bad_request",
}
# Quotas that last for a day or longer, by the name that Google gives them.
LASTING_QUOTA = _any(r"per_?day|per_?month")
