"""The faults behind refusals: error statuses, error bodies, error events inside a stream."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pi_term.ai.faults import Fault, FaultKind
from pi_term.ai.wire.retry_after import wait_named_by
from pi_term.base.json import JsonError, loads
from pi_term.base.text import shortened

# Longer waits than this are no matter of load but of an allowance that is used up.
SHORT_WAIT_SECONDS = 600.0
_LONGEST_MESSAGE = 2000

# Each provider words "the conversation is too long" in its own way.
_OVERFLOW = re.compile(
    r"context[ _]length[ _]exceeded|maximum context length|context window|context size|context length"
    r"|prompt is too long|prompt too long|input is too long|input length .{0,60}exceed|maximum prompt length"
    r"|input token count .{0,40}exceeds|exceeded model token limit|too large for model|token limit exceeded"
    r"|reduce the length of (?:the|your) (?:messages|prompt|input)|request_too_large"
    r"|too many (?:input )?tokens",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient[_ ](?:quota|funds|credit|balance)|billing|credit balance|payment required|out of credits"
    r"|exceeded your current quota|quota (?:exceeded|exhausted|will reset|resets)|usage limit|spending limit"
    r"|monthly limit|daily limit|per day",
    re.IGNORECASE,
)
_OVERLOAD = re.compile(r"overloaded|rate.?limit|too many requests|at capacity", re.IGNORECASE)
_AUTH = re.compile(r"invalid api key|incorrect api key|unauthori[sz]ed|authentication", re.IGNORECASE)
_TAGS = re.compile(r"<(script|style|title)\b.*?</\1>|<[^>]*>", re.IGNORECASE | re.DOTALL)

_KINDS: dict[str, FaultKind] = {
    "rate_limit_error": "transient",
    "rate_limit_exceeded": "transient",
    "overloaded_error": "transient",
    "overloaded": "transient",
    "api_error": "transient",
    "server_error": "transient",
    "internal_server_error": "transient",
    "timeout_error": "transient",
    "authentication_error": "auth",
    "permission_error": "auth",
    "invalid_api_key": "auth",
    "billing_error": "quota",
    "insufficient_quota": "quota",
    "context_length_exceeded": "overflow",
    "request_too_large": "overflow",
    "invalid_request_error": "bad_request",
    "not_found_error": "bad_request",
}
_REASONS = {
    200: "the answer is no event stream; is the base URL right?",
    301: "the address has moved; the base URL needs correcting",
    302: "the address has moved; the base URL needs correcting",
    307: "the address has moved; the base URL needs correcting",
    308: "the address has moved; the base URL needs correcting",
    400: "the request was refused",
    401: "the API key was refused",
    403: "access was refused",
    404: "no such model or address",
    413: "the request is too large",
    429: "too many requests",
    500: "the server failed",
    502: "the gateway got no proper answer",
    503: "the server is unavailable",
    504: "the gateway waited too long",
    529: "the server is overloaded",
}


def fault_of_response(status: int, headers: Mapping[str, str], body: bytes) -> Fault:
    """The fault behind an answer whose status is not 200."""
    payload = _decoded(body)
    text, names = _described(payload) if payload is not None else (_plain(body), [])
    wait = wait_named_by(headers, text)
    kind = _kind_of_status(status, text, names, wait)
    shown = text or _REASONS.get(status, "the server gave no reason")
    message = shown if shown.startswith(str(status)) else f"{status} {shown}"
    return Fault(kind, shortened(message, _LONGEST_MESSAGE), wait, status)


def fault_of_event(payload: Any) -> Fault:
    """The fault behind an error that came inside a stream; what is not known is taken for transient."""
    text, names = _described(payload)
    wait = wait_named_by({}, text)
    status = next((int(name) for name in names if name.isdigit() and len(name) == 3), None)
    if status is not None:
        kind = _kind_of_status(status, text, names, wait)
    else:
        kind = _kind_of_words(text, names, wait) or "transient"
    shown = text or "the provider reported an error without words"
    return Fault(kind, shortened(shown, _LONGEST_MESSAGE), wait, status)


def _kind_of_status(status: int, text: str, names: Iterable[str], wait: float | None) -> FaultKind:
    if status in (401, 402, 403):
        return "quota" if status == 402 or _QUOTA.search(text) else "auth"
    if status == 429:
        return "quota" if _spent(text, names, wait) else "transient"
    if status == 413:
        return "overflow"
    if status in (408, 409, 425) or (status >= 500 and status != 501):
        return "overflow" if _OVERFLOW.search(text) else "transient"
    return _kind_of_words(text, names, wait) or "bad_request"


def _kind_of_words(text: str, names: Iterable[str], wait: float | None) -> FaultKind | None:
    known = [_KINDS[name] for name in names if name in _KINDS]
    if "overflow" in known or (_OVERFLOW.search(text) and "transient" not in known):
        return "overflow"
    if "quota" in known or (_QUOTA.search(text) and _spent(text, names, wait)):
        return "quota"
    specific = [kind for kind in known if kind != "bad_request"]
    if specific:
        return specific[0]
    if _OVERLOAD.search(text):
        return "transient"
    if _AUTH.search(text):
        return "auth"
    return known[0] if known else None


def _spent(text: str, names: Iterable[str], wait: float | None) -> bool:
    """Whether a refusal means a used-up allowance rather than haste."""
    if wait is not None:
        return wait > SHORT_WAIT_SECONDS
    return "insufficient_quota" in names or _QUOTA.search(text) is not None


def _decoded(body: bytes) -> Any:
    try:
        return loads(body)
    except JsonError:
        return None


def _described(payload: Any) -> tuple[str, list[str]]:
    """The words of an error payload, and the names (type, code, status) that it gives itself."""
    if isinstance(payload, list) and payload:
        payload = payload[0]
    if not isinstance(payload, dict):
        return str(payload or ""), []
    inner = payload.get("error", payload)
    if not isinstance(inner, dict):
        return str(inner or payload.get("message") or ""), []
    names = [str(inner[key]) for key in ("type", "code", "status") if inner.get(key)]
    words = (
        inner.get("message") or inner.get("detail") or payload.get("message") or payload.get("detail") or ""
    )
    text = words if isinstance(words, str) else str(words)
    metadata = inner.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("raw"), str):
        # A router's own message says only that its upstream failed; the reason is in here.
        text = f"{text}: {metadata['raw']}" if text else metadata["raw"]
    label = next((name for name in names if not name.isdigit() and name != "error"), "")
    return (f"{label}: {text}" if label and label not in text else text or label), names


def _plain(body: bytes) -> str:
    """The words of a body that is not JSON, such as a gateway's HTML page."""
    return " ".join(_TAGS.sub(" ", body.decode("utf-8", "replace")).split())
