from __future__ import annotations

import json
from typing import Any

import pytest

from pi_term.ai.faults import Fault
from pi_term.ai.wire.refusals import fault_of_event, fault_of_response


def refused(status: int, body: Any, **headers: str) -> Fault:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return fault_of_response(status, {name.replace("_", "-"): value for name, value in headers.items()}, data)


def error(message: str, kind: str | None = None, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, **more}}


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (429, error("you are rate limited", "rate_limit_error"), "transient"),
        (500, error("boom", "server_error"), "transient"),
        (503, error("the server is overloaded", "overloaded_error"), "transient"),
        (529, error("Overloaded", "overloaded_error"), "transient"),
        (408, b"", "transient"),
        (502, b"<html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1></html>", "transient"),
        (429, error("Please check your plan and billing details.", "insufficient_quota"), "quota"),
        (402, error("Payment required"), "quota"),
        (400, error("Your credit balance is too low.", "invalid_request_error"), "quota"),
        (401, error("Incorrect API key provided", code="invalid_api_key"), "auth"),
        (403, b"", "auth"),
        (400, error("This model's maximum context length is 8192 tokens."), "overflow"),
        (
            400,
            error("prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error"),
            "overflow",
        ),
        (400, error("x", code="context_length_exceeded"), "overflow"),
        (400, error("input length and `max_tokens` exceed context limit"), "overflow"),
        (400, error("Input token count (9) exceeds the maximum"), "overflow"),
        (400, error("the request exceeds the available context size"), "overflow"),
        (500, error("the request exceeds the available context size"), "overflow"),
        (413, error("Request too large", "request_too_large"), "overflow"),
        (400, error("tools.0: bad schema, fix it and try again", "invalid_request_error"), "bad_request"),
        (404, {"error": "model 'x' not found"}, "bad_request"),
        (422, {"detail": [{"msg": "bad"}]}, "bad_request"),
    ],
)
def test_sorts_refusals_by_what_can_be_done(status: int, body: Any, kind: str) -> None:
    fault = refused(status, body)
    assert fault.kind == kind
    assert fault.status == status
    assert str(status) in fault.message


def test_a_short_wait_means_haste_a_long_one_a_spent_quota() -> None:
    hasty = refused(429, [error("You exceeded your current quota. Please retry in 45.1s.", code=429)])
    assert (hasty.kind, hasty.retry_after) == ("transient", 45.1)
    spent = refused(429, error("Quota exhausted, resets after 12h34m."))
    assert (spent.kind, spent.retry_after) == ("quota", 45240)
    assert "12h34m" in spent.message
    assert refused(429, error("slow"), retry_after="7").retry_after == 7
    assert refused(429, error("slow"), retry_after="yesterday").retry_after is None


def test_people_get_the_words_not_the_markup() -> None:
    fault = refused(
        502, b"<html><head><title>x</title></head><body><h1>Bad Gateway</h1><hr>nginx</body></html>"
    )
    assert fault.message == "502 Bad Gateway nginx"
    assert len(refused(500, b"x" * 100_000).message) <= 2000


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "transient"),
        ({"error": {"code": 502, "message": "Upstream error"}}, "transient"),
        ({"error": {"code": 401, "message": "No auth"}}, "auth"),
        ({"error": {"type": "authentication_error", "message": "No"}}, "auth"),
        (
            {
                "error": {
                    "message": "Provider returned error",
                    "code": 400,
                    "metadata": {"raw": "prompt is too long"},
                }
            },
            "overflow",
        ),
        ({"error": "weird"}, "transient"),
        ({"error": {}}, "transient"),
    ],
)
def test_sorts_errors_inside_a_stream(payload: Any, kind: str) -> None:
    fault = fault_of_event(payload)
    assert fault.kind == kind
    assert fault.message
