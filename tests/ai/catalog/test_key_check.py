"""Asking a provider whether it knows a key: only a refusal of the key itself counts."""

from __future__ import annotations

import json

import httpx2
import pytest

from pi_term.ai.catalog.builtin import builtin_providers
from pi_term.ai.catalog.key_check import refusal_of
from pi_term.ai.catalog.providers import Provider
from pi_term.ai.wire import http

KEY = "sk-secret-123456"


async def asked(provider: Provider, status: int, body: object) -> tuple[str | None, list[httpx2.Request]]:
    """What is told of the key when the provider answers so, and what it was asked."""
    requests: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        return httpx2.Response(status, content=json.dumps(body).encode())

    with http.use_transport(httpx2.MockTransport(answer)):
        return await refusal_of(provider, KEY), requests


@pytest.mark.parametrize(
    ("provider", "url", "header", "value"),
    [
        ("anthropic", "https://api.anthropic.com/v1/models?limit=1", "x-api-key", KEY),
        ("openai", "https://api.openai.com/v1/models", "authorization", f"Bearer {KEY}"),
        ("groq", "https://api.groq.com/openai/v1/models", "authorization", f"Bearer {KEY}"),
        ("openrouter", "https://openrouter.ai/api/v1/key", "authorization", f"Bearer {KEY}"),
        (
            "google",
            "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1",
            "x-goog-api-key",
            KEY,
        ),
    ],
)
async def test_the_provider_is_asked_in_its_own_way(provider: str, url: str, header: str, value: str) -> None:
    refusal, (request,) = await asked(builtin_providers()[provider], 200, {"data": []})
    assert refusal is None
    assert (request.method, str(request.url), request.headers[header]) == ("GET", url, value)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, {"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key"}),
        (400, {"code": 400, "status": "INVALID_ARGUMENT", "message": f"API key not valid: {KEY}"}),
    ],
)
async def test_a_refusal_is_told_without_the_key(status: int, error: object) -> None:
    refusal, _ = await asked(builtin_providers()["openai"], status, {"error": error})
    assert refusal is not None
    assert "API key" in refusal
    assert KEY not in refusal


@pytest.mark.parametrize("status", [200, 403, 404, 429, 500])
async def test_what_may_have_other_reasons_is_no_refusal(status: int) -> None:
    refusal, _ = await asked(builtin_providers()["openai"], status, {"error": {"message": "no"}})
    assert refusal is None


async def test_nobody_answers() -> None:
    assert (
        await refusal_of(Provider("x", api="openai-completions", base_url="http://127.0.0.1:1"), KEY) is None
    )
    assert await refusal_of(Provider("x", api="scripted", base_url="http://127.0.0.1:1"), KEY) is None
