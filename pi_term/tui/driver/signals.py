"""Signals that concern the terminal: end, stop, continue, resize.

Handlers run between any two instructions of the main thread, so they only pass the news to the event loop.
"""

from __future__ import annotations

import os
import signal
import time
from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

_ENDING_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)
_HANDLED_SIGNALS = (*_ENDING_SIGNALS, signal.SIGTSTP, signal.SIGCONT)

_STOP_SETTLES = 0.05
"""Seconds in which the kernel surely has stopped the process, if it is going to."""


class SignalHandlers:
    """Installs handlers for the signals above and puts the former ones back.

    Args:
        loop: Where the callbacks run.
        end: Called with the number of a signal that asks the program to end.
        stop: Called to suspend the program to the shell.
        resume: Called when the program continues after it was stopped by force.
        resize: Called when the terminal has changed its size.
        in_charge: Whether the interface has the terminal now (and not, say, an external editor).
    """

    def __init__(
        self,
        loop: AbstractEventLoop,
        *,
        end: Callable[[int], None],
        stop: Callable[[], None],
        resume: Callable[[], None],
        resize: Callable[[], None],
        in_charge: Callable[[], bool],
    ) -> None:
        self._loop = loop
        self._end = end
        self._stop = stop
        self._resume = resume
        self._resize = resize
        self._in_charge = in_charge
        self._former: dict[signal.Signals, Any] = {}

    def install(self) -> None:
        """Take the signals over. Only in the main thread; again after somebody else did the same."""
        if not self._former:
            self._former = {n: signal.getsignal(n) for n in (*_HANDLED_SIGNALS, signal.SIGWINCH)}
        for number in _HANDLED_SIGNALS:
            signal.signal(number, self._handle)
        # Beside its purpose this makes every signal wake the loop, whichever thread the kernel gives it to.
        self._loop.add_signal_handler(signal.SIGWINCH, self._resize)

    def restore(self, *, ending: bool = False) -> None:
        """Put the former handlers back; while `ending`, ignore what asks for the end once more."""
        if self._former and not self._loop.is_closed():
            self._loop.remove_signal_handler(signal.SIGWINCH)
        for number, handler in self._former.items():
            if ending and number in _ENDING_SIGNALS:
                handler = signal.SIG_IGN
            # None stands for a handler that was not installed from Python: it cannot be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._former = {}

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if number in _ENDING_SIGNALS:
            # Without the terminal, an interrupt is meant for the program that has it.
            if number != signal.SIGINT or self._in_charge():
                self._end(number)
        elif self._in_charge():
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stop if number == signal.SIGTSTP else self._resume)
        elif number == signal.SIGTSTP:
            self.stop_process(None)

    def stop_process(self, terminal: int | None) -> None:
        """Stop this process until the shell continues it.

        With the descriptor of our controlling terminal, the whole job is stopped, so that the shell notices
        even when it started us through a wrapper; and again, as long as it continues us in the background,
        where we must not touch the terminal. The kernel ignores all this when nobody could continue us.
        """
        whole_job = terminal is not None and is_foreground(terminal) is not None
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        try:
            while True:
                os.kill(0 if whole_job else os.getpid(), signal.SIGTSTP)
                time.sleep(_STOP_SETTLES)
                if terminal is None or is_foreground(terminal) is not False:
                    return
        finally:
            signal.signal(signal.SIGTSTP, self._handle)


def is_foreground(terminal: int) -> bool | None:
    """Whether we belong to the terminal's foreground job; None when it does not control us."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return None
