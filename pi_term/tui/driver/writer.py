"""Output to the terminal from a thread of its own, so that a terminal which does not read blocks nobody."""

from __future__ import annotations

import os
import select
import signal
import termios
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from pi_term.base.dataclass import dataclass

_FRAME_LIMIT = 64 * 1024
_SLICE = 8 * 1024
"""Bytes of one system call: between two of them a hopeless backlog can be given up."""

_WRITABLE_TIMEOUT = 0.2


@dataclass(frozen=True, slots=True)
class _Item:
    data: bytes
    is_frame: bool


class TerminalWriter:
    """A queue of text for a terminal, written in order by a thread.

    Frames are dropped whole while more than `limit` bytes wait; when the backlog is written, `repaint` tells
    that the screen is out of date. Other text is always kept.

    Args:
        fd: Descriptor of the terminal; its blocking mode is left alone, since shells share it.
        repaint: Called in the writer's thread when frames were dropped and there is room again.
        lost: Called in the writer's thread, once, when the terminal cannot be written any more.
        limit: Backlog, in bytes, from which on frames are dropped.
    """

    def __init__(
        self,
        fd: int,
        *,
        repaint: Callable[[], None],
        lost: Callable[[], None],
        limit: int = _FRAME_LIMIT,
    ) -> None:
        self._fd = fd
        self._repaint = repaint
        self._lost = lost
        self._limit = limit
        self._changed = threading.Condition()
        self._items: deque[_Item] = deque()
        self._backlog = 0
        self._dropped_frame = False
        self._closing = False
        self._broken = False
        self._cut = False
        self._thread = threading.Thread(target=self._run, name="pi-term-output", daemon=True)
        self._thread.start()

    @property
    def is_congested(self) -> bool:
        """Whether the terminal reads so slowly that a frame written now would be dropped."""
        return self._backlog > self._limit

    def write(self, text: str) -> None:
        """Queue text that must arrive."""
        self._put(_Item(text.encode("utf-8", "replace"), is_frame=False))

    def write_frame(self, text: str) -> bool:
        """Queue a frame, or drop it because the terminal lags behind; whether it was queued."""
        with self._changed:
            if self.is_congested:
                self._dropped_frame = True
                return False
        self._put(_Item(text.encode("utf-8", "replace"), is_frame=True))
        return True

    def _put(self, item: _Item) -> None:
        with self._changed:
            if not (self._broken or self._closing):
                self._items.append(item)
                self._backlog += len(item.data)
                self._changed.notify_all()

    def drain(self, timeout: float) -> bool:
        """Wait until all is written (or nothing can be), at most `timeout` seconds; whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: self._broken or self._backlog == 0, timeout)

    def force(self, ending: str) -> None:
        """Make way for `ending`: drop all frames, the rest of one half written, and what the kernel holds."""
        with self._changed:
            self._cut = True
            self._items = deque(item for item in self._items if not item.is_frame)
            self._items.append(_Item(ending.encode(), is_frame=False))
            self._changed.notify_all()
        with suppress(termios.error):
            termios.tcflush(self._fd, termios.TCOFLUSH)
        if self._thread.ident is not None and self._thread.is_alive():
            # The blocked call does not notice that there is room now; a handled signal restarts it.
            signal.pthread_kill(self._thread.ident, signal.SIGWINCH)

    def close(self, timeout: float) -> bool:
        """Write what waits and end the thread, in at most `timeout` seconds; whether all was written."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (item := self._next()) is not None:
            self._write_out(item)
            self._settle()

    def _next(self) -> _Item | None:
        with self._changed:
            while not self._items:
                if self._closing or self._broken:
                    return None
                self._changed.wait()
            self._cut = False
            return self._items.popleft()

    def _write_out(self, item: _Item) -> None:
        rest = memoryview(item.data)
        try:
            while rest and not (self._cut and item.is_frame):
                rest = rest[self._write_some(rest[:_SLICE]) :]
        except (OSError, ValueError):
            self._break()

    def _write_some(self, data: memoryview) -> int:
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            # Another program has made the descriptor non-blocking, which all of them share.
            select.select([], [self._fd], [], _WRITABLE_TIMEOUT)
            return 0

    def _settle(self) -> None:
        """Count what waits anew, and ask for a repaint when the terminal has caught up."""
        with self._changed:
            self._backlog = sum(len(item.data) for item in self._items)
            caught_up = self._dropped_frame and self._backlog == 0 and not self._closing
            if caught_up:
                self._dropped_frame = False
            self._changed.notify_all()
        if caught_up:
            self._repaint()

    def _break(self) -> None:
        with self._changed:
            self._broken = True
            self._items.clear()
        self._lost()
