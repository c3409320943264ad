"""A program on a pseudo-terminal, with the screen that a person would see.

Needs `pyte` (in the extra `test`). Keys are sent as bytes; nothing waits for a fixed time.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self


class TerminalProgram:
    """Starts `argv` on a terminal of its own; a context manager that ends it.

    The terminal is a plain one: it answers device queries but knows neither the Kitty keyboard protocol nor
    synchronised output, as tmux does. `output` is every byte that was written.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: str | os.PathLike[str],
        env: Mapping[str, str],
        columns: int = 100,
        rows: int = 30,
    ) -> None:
        import pyte

        self._argv = list(argv)
        self._cwd = os.fspath(cwd)
        self._env = dict(env)
        self._screen: Any = pyte.Screen(columns, rows)
        self._stream: Any = pyte.ByteStream(self._screen)
        self._size = struct.pack("HHHH", rows, columns, 0, 0)
        self.output = b""
        self.pid = 0
        self.terminal = -1
        self.exit_code: int | None = None

    def __enter__(self) -> Self:
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            self._become_the_program()
        os.set_blocking(self.terminal, False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.exit_code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.terminal)

    def _become_the_program(self) -> None:
        try:
            fcntl.ioctl(0, termios.TIOCSWINSZ, self._size)
            os.chdir(self._cwd)
            os.execvpe(self._argv[0], self._argv, self._env)
        finally:
            os._exit(127)

    def send(self, keys: str | bytes) -> None:
        """Type: text, or the bytes of keys."""
        data = keys.encode() if isinstance(keys, str) else keys
        while data:
            try:
                data = data[os.write(self.terminal, data) :]
            except BlockingIOError:
                self._read(0.05)

    def text(self) -> str:
        """The screen, rows joined by newlines, trailing blanks cut."""
        self._read(0)
        return "\n".join(row.rstrip() for row in self._screen.display)

    def wait_for(self, wanted: str | Callable[[str], bool], seconds: float = 60) -> str:
        """Read until the screen shows `wanted`; returns the screen. `seconds` guards against hanging."""
        shown = (lambda text: wanted in text) if isinstance(wanted, str) else wanted
        deadline = time.monotonic() + seconds
        while True:
            text = self.text()
            if shown(text):
                return text
            if time.monotonic() > deadline or self.exit_code is not None:
                raise AssertionError(f"{wanted!r} is not on the screen:\n{text}")
            self._read(0.1)

    def wait_exit(self, seconds: float = 30) -> int:
        """Read until the program ends; returns its exit code (negative: the signal)."""
        deadline = time.monotonic() + seconds
        while self.exit_code is None:
            if time.monotonic() > deadline:
                raise AssertionError(f"the program did not end:\n{self.text()}")
            self._read(0.1)
        return self.exit_code

    def _read(self, seconds: float) -> None:
        ready, _, _ = select.select([self.terminal], [], [], seconds)
        while ready:
            try:
                data = os.read(self.terminal, 65536)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._reap()
                return
            self.output += data
            self._answer(data)
            self._stream.feed(data)
            ready, _, _ = select.select([self.terminal], [], [], 0)
        if not ready and self.exit_code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.exit_code = os.waitstatus_to_exitcode(status)

    def _answer(self, data: bytes) -> None:
        """What a plain terminal says of itself when it is asked."""
        for query, answer in ((b"\x1b[c", b"\x1b[?62;22c"), (b"\x1b[6n", b"\x1b[1;1R")):
            if query in data:
                os.write(self.terminal, answer)

    def _reap(self) -> None:
        if self.exit_code is None:
            self.exit_code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
