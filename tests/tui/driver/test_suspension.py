"""Suspension to the shell and to other programs (a real shell, from outside)."""

from __future__ import annotations

import re
import signal
import termios
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.tui.driver.conftest import Terminal


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

    def fg(self, terminal: Terminal) -> int:
        """Continue; where in the output that was."""
        length = len(terminal.output)
        resumed = terminal.log.count("resumed")
        terminal.send(b"fg\r")
        terminal.wait_for(lambda: terminal.log.count("resumed") > resumed)
        terminal.wait_for(lambda: b"ready" in terminal.output[length:])
        return length

    def test_to_the_shell_and_back(self, shell: Terminal) -> None:
        shell.send(b"z")
        shell.wait_for_output(b"Stopped")
        assert shell.output.rfind(b"\x1b[?1049l") > shell.output.rfind(b"\x1b[?1049h")
        assert shell.output.rfind(b"\x1b[?1003l") > shell.output.rfind(b"\x1b[?1003h")
        self.at_prompt(shell, "one")
        shell.send(b"stty -a; echo\r")
        shell.wait_for(lambda: re.search(rb"[^-]icanon.*[^-]echo ", shell.output, re.DOTALL) is not None)
        shell.assert_modes_on(after=self.fg(shell))
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

    def test_started_in_the_background_it_waits_for_the_foreground(
        self, make_terminal: Callable[..., Terminal]
    ) -> None:
        terminal = make_terminal().start(["bash", "--norc", "--noprofile", "-i"], PS1="prompt> ")
        terminal.send(" ".join(terminal.app_command).encode() + b" &\r")

        def is_stopped() -> bool:
            terminal.send(b"jobs\r")
            return b"Stopped" in terminal.output

        terminal.wait_for(is_stopped)
        assert b"\x1b[?1049h" not in terminal.output
        terminal.send(b"fg\r")
        terminal.wait_for_output(b"ready")
        terminal.send(b"q")
        terminal.wait_for_log("ended 0")

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
        terminal.assert_modes_on(after=length)
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
        terminal.assert_restored()
