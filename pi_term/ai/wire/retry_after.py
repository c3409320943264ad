"""How long a server asks to wait: in a header, or only in the words of its refusal."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = r"\d+(?:\.\d+)?\s*(?:ms|milliseconds?|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)\b"
# A number and its unit run together in "12h34m56.7s", which has no word boundary inside.
_SPAN = rf"((?:\d+(?:\.\d+)?(?:h|m|s|d)(?=\d))*{_PART}(?:(?:\s*,)?(?:\s+and)?\s+{_PART})*)"
_IN_WORDS = re.compile(
    rf"(?:retry|try again|reset|resets|wait|available again|retry-?delay)\b[^.\d]{{0,40}}?{_SPAN}",
    re.IGNORECASE,
)
_ONE = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|milli|s|m|h|d)", re.IGNORECASE)


def wait_named_by(headers: Mapping[str, str], text: str) -> float | None:
    """Seconds to wait by `retry-after-ms`, `retry-after` or the text; None where none of them is usable.

    A moment that has passed, zero, and what cannot be read say nothing.
    """
    return _positive(_number(headers.get("retry-after-ms")), 0.001) or _header(headers) or _in_words(text)


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


def _in_words(text: str) -> float | None:
    found = _IN_WORDS.search(text)
    if found is None:
        return None
    return _positive(sum(float(size) * _UNITS[_unit(unit)] for size, unit in _ONE.findall(found[1])))


def _unit(word: str) -> str:
    word = word.lower()
    return "ms" if word in ("ms", "milli") else word


def _number(value: str | None) -> float | None:
    try:
        return float(value) if value is not None else None
    except ValueError:
        return None


def _positive(seconds: float | None, scale: float = 1.0) -> float | None:
    return seconds * scale if seconds is not None and math.isfinite(seconds) and seconds > 0 else None
