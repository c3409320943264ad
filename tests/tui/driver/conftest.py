from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyte
import pytest

APP = Path(__file__).parent / "echo_app.py"
ROOT = Path(__file__).parents[3]
PATIENCE = 30.0
MODE_CODES = [
    b"\x1b[?1049h",
    b"\x1b[?25l",
    b"\x1b[?1000h",
    b"\x1b[?1003h",
    b"\x1b[?1006h",
    b"\x1b[?1004h",
    b"\x1b[?2004h",
    b"\x1b[>29u",
    b"\x1b[>4;2m",
]
LEAVE_CODES = [
    b"\x1b[?1000l",
    b"\x1b[?1003l",
    b"\x1b[?1006l",
    b"\x1b[?1004l",
    b"\x1b[?2004l",
    b"\x1b[<u",
    b"\x1b[>4;0m",
    b"\x1b[?7h",
    b"\x1b[?1049l",
    b"\x1b[?25h",
]


class Terminal:
    """A pseudo-terminal with a program in it, played from the side of the terminal emulator."""

    def __init__(self, folder: Path, *, columns: int = 80, rows: int = 24, controlling: bool = True) -> None:
        self.log_file = folder / "log"
        self.output = b""
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.attributes = termios.tcgetattr(self.slave)
        self.size = (columns, rows)
        self._controlling = controlling
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, command: list[str] | None = None, **environ: str) -> Terminal:
        kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
        self.process = subprocess.Popen(
            command or self.app_command,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env={**kept, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **environ},
            start_new_session=True,
            preexec_fn=self._take_control if self._controlling else None,
        )
        return self

    @property
    def app_command(self) -> list[str]:
        return [sys.executable, str(APP), str(self.log_file)]

    @property
    def log(self) -> str:
        return self.log_file.read_text() if self.log_file.exists() else ""

    def _take_control(self) -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def send(self, data: bytes) -> None:
        os.write(self.master, data)

    def read(self, seconds: float = 0.02) -> None:
        """Take what the program writes until it pauses for `seconds`."""
        while select.select([self.master], [], [], seconds)[0]:
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return
            if not data:
                return
            self.output += data

    def wait_for(self, condition: Callable[[], bool], *, reading: bool = True) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                pytest.fail(f"waited in vain; log:\n{self.log}\noutput ends with {self.output[-2000:]!r}")
            if reading:
                self.read()
            else:
                time.sleep(0.02)

    def wait_for_log(self, text: str, *, reading: bool = True) -> None:
        self.wait_for(lambda: text in self.log, reading=reading)

    def wait_for_output(self, data: bytes) -> None:
        self.wait_for(lambda: data in self.output)

    def wait_for_end(self, *, reading: bool = True) -> int:
        process = self.process
        assert process is not None
        self.wait_for(lambda: process.poll() is not None, reading=reading)
        if reading:
            self.read()
        assert process.returncode is not None
        return process.returncode

    def signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        os.kill(self.process.pid, number)

    def screen(self) -> list[str]:
        """What a person sees: the lines of the screen without trailing blanks."""
        screen = pyte.Screen(*self.size)
        # pyte takes private modes of two kinds it does not know for text.
        data = self.output.replace(b"\x1b[>4;2m", b"").replace(b"\x1b[>29u", b"")
        pyte.ByteStream(screen).feed(data)
        return [line.rstrip() for line in screen.display]

    def assert_restored(self) -> bytes:
        """The terminal is as before; what was written after the last mode was switched off."""
        assert termios.tcgetattr(self.slave) == self.attributes
        last_on = max(self.output.rfind(code) for code in MODE_CODES)
        for code in LEAVE_CODES:
            assert self.output.rfind(code) > last_on, code
        assert self.output.rfind(b"\x1b[<u") < self.output.rfind(b"\x1b[?1049l")
        return self.output.rpartition(b"\x1b[?25h")[2]

    def assert_modes_on(self, after: int = 0) -> None:
        """All modes were switched on in the output from `after` on."""
        for code in (*MODE_CODES, b"\x1b[?2026$p"):
            assert code in self.output[after:], code

    def hang_up(self) -> None:
        """Close the window."""
        os.close(self.slave)
        os.close(self.master)
        self.slave = self.master = -1

    def dispose(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for descriptor in (self.master, self.slave):
            if descriptor >= 0:
                os.close(descriptor)


@pytest.fixture
def make_terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    made: list[Terminal] = []

    def make(**arguments: bool) -> Terminal:
        made.append(Terminal(tmp_path, **arguments))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for terminal in made:
        terminal.dispose()


@pytest.fixture
def terminal(make_terminal: Callable[..., Terminal]) -> Terminal:
    """A terminal in which the echo app has painted its first screen."""
    terminal = make_terminal().start()
    terminal.wait_for_log("started")
    terminal.wait_for_output(b"ready")
    return terminal
