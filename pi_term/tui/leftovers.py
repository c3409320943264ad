"""Memory that closed screens leave behind.

A screen and its widgets hold each other, and the collector, which would hold up keys, seldom looks at what
has lived for long: without this, the rows of a long session stayed for each time that its tree was opened.
"""

from __future__ import annotations

import asyncio
import gc
from contextvars import Context

_QUIET = 2.0  # seconds; who closes a screen goes on typing at once, if at all

_due: asyncio.TimerHandle | None = None


def free_soon() -> None:
    """Free it a while after the last screen was closed; takes as long as two frames."""
    global _due
    if _due is not None:
        _due.cancel()
    # In a context of its own: in that of the screen, the timer would hold the screen.
    _due = asyncio.get_running_loop().call_later(_QUIET, gc.collect, context=Context())
