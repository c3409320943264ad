"""Signals that would end the process, as events of its loop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def caught_signals(act: Callable[[int], None]) -> Iterator[None]:
    """While inside, a signal that would end the process calls `act` with its number instead.

    One that is ignored stays so: `nohup` and shells in the background rely on it.
    """
    loop = asyncio.get_running_loop()
    caught = [number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    for number in caught:
        loop.add_signal_handler(number, act, number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)
