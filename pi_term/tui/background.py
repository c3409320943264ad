"""Work beside the keys, as long as a screen or the app lives."""

from __future__ import annotations

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
