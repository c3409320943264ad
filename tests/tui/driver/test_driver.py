"""`PiDriver` end to end: an app in a pseudo-terminal, whose bytes are looked at from outside."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from textual.app import App
from textual.drivers.headless_driver import HeadlessDriver

from pi_term.tui.driver import PiDriver

if TYPE_CHECKING:
    from tests.tui.driver.conftest import Terminal


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

    @pytest.mark.parametrize(
        ("sent", "logged"),
        [
            (b"ab\rc", ["a", "b", "enter", "c"]),
            # Several lines may have been pasted: none of them is sent by itself.
            (b"a\rb\r", ["a", "ctrl+j", "b", "ctrl+j"]),
        ],
    )
    def test_of_the_first_moments_arrive_too(
        self, make_terminal: Callable[..., Terminal], sent: bytes, logged: list[str]
    ) -> None:
        terminal = make_terminal()
        terminal.send(sent)
        terminal.start()
        terminal.wait_for_log("started")
        terminal.send(b"k")
        terminal.wait_for_log("key k")
        keys = [line.split()[1] for line in terminal.log.splitlines() if line.startswith("key")]
        assert keys == [*logged, "k"]

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
        terminal.assert_modes_on()
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
        terminal.assert_restored()

    def test_errors_may_go_to_a_file(self, make_terminal: Callable[..., Terminal], tmp_path: Path) -> None:
        terminal = make_terminal()
        errors = tmp_path / "errors"
        terminal.start(["sh", "-c", f'exec "$@" 2>{errors}', "sh", *terminal.app_command])
        terminal.wait_for_output(b"ready")
        terminal.send(b"q")
        assert terminal.wait_for_end() == 0
        terminal.assert_restored()
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
        assert terminal.assert_restored() == b""

    def test_an_exception_in_a_handler(self, terminal: Terminal) -> None:
        terminal.send(b"x")
        assert terminal.wait_for_end() == 1
        assert b"raised on purpose" in terminal.assert_restored()

    @pytest.mark.parametrize(("key", "code"), [(b"s", 3), (b"i", 130)])
    def test_an_exception_that_textual_does_not_handle(
        self, terminal: Terminal, key: bytes, code: int
    ) -> None:
        terminal.send(key)
        assert terminal.wait_for_end() in (code, -signal.SIGINT)
        terminal.assert_restored()

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
    def test_a_signal(self, terminal: Terminal, number: signal.Signals) -> None:
        terminal.signal(number)
        assert terminal.wait_for_end() == 128 + number
        assert f"ended {128 + number}" in terminal.log
        terminal.assert_restored()

    def test_a_signal_while_a_handler_hangs(self, terminal: Terminal) -> None:
        terminal.send(b"h")
        terminal.wait_for_log("hanging")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait_for_end() == 128 + signal.SIGTERM
        terminal.assert_restored()

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
