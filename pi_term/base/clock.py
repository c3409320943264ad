"""Wall-clock time in the two forms that Pi's formats use."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now_ms() -> int:
    """Unix time in milliseconds (message timestamps)."""
    return time.time_ns() // 1_000_000


def iso(ms: int | None = None) -> str:
    """ISO 8601 in UTC with milliseconds (entry timestamps): `2026-01-02T03:04:05.678Z`."""
    moment = now_ms() if ms is None else ms
    whole = datetime.fromtimestamp(moment // 1000, UTC)
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{moment % 1000:03d}Z"
