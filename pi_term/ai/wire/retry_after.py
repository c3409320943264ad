"""How long a server asks to wait: in a header, in a field of its refusal, or only in its words."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from typing import Any

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = r"\d+(?:\.\d+)?\s*(?:ms|milliseconds?|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)\b"
# A number and its unit run together in "12h34m56.7s", which has no word boundary inside.
_SPAN = rf"((?:\d+(?:\.\d+)?(?:h|m|s|d)(?=\d))*{_PART}(?:(?:\s*,)?(?:\s+and)?\s+{_PART})*)"
_IN_WORDS = re.compile(
    rf"(?:retry|try again|reset|resets|wait|available again|retry-?delay)\b[^.\d]{{0,40}}?{_SPAN}",
    re.IGNORECASE,
)
_WHOLE_SPAN = re.compile(_SPAN, re.IGNORECASE)
_ONE = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|milli|s|m|h|d)", re.IGNORECASE)

# Fields of refusals that hold a wait, in seconds where there is no unit; and those that hold a moment.
_WAITS = (
    "retry_after",
    "retryAfter",
    "retry_after_seconds",
    "retryDelay",
    "retry_delay",
    "resets_in_seconds",
    "retry-after",
)
_MOMENTS = ("resets_at", "resetsAt", "reset_at", "x-ratelimit-reset")
_IN_MILLISECONDS = 100_000_000_000  # a Unix time above this counts milliseconds


def wait_named_by(
    headers: Mapping[str, str], text: str, fields: Mapping[str, Any] | None = None
) -> float | None:
    """Seconds to wait by `retry-after-ms`, `retry-after`, the fields or the text; None where none is usable.

    A moment that has passed, zero, and what cannot be read say nothing.
    """
    return (
        _positive(_number(headers.get("retry-after-ms")), 0.001)
        or _header(headers)
        or _in_fields(fields or {})
        or _in_words(text)
    )


def _header(headers: Mapping[str, str]) -> float | None:
    value = headers.get("retry-after")
    if value is None:
        return None
    number = _number(value)
    if number is not None:
        return _positive(number)
    from email.utils import parsedate_to_datetime

    try:
        return _positive(parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _in_fields(fields: Mapping[str, Any]) -> float | None:
    wait = _positive(_number(fields.get("retry_after_ms")), 0.001)
    if wait is not None:
        return wait
    for name in _WAITS:
        wait = _positive(_seconds(fields.get(name)))
        if wait is not None:
            return wait
    for name in _MOMENTS:
        moment = _number(fields.get(name))
        if moment is not None:
            return _positive((moment / 1000 if moment > _IN_MILLISECONDS else moment) - time.time())
    return None


def _seconds(value: Any) -> float | None:
    number = _number(value)
    if number is not None or not isinstance(value, str):
        return number
    found = _WHOLE_SPAN.fullmatch(value.strip())
    return None if found is None else _summed(found[1])


def _in_words(text: str) -> float | None:
    found = _IN_WORDS.search(text)
    return None if found is None else _positive(_summed(found[1]))


def _summed(span: str) -> float:
    return sum(float(size) * _UNITS[_unit(unit)] for size, unit in _ONE.findall(span))


def _unit(word: str) -> str:
    word = word.lower()
    return "ms" if word in ("ms", "milli") else word


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _positive(seconds: float | None, scale: float = 1.0) -> float | None:
    return seconds * scale if seconds is not None and math.isfinite(seconds) and seconds > 0 else None
