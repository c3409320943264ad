"""Input from the terminal in a thread that sleeps until something arrives."""

from __future__ import annotations

import os
import selectors
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from textual.message import Message

from pi_term.tui.driver.parser import InputParser

_READ_SIZE = 64 * 1024
_JOIN_TIMEOUT = 1.0


class EndOfInput(OSError):
    """The terminal was closed."""


class TerminalReader:
    """Reads and parses the input of a terminal until stopped.

    Args:
        fd: Descriptor to read.
        deliver: Called in the reader's thread for each message.
        lost: Called in the reader's thread when the terminal is gone (end of file or an error).
        typed_ahead: How many bytes, at the most, were typed while the terminal was not ours yet.
    """

    def __init__(
        self,
        fd: int,
        *,
        deliver: Callable[[Message], None],
        lost: Callable[[], None],
        typed_ahead: int = 0,
    ) -> None:
        self._fd = fd
        self._deliver = deliver
        self._lost = lost
        self._typed_ahead = typed_ahead
        self._parser = InputParser()
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._run, name="pi-term-input", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread. What it has not read yet stays with the terminal."""
        if self._wake_write < 0:
            return
        os.close(self._wake_write)
        self._wake_write = -1
        if threading.current_thread() is not self._thread:
            self._thread.join(_JOIN_TIMEOUT)

    def _run(self) -> None:
        stopped = False
        try:
            # macOS can wait for terminals only with select.
            with suppress(OSError, ValueError), selectors.SelectSelector() as selector:
                selector.register(self._fd, selectors.EVENT_READ)
                selector.register(self._wake_read, selectors.EVENT_READ)
                self._read_until_stopped(selector)
                stopped = True
        finally:
            os.close(self._wake_read)
            if not stopped:
                self._lost()

    def _read_until_stopped(self, selector: selectors.BaseSelector) -> None:
        parser = self._parser
        while True:
            deadline = parser.deadline
            ready = selector.select(None if deadline is None else max(0.0, deadline - time.monotonic()))
            descriptors = {key.fd for key, _ in ready}
            if self._wake_read in descriptors:
                return
            if not descriptors:
                # Only now is it certain that nothing came in time: this thread may have been kept waiting.
                messages = parser.expire(time.monotonic())
            else:
                data = None
                with suppress(BlockingIOError):
                    data = os.read(self._fd, _READ_SIZE)
                if data == b"":
                    raise EndOfInput
                messages = parser.feed(self._as_pressed(data), time.monotonic()) if data else []
            for message in messages:
                self._deliver(message)

    def _as_pressed(self, data: bytes) -> bytes:
        """The input, with Enter where the terminal made a line feed of it before it was ours.

        Several lines are left alone: as likely as not they were pasted, and must not be sent one by one.
        """
        early, rest = data[: self._typed_ahead], data[self._typed_ahead :]
        self._typed_ahead = 0
        return (early.replace(b"\n", b"\r") if early.count(b"\n") == 1 else early) + rest
