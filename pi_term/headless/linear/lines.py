"""Lines from whoever types, and lines to them: through a terminal with line editing, or through pipes."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
import threading
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType

from pi_term.base.sanitize import sanitize
from pi_term.headless.sink import Sink

_PAUSE = 5.0  # seconds without a key after which what is half typed holds nothing up any more
_LOOK = 0.1  # seconds between looks at what is being typed
_READ_SIZE = 65536
_NEW_LINE = "\n"
_PASTE_OFF = b"\x1b[?2004l"  # readline had it switched on for the line that is half typed


class LineReader:
    """Reads lines in a thread, one whenever `next_line` is awaited; None is the end of the input.

    In a terminal that can more than print, lines are edited with readline. `close` leaves the terminal as it
    was, whatever is half typed.
    """

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self.is_terminal = os.isatty(descriptor)
        self._readline = _readline() if self.is_terminal and os.environ.get("TERM") != "dumb" else None
        self._attributes = termios.tcgetattr(descriptor) if self.is_terminal else None
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._wanted = threading.Semaphore(0)
        self._editing = False
        self._buffer = b""
        self._thread = threading.Thread(target=self._run, name="pi-term-lines", daemon=True)
        self._thread.start()

    @property
    def typed(self) -> str:
        """What is half typed, as far as that can be known."""
        return self._readline.get_line_buffer() if self._readline is not None and self._editing else ""

    async def next_line(self) -> str | None:
        """The next line without its end. A line that ends in a backslash goes on in the next one."""
        parts: list[str] = []
        while True:
            self._wanted.release()
            line = await self._lines.get()
            if line is None or not line.endswith("\\"):
                break
            parts.append(line[:-1])
        if line is None and not parts:
            return None
        return "\n".join([*parts, line or ""])

    def close(self) -> None:
        """Give the terminal back."""
        if self._attributes is None:
            return
        if self._editing:
            with suppress(OSError):
                os.write(1, _PASTE_OFF + b"\n")
        with suppress(termios.error):
            termios.tcsetattr(self._descriptor, termios.TCSANOW, self._attributes)

    # --- in the thread

    def _run(self) -> None:
        more = True
        while more:
            self._wanted.acquire()
            line = self._read()
            more = line is not None
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._lines.put_nowait, line)

    def _read(self) -> str | None:
        if self._readline is None:
            return self._read_plain()
        self._editing = True
        try:
            return input()
        except (EOFError, OSError, ValueError):
            return None
        finally:
            self._editing = False

    def _read_plain(self) -> str | None:
        while b"\n" not in self._buffer:
            try:
                data = os.read(self._descriptor, _READ_SIZE)
            except OSError:
                data = b""
            if not data:
                rest, self._buffer = self._buffer, b""
                return rest.decode("utf-8", "replace") if rest else None
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace").removesuffix("\r")


class LineWriter:
    """Writes labelled lines in order, without ever holding up the event loop.

    While somebody types a line, what is to be said waits until it is sent, or until the typing has paused;
    then it is said on lines of its own, and what was half typed is said again.
    """

    def __init__(self, reader: LineReader, on_broken: Callable[[], None], descriptor: int = 1) -> None:
        """`on_broken` is called when nobody reads any more."""
        self._reader = reader
        self._on_broken = on_broken
        self._sink = Sink(descriptor)
        self._texts: asyncio.Queue[str | None] = asyncio.Queue()
        self._hurried = False
        self._task = asyncio.create_task(self._run())

    def say(self, label: str, text: str, *, at_once: bool = False) -> None:
        """Say a text under a label; "" goes on with what was said before.

        `at_once`: what is half typed does not hold it up, nor what waits before it.
        """
        self._hurried = self._hurried or at_once
        safe = sanitize(text).expandtabs(4)
        self._texts.put_nowait(f"{label}: {safe}".rstrip() + "\n" if label else f"{safe}\n")

    async def close(self) -> None:
        """Return when all is said."""
        self._hurried = True
        self._texts.put_nowait(None)
        await self._task

    async def _run(self) -> None:
        try:
            while (text := await self._texts.get()) is not None:
                await self._pause()
                typed = self._reader.typed
                again = typed if self._texts.empty() else ""
                self._hurried = self._hurried and not self._texts.empty()
                await self._sink.write(
                    f"{_NEW_LINE if typed else ''}{text}{again}".encode("utf-8", "replace")
                )
        except OSError:
            self._on_broken()

    async def _pause(self) -> None:
        """Wait while somebody types."""
        typed, waited = self._reader.typed, 0.0
        while typed and waited < _PAUSE and not self._hurried:
            await asyncio.sleep(_LOOK)
            now = self._reader.typed
            waited = waited + _LOOK if now == typed else 0.0
            typed = now


def _readline() -> ModuleType | None:
    """Line editing for `input`, which works only with the real standard streams of a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    try:
        import readline
    except ImportError:
        return None
    return readline
