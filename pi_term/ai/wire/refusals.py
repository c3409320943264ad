"""The faults behind refusals: error statuses, error bodies, error events inside a stream."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pi_term.ai.faults import Fault, FaultKind
from pi_term.ai.wire import wordings
from pi_term.ai.wire.error_body import ErrorBody, read_error
from pi_term.ai.wire.retry_after import wait_named_by
from pi_term.base.json import JsonError, loads
from pi_term.base.text import shortened

# Longer waits than this are no matter of load but of an allowance that is used up.
SHORT_WAIT_SECONDS = 600.0
_LONGEST_MESSAGE = 2000
_TAGS = re.compile(r"<(script|style|title)\b.*?</\1>|<[^>]*>", re.IGNORECASE | re.DOTALL)

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
    """The fault behind an answer that is no stream of events, whatever its status."""
    payload = _decoded(body)
    if status == 200 and payload is None and body.lstrip()[:1] in (b"{", b"["):
        # Somebody meant to send JSON: as with a broken event, it may come whole the next time.
        return Fault("transient", "The answer was broken off: it is not the JSON that it begins as.")
    error = read_error(payload) if payload is not None else ErrorBody(_plain(body), [], {})
    wait = wait_named_by(headers, error.text, error.fields)
    kind = _kind_of_status(status, error.text, error.names, wait)
    shown = error.text or _REASONS.get(status, "the server gave no reason")
    message = shown if shown.startswith(str(status)) else f"{status} {shown}"
    return Fault(kind, shortened(message, _LONGEST_MESSAGE), wait, status)


def fault_of_event(payload: Any) -> Fault:
    """The fault behind an error that came inside a stream; what is not known is taken for transient."""
    error = read_error(payload)
    wait = wait_named_by({}, error.text, error.fields)
    status = next((int(name) for name in error.names if name.isdigit() and len(name) == 3), None)
    if status is not None:
        kind = _kind_of_status(status, error.text, error.names, wait)
    else:
        kind = _kind_of_words(error.text, error.names, wait) or "transient"
    shown = error.text or "the provider reported an error without words"
    return Fault(kind, shortened(shown, _LONGEST_MESSAGE), wait, status)


def _kind_of_status(status: int, text: str, names: Iterable[str], wait: float | None) -> FaultKind:
    if status in (401, 402, 403):
        if status == 402 or wordings.QUOTA.search(text):
            return "quota"
        return "transient" if status == 403 and wordings.OVERLOAD.search(text) else "auth"
    if status == 429:
        if wordings.TOO_LARGE_AT_ONCE.search(text):
            return "overflow"
        return "quota" if _spent(text, names, wait) else "transient"
    if status == 413:
        return "overflow"
    if status in (408, 409, 425) or (status >= 500 and status != 501):
        return "overflow" if _is_overflow(text, names) else "transient"
    return _kind_of_words(text, names, wait) or "bad_request"


def _kind_of_words(text: str, names: Iterable[str], wait: float | None) -> FaultKind | None:
    known = _known(names)
    if _is_overflow(text, names) or wordings.TOO_LARGE_AT_ONCE.search(text):
        return "overflow"
    if "quota" in known or (wordings.QUOTA.search(text) and _spent(text, names, wait)):
        return "quota"
    specific = [kind for kind in known if kind != "bad_request"]
    if specific:
        return specific[0]
    if wordings.OVERLOAD.search(text):
        return "transient"
    if wordings.AUTH.search(text):
        return "auth"
    return known[0] if known else None


def _is_overflow(text: str, names: Iterable[str]) -> bool:
    """Whether the conversation is too long; haste is told of in similar words, and so are other limits."""
    if "overflow" in _known(names):
        return True
    if wordings.OVERFLOW.search(text) is None or wordings.OVERLOAD.search(text):
        return False
    return "context" in text.lower() or wordings.OUTPUT_LIMIT.search(text) is None


def _known(names: Iterable[str]) -> list[FaultKind]:
    return [wordings.NAMES[name.lower()] for name in names if name.lower() in wordings.NAMES]


def _spent(text: str, names: Iterable[str], wait: float | None) -> bool:
    """Whether a refusal means a used-up allowance rather than haste."""
    if any(wordings.LASTING_QUOTA.search(name) for name in names):
        return True
    if wait is not None:
        return wait > SHORT_WAIT_SECONDS
    return "quota" in _known(names) or wordings.QUOTA.search(text) is not None


def _decoded(body: bytes) -> Any:
    try:
        return loads(body)
    except JsonError:
        return None


def _plain(body: bytes) -> str:
    """The words of a body that is not JSON, such as a gateway's HTML page."""
    return " ".join(_TAGS.sub(" ", body.decode("utf-8", "replace")).split())
