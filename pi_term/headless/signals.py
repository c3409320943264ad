"""Signals that would end the process, as events of its loop."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pi_term.base.watchdog import Watchdog

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LONGEST_END = 15.0  # seconds from a signal to the end of the process: what runs and who reads get their time


@contextmanager
def caught_signals(act: Callable[[int], None]) -> Iterator[None]:
    """While inside, a signal that would end the process calls `act` with its number instead.

    What that begins must come to its end in time; a second signal ends the process at once. One that is
    ignored stays so: `nohup` and shells in the background rely on it.
    """
    loop = asyncio.get_running_loop()
    watchdog = Watchdog(_LONGEST_END)
    received: list[int] = []

    def receive(number: int) -> None:
        if received:
            os._exit(128 + number)
        received.append(number)
        watchdog.watch(128 + number)
        act(number)

    caught = [number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    for number in caught:
        loop.add_signal_handler(number, receive, number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)
        watchdog.stop()
