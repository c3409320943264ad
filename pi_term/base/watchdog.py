"""The end of the process, whatever still goes on in it."""

from __future__ import annotations

import os
import threading


class Watchdog:
    """Ends the process where its own end takes longer than `seconds` from the last word or picture.

    What can keep it is work that ignores being cancelled, or a thread that hangs: a program that was told to
    end must not live on because of them.
    """

    def __init__(self, seconds: float = 5.0) -> None:
        self._seconds = seconds
        self._timer: threading.Timer | None = None

    def watch(self, code: int) -> None:
        """The end has begun; where it takes too long, the exit code is `code`. Once is enough."""
        if self._timer is None:
            self._timer = threading.Timer(self._seconds, os._exit, (code,))
            self._timer.daemon = True
            self._timer.start()

    def stop(self) -> None:
        """The end is there, or the process goes on."""
        if self._timer is not None:
            self._timer.cancel()
