"""Work beside the keys or after a while, as long as a screen, a widget or the app lives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from textual.dom import DOMNode
from textual.worker import WorkType


def run_in_background(node: DOMNode, work: Callable[[], Coroutine[Any, Any, None]], group: str) -> None:
    """Run `work()` as one of `node`'s workers.

    A function, since Python complains in the shell of a coroutine that was not begun when the program ended.
    """
    worker: WorkType[None] = work
    node.run_worker(worker, group=group)


def after(node: DOMNode, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
    """Call `callback()` as one of `node`'s messages, in so many seconds. What is returned can be cancelled.

    Textual's own `set_timer` leaves the call out when the timer begins later than it should have ended, as
    short ones do on a busy machine.
    """
    return asyncio.get_running_loop().call_later(seconds, node.call_later, callback)
