"""Signals in linear mode: Ctrl+C is a key here, the others end the program."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def heard_signals(interrupt: Callable[[], None], end: Callable[[int], None]) -> Iterator[None]:
    """While inside, Ctrl+C calls `interrupt`, and a signal that would end the process `end` with its number.

    Afterwards the process is ending: who asks for that once more does not disturb it. A signal that is
    ignored stays so.
    """
    loop = asyncio.get_running_loop()
    caught = [n for n in (signal.SIGINT, *_ENDING) if signal.getsignal(n) is not signal.SIG_IGN]
    for number in caught:
        if number == signal.SIGINT:
            loop.add_signal_handler(number, interrupt)
        else:
            loop.add_signal_handler(number, end, number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_IGN)
