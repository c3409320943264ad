"""Memory that closed screens leave behind.

A screen and its widgets hold each other, and the collector, which would hold up keys, seldom looks at what
has lived for long: without this, the rows of a long session stayed for each time that its tree was opened.
"""

from __future__ import annotations

import asyncio
import gc
from typing import Any
from weakref import WeakKeyDictionary

from textual.app import App

from pi_term.tui.background import after

_QUIET = 2.0  # seconds; who closes a screen goes on typing at once, if at all

_due: WeakKeyDictionary[App[Any], asyncio.TimerHandle] = WeakKeyDictionary()


def free_soon(app: App[Any]) -> None:
    """Free it a while after the last screen was closed; takes as long as two frames."""
    earlier = _due.get(app)
    if earlier is not None:
        earlier.cancel()
    _due[app] = after(app, _QUIET, gc.collect)
