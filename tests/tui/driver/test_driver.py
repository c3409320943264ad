"""`PiDriver` end to end: an app in a pseudo-terminal, whose bytes are looked at from outside."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from textual.app import App
from textual.drivers.headless_driver import HeadlessDriver

from pi_term.tui.driver import PiDriver

if TYPE_CHECKING:
    from tests.tui.driver.conftest import Terminal

ENTER_CODES = [
    b"\x1b[?1049h",
    b"\x1b[?25l",
    b"\x1b[?1000h",
    b"\x1b[?1003h",
    b"\x1b[?1006h",
    b"\x1b[?1004h",
    b"\x1b[?2004h",
    b"\x1b[>29u",
    b"\x1b[>4;2m",
    b"\x1b[?2026$p",
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


def assert_restored(terminal: Terminal) -> bytes:
    """The terminal is as before; what was written after the last mode was switched off."""
    assert termios.tcgetattr(terminal.slave) == terminal.attributes
    for code in LEAVE_CODES:
        assert code in terminal.output, code
    last_on = max(terminal.output.rfind(code) for code in ENTER_CODES[:-1])
    assert all(terminal.output.rfind(code) > last_on for code in LEAVE_CODES)
    assert terminal.output.rfind(b"\x1b[<u") < terminal.output.rfind(b"\x1b[?1049l")
    return terminal.output.rpartition(b"\x1b[?25h")[2]


class TestKeys:
    @pytest.mark.parametrize(
        ("sent", "logged"),
        [
            (b"\r", "key enter '\\r'"),
            (b"\x1b\r", "key alt+enter None"),
            (b"\x1b[13;3u", "key alt+enter None"),
            (b"\x1b[13;2u", "key shift+enter None"),
            (b"\x1b[27;5;13~", "key ctrl+enter None"),
            (b"\x1bb", "key alt+b None"),
            (b"\x1b\x7f", "key alt+backspace None"),
            (b"\x1b", "key escape '\\x1b'"),
            (b"\x1b[27u", "key escape '\\x1b'"),
            (b"\x1b[97;2;65u", "key A 'A'"),
            ("漢".encode(), "key 漢 '漢'"),
        ],
    )
    def test_arrive_as_pressed(self, terminal: Terminal, sent: bytes, logged: str) -> None:
        terminal.send(sent)
        terminal.wait_for_log(logged)
        terminal.send(b"k")
        terminal.wait_for_log("key k")
        keys = [line for line in terminal.log.splitlines() if line.startswith("key")]
        assert keys == [logged, "key k 'k'"]

    def test_a_large_paste_is_one_event(self, terminal: Terminal) -> None:
        text = "".join(f"line {number}\r" for number in range(3000)).encode()
        data = b"\x1b[200~" + text + b"\x1b[201~"
        while data:
            data = data[os.write(terminal.master, data[:1000]) :]
            terminal.read(0.001)
        terminal.wait_for_log("line 2999")
        assert terminal.log.count("paste") == 1
        assert "key" not in terminal.log

    def test_answers_and_noise_are_not_typed(self, terminal: Terminal) -> None:
        terminal.send(
            b"\x1b[?62;4c\x1b]11;rgb:0000/0000/0000\x1b\\\x1bP>|term 1\x1b\\\x1b[24;80R\xff\xfe\x1b[M !!"
        )
        terminal.send(b"\x1b[97;1:3u\x1b[12:3;u\x1b[13;1:3u")
        terminal.send(b"k")
        terminal.wait_for_log("key k")
        assert [line for line in terminal.log.splitlines() if line.startswith("key")][2:] == ["key k 'k'"]


class TestOutput:
    def test_modes_are_switched_on(self, terminal: Terminal) -> None:
        for code in ENTER_CODES:
            assert code in terminal.output, code
        attributes = termios.tcgetattr(terminal.slave)
        assert not attributes[3] & (termios.ECHO | termios.ICANON | termios.ISIG)

    def test_no_synchronised_output_unless_the_terminal_has_it(self, terminal: Terminal) -> None:
        terminal.send(b"k")
        terminal.wait_for_log("key k")
        assert b"\x1b[?2026h" not in terminal.output

    def test_frames_are_synchronised_where_the_terminal_can(self, terminal: Terminal) -> None:
        terminal.wait_for_output(b"\x1b[?2026$p")
        terminal.send(b"\x1b[?2026;2$y")
        terminal.send(b"f")
        terminal.wait_for_log("flooded")
        terminal.wait_for(lambda: b"the last frame" in terminal.output)
        terminal.read()
        frames = terminal.output.split(b"\x1b[?2026h")[1:]
        assert len(frames) > 5
        for frame in frames:
            body, mark, after = frame.partition(b"\x1b[?2026l")
            assert mark
            assert body.startswith(b"\x1b[")
            assert after == b""

    def test_a_terminal_that_does_not_read_stalls_nothing_and_then_gets_the_right_screen(
        self, make_terminal: Callable[..., Terminal]
    ) -> None:
        terminal = make_terminal().start()
        terminal.wait_for_log("started")
        terminal.send(b"f")
        terminal.wait_for_log("flooded True", reading=False)
        terminal.send(b"k")
        terminal.wait_for_log("key k", reading=False)
        terminal.wait_for(lambda: "the last frame" in terminal.screen())
        assert terminal.screen()[:3] == ["first line", "the last frame", ""]

    def test_a_terminal_that_does_not_read_does_not_prevent_the_exit(
        self, make_terminal: Callable[..., Terminal]
    ) -> None:
        terminal = make_terminal().start()
        terminal.wait_for_log("started")
        terminal.send(b"f")
        terminal.wait_for_log("flooded True", reading=False)
        terminal.send(b"q")
        assert terminal.wait_for_end(reading=False) == 0
        terminal.read()
        assert_restored(terminal)

    def test_errors_may_go_to_a_file(self, make_terminal: Callable[..., Terminal], tmp_path: Path) -> None:
        terminal = make_terminal()
        errors = tmp_path / "errors"
        terminal.start(["sh", "-c", f'exec "$@" 2>{errors}', "sh", *terminal.app_command])
        terminal.wait_for_output(b"ready")
        terminal.send(b"q")
        assert terminal.wait_for_end() == 0
        assert_restored(terminal)
        assert errors.read_bytes() == b""

    def test_the_size_is_that_of_the_terminal(self, make_terminal: Callable[..., Terminal]) -> None:
        terminal = make_terminal().start(COLUMNS="37", LINES="11")
        terminal.wait_for_log("started")
        terminal.send(b"k")
        terminal.wait_for_log("key k")
        sizes = {line for line in terminal.log.splitlines() if line.startswith("resize")}
        assert sizes == {"resize 80 24"}

    def test_the_new_size_is_told(self, terminal: Terminal) -> None:
        fcntl.ioctl(terminal.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        terminal.wait_for_log("resize 100 30")


class TestEnd:
    def test_quitting(self, terminal: Terminal) -> None:
        terminal.send(b"q")
        assert terminal.wait_for_end() == 0
        assert assert_restored(terminal) == b""

    def test_an_exception_in_a_handler(self, terminal: Terminal) -> None:
        terminal.send(b"x")
        assert terminal.wait_for_end() == 1
        assert b"raised on purpose" in assert_restored(terminal)

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
    def test_a_signal(self, terminal: Terminal, number: signal.Signals) -> None:
        terminal.signal(number)
        assert terminal.wait_for_end() == 128 + number
        assert f"ended {128 + number}" in terminal.log
        assert_restored(terminal)

    def test_a_signal_while_a_handler_hangs(self, terminal: Terminal) -> None:
        terminal.send(b"h")
        terminal.wait_for_log("hanging")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait_for_end() == 128 + signal.SIGTERM
        assert_restored(terminal)

    @pytest.mark.parametrize("controlling", [True, False])
    def test_a_closed_window(self, make_terminal: Callable[..., Terminal], controlling: bool) -> None:
        terminal = make_terminal(controlling=controlling).start()
        terminal.wait_for_log("started")
        terminal.read()
        terminal.hang_up()
        assert terminal.wait_for_end(reading=False) == 128 + signal.SIGHUP
        assert "ended 129" in terminal.log

    def test_waiting_costs_nothing(self, terminal: Terminal) -> None:
        assert terminal.process is not None
        tasks = Path(f"/proc/{terminal.process.pid}/task")
        if not tasks.exists():
            pytest.skip("needs /proc to count how often threads wake up")

        def wakes() -> int:
            text = "".join((task / "status").read_text() for task in tasks.iterdir())
            return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("voluntary"))

        terminal.read(0.5)
        before = wakes()
        time.sleep(1)
        assert wakes() - before <= 3


class TestSuspension:
    @pytest.fixture(params=["{}", "sh -c '{}; exit'"], ids=["direct", "wrapped"])
    def shell(
        self, make_terminal: Callable[..., Terminal], request: pytest.FixtureRequest
    ) -> Iterator[Terminal]:
        """The app, started from a shell with job control, also by way of another program."""
        terminal = make_terminal().start(["bash", "--norc", "--noprofile", "-i"], PS1="prompt> ")
        terminal.wait_for_output(b"prompt> ")
        terminal.send(request.param.format(" ".join(terminal.app_command)).encode() + b"\r")
        terminal.wait_for_log("started")
        terminal.wait_for_output(b"ready")
        yield terminal
        terminal.send(b"\rkill %1 2>/dev/null; exit\r")

    def at_prompt(self, terminal: Terminal, word: str) -> None:
        terminal.send(f"echo back-$((40+2))-{word}\r".encode())
        terminal.wait_for_output(f"back-42-{word}".encode())

    def fg(self, terminal: Terminal) -> bytes:
        length = len(terminal.output)
        resumed = terminal.log.count("resumed")
        terminal.send(b"fg\r")
        terminal.wait_for(lambda: terminal.log.count("resumed") > resumed)
        terminal.wait_for(lambda: b"ready" in terminal.output[length:])
        return terminal.output[length:]

    def test_to_the_shell_and_back(self, shell: Terminal) -> None:
        shell.send(b"z")
        shell.wait_for_output(b"Stopped")
        left = shell.output.partition(b"Stopped")[0]
        assert all(code in left for code in LEAVE_CODES)
        self.at_prompt(shell, "one")
        shell.send(b"stty -a; echo\r")
        shell.wait_for(lambda: re.search(rb"[^-]icanon.*[^-]echo ", shell.output, re.DOTALL) is not None)
        after = self.fg(shell)
        assert all(code in after for code in ENTER_CODES)
        assert [line for line in shell.screen() if line] == ["first line", "ready"]
        shell.send(b"\x1b\r")
        shell.wait_for_log("key alt+enter")
        shell.send(b"q")
        shell.wait_for_log("ended")
        self.at_prompt(shell, "two")

    def test_an_interrupt_while_suspended_kills_nothing(self, shell: Terminal) -> None:
        shell.send(b"z")
        shell.wait_for_output(b"Stopped")
        shell.send(b"kill -INT %1\r")
        self.at_prompt(shell, "one")
        self.fg(shell)
        shell.send(b"k")
        shell.wait_for_log("key k")

    def test_in_the_background_it_stays_stopped(self, shell: Terminal) -> None:
        shell.send(b"z")
        shell.wait_for_output(b"Stopped")
        shell.send(b"bg\r")
        self.at_prompt(shell, "one")
        shell.read(0.3)
        assert b"\x1b[?1049h" not in shell.output.rpartition(b"Stopped")[2]
        self.fg(shell)
        shell.send(b"k")
        shell.wait_for_log("key k")

    def test_a_stop_from_outside_without_a_shell_does_not_freeze(self, terminal: Terminal) -> None:
        terminal.signal(signal.SIGTSTP)
        terminal.wait_for_log("resumed")
        terminal.send(b"k")
        terminal.wait_for_log("key k")

    def test_after_a_forced_stop_all_is_set_again(self, terminal: Terminal) -> None:
        length = len(terminal.output)
        terminal.signal(signal.SIGSTOP)
        termios.tcsetattr(terminal.slave, termios.TCSANOW, terminal.attributes)
        terminal.signal(signal.SIGCONT)
        terminal.wait_for_log("resumed")
        terminal.wait_for(lambda: b"ready" in terminal.output[length:])
        assert all(code in terminal.output[length:] for code in ENTER_CODES)
        assert not termios.tcgetattr(terminal.slave)[3] & termios.ICANON

    def test_another_program_gets_the_terminal_and_gives_it_back(self, terminal: Terminal) -> None:
        terminal.send(b"e")
        terminal.wait_for_output(b"\x1b[?1049l")
        terminal.wait_for(lambda: bool(termios.tcgetattr(terminal.slave)[3] & termios.ICANON))
        length = len(terminal.output)
        terminal.signal(signal.SIGINT)  # as Ctrl+C would send to the whole job
        terminal.send(b"some words\r")
        terminal.wait_for_log("lent")
        assert "got some words" in terminal.log
        assert " icanon" in terminal.log
        terminal.wait_for(lambda: b"ready" in terminal.output[length:])
        terminal.send(b"\x1b\r")
        terminal.wait_for_log("key alt+enter")
        terminal.send(b"q")
        assert terminal.wait_for_end() == 0
        assert_restored(terminal)


class TestTmux:
    @pytest.fixture
    def tmux(self, tmp_path: Path) -> Iterator[Callable[..., str]]:
        if shutil.which("tmux") is None:
            pytest.skip("tmux is not installed")
        server = f"pi-term-driver-{uuid.uuid4().hex[:8]}"

        def run(*arguments: str) -> str:
            command = ["tmux", "-L", server, "-f", "/dev/null", *arguments]
            environ = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(Path(__file__).parents[3])}
            return subprocess.run(command, check=True, capture_output=True, text=True, env=environ).stdout

        yield run
        run("kill-server")

    @pytest.mark.parametrize(
        ("extended", "pressed", "arrives"),
        [
            ("off", "M-Enter", "alt+enter"),
            ("off", "M-b", "alt+b"),
            ("off", "Escape", "escape"),
            ("off", "M-Left", "alt+left"),
            ("on", "M-Enter", "alt+enter"),
            ("on", "S-Enter", "shift+enter"),
            ("on", "C-Enter", "ctrl+enter"),
        ],
    )
    def test_keys_arrive(
        self,
        tmux: Callable[..., str],
        make_terminal: Callable[..., Terminal],
        extended: str,
        pressed: str,
        arrives: str,
    ) -> None:
        terminal = make_terminal()
        tmux("new-session", "-d", "-x", "80", "-y", "24", "sleep 60")
        tmux("set", "-s", "extended-keys", extended)
        tmux("respawn-pane", "-k", " ".join(terminal.app_command))
        terminal.wait_for_log("started", reading=False)
        tmux("send-keys", pressed)
        terminal.wait_for_log(f"key {arrives} ", reading=False)
        tmux("send-keys", "k")
        terminal.wait_for_log("key k", reading=False)
        assert terminal.log.count("key") == 2


async def test_headless_apps_do_not_meet_the_driver() -> None:
    app: App[None] = App(driver_class=PiDriver)
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGTSTP)}
    async with app.run_test():
        assert isinstance(app._driver, HeadlessDriver)
    assert before == {number: signal.getsignal(number) for number in before}


def test_the_package_is_light_until_the_driver_is_wanted() -> None:
    code = "import sys, pi_term.tui.driver; print('textual' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
