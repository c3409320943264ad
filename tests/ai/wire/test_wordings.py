"""What providers really say, and what is made of it."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from pi_term.ai.wire.refusals import fault_of_event, fault_of_response

OVERFLOWS = {
    "anthropic": "prompt is too long: 213462 tokens > 200000 maximum",
    "anthropic, with the answer": "input length and `max_tokens` exceed context limit: 198000 + 8192",
    "openai chat": "This model's maximum context length is 128000 tokens. However, your messages resulted in "
    "140012 tokens. Please reduce the length of the messages.",
    "openai responses": "Your input exceeds the context window of this model. Please adjust your input.",
    "openrouter": "This endpoint's maximum context length is 65536 tokens. You requested 70000.",
    "google": "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    "xai": "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "groq": "Please reduce the length of the messages or completion.",
    "bedrock": "Input is too long for requested model.",
    "bedrock nova": "Input Tokens Exceeded: Number of input tokens exceeds maximum length.",
    "copilot": "prompt token count of 140000 exceeds the limit of 128000",
    "llama.cpp": "the request exceeds the available context size, try increasing it",
    "lm studio": "The number of tokens to keep from the initial prompt is greater than the context length.",
    "ollama": "prompt too long; exceeded max context length by 200 tokens",
    "vllm": "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
    "sglang": "The input (50000 tokens) is longer than the model's context length (32768 tokens).",
    "mistral": "Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum.",
    "kimi": "Your request exceeded model token limit: 262144 (requested: 291351)",
    "minimax": "invalid params, context window exceeds limit",
    "dashscope": "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
    "together": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32769.",
    "fireworks": "The prompt is too long: 200000, model maximum context length: 131072",
    "cohere": "too many tokens: total number of tokens in the prompt cannot exceed 4081",
    "deepseek": "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens.",
}


@pytest.mark.parametrize("words", OVERFLOWS.values(), ids=OVERFLOWS)
@pytest.mark.parametrize("status", [400, 500])
def test_each_provider_says_in_its_own_way_that_the_conversation_is_too_long(status: int, words: str) -> None:
    body = json.dumps({"error": {"message": words, "type": "invalid_request_error"}}).encode()
    assert fault_of_response(status, {}, body).kind == "overflow"
    assert fault_of_event({"error": {"message": words, "type": "server_error"}}).kind == "overflow"


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (429, "Too many tokens, please wait before trying again.", "transient"),
        (400, "ThrottlingException: Too many tokens, please wait before trying again.", "transient"),
        (429, "Rate limit reached for gpt-x on tokens per min (TPM): Limit 30000, Used 29000.", "transient"),
        (
            429,
            "Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 36000.",
            "overflow",
        ),
        (
            400,
            "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens",
            "bad_request",
        ),
        (
            400,
            "max_tokens is too large: 100000. The model supports at most 16384 completion tokens",
            "bad_request",
        ),
        (403, "API rate limit exceeded for user", "transient"),
        (400, "API key not valid. Please pass a valid API key.", "auth"),
        (401, "User not found.", "auth"),
        (402, "This request requires more credits, or fewer max_tokens.", "quota"),
        (429, "Rate limit exceeded: free-models-per-day", "quota"),
        (403, "You have reached your specified API usage limits.", "quota"),
        (503, "The model is overloaded. Please try again later.", "transient"),
        (529, "Overloaded", "transient"),
    ],
)
def test_what_sounds_alike_is_told_apart(status: int, words: str, kind: str) -> None:
    body = json.dumps({"error": {"message": words}}).encode()
    assert fault_of_response(status, {}, body).kind == kind


def google(words: str, *details: dict[str, Any]) -> bytes:
    error = {"code": 429, "message": words, "status": "RESOURCE_EXHAUSTED", "details": list(details)}
    return json.dumps([{"error": error}]).encode()


RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}


def quota(name: str) -> dict[str, Any]:
    violation = {"quotaMetric": "generate_content_requests", "quotaId": name}
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}


def test_google_names_the_wait_and_the_quota_in_its_details() -> None:
    words = "You exceeded your current quota, please check your plan and billing details."
    hasty = fault_of_response(429, {}, google(words, quota("GenerateRequestsPerMinutePerProject"), RETRY))
    assert (hasty.kind, hasty.retry_after) == ("transient", 34.5)
    spent = fault_of_response(429, {}, google(words, quota("GenerateRequestsPerDayPerProject"), RETRY))
    assert spent.kind == "quota"


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        ({"type": "usage_limit_reached", "resets_in_seconds": 7200}, 7200),
        ({"message": "slow", "retry_after": 12}, 12),
        ({"message": "slow", "retry_after_ms": 1500}, 1.5),
        ({"message": "slow", "metadata": {"retry_after_seconds": "9"}}, 9),
        ({"message": "slow", "retry_after": "soon"}, None),
        ({"message": "slow", "retry_after": True}, None),
        ({"message": "slow", "resets_at": 1}, None),
    ],
)
def test_the_wait_is_found_in_the_fields(error: dict[str, Any], seconds: float | None) -> None:
    assert fault_of_response(429, {}, json.dumps({"error": error}).encode()).retry_after == seconds


def test_a_moment_is_a_wait_until_then() -> None:
    in_an_hour = time.time() + 3600
    headers = {"X-RateLimit-Reset": str(round(in_an_hour * 1000))}
    body = {"error": {"message": "Rate limit exceeded", "code": 429, "metadata": {"headers": headers}}}
    fault = fault_of_response(429, {}, json.dumps(body).encode())
    assert fault.kind == "quota"
    assert fault.retry_after == pytest.approx(3600, abs=60)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"success": False, "errors": [{"code": 7003, "message": "No route"}]}, "No route"),
        ({"base_resp": {"status_code": 1004, "status_msg": "not authorised"}}, "not authorised"),
        ({"code": "InvalidParameter", "msg": "bad"}, "InvalidParameter: bad"),
        (
            {"__type": "ValidationException", "message": "Malformed input"},
            "ValidationException: Malformed input",
        ),
        ({"detail": "Not Found"}, "Not Found"),
        ("just text", "just text"),
        ([], "the request was refused"),
        ({"error": []}, "the request was refused"),
    ],
)
def test_the_words_are_found_in_every_shape(body: Any, words: str) -> None:
    assert fault_of_response(400, {}, json.dumps(body).encode()).message == f"400 {words}"
