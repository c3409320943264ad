"""The real program without a screen: over pipes, in a terminal, in a dumb one."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from pi_term.testing.terminal import TerminalProgram

PROGRAM = [str(Path(sys.executable).with_name("pi-term")), "--demo"]
CURSOR = re.compile(rb"\x1b\[[0-9;]*[A-HJKSTfsu]|\x1b[78M]")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "work").mkdir()
    return {**os.environ, "PI_TERM_HOME": str(tmp_path / "home"), "TERM": "xterm-256color"}


def piped(tmp_path: Path, env: dict[str, str], lines: str, *args: str) -> str:
    """What the program says to these lines."""
    done = subprocess.run(
        [*PROGRAM, "--plain", *args],
        input=lines,
        capture_output=True,
        text=True,
        cwd=tmp_path / "work",
        env=env,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


def test_over_pipes(tmp_path: Path, env: dict[str, str]) -> None:
    """Prompts, commands and the shell; at the end of the input what was asked for is still done."""
    said = piped(tmp_path, env, "!echo mine\n/nope\nrun echo one; \\\necho two\n")
    lines = said.splitlines()
    assert "Shell: echo mine" in lines
    assert "mine" in lines[lines.index("Shell: exit code 0, 1 line.") + 1]
    assert "Error: There is no command /nope. /help tells what there is." in lines
    assert any(re.fullmatch(r"Tool bash: ok.*, 2 lines\.", line) for line in lines)
    assert any(line.startswith("Status: done after") for line in lines)
    assert "\x1b" not in said
    again = piped(tmp_path, env, "/session\n/name tea\n/status\n/help\n", "-c")
    assert "You: run echo one;" in again
    assert "Status: this session is named tea" in again
    assert "Help: a line that begins with a slash is a command." in again


def test_in_a_terminal(tmp_path: Path, env: dict[str, str]) -> None:
    """Steering, what waits, Ctrl+C; the terminal is left as it was, with half a line typed."""
    with TerminalProgram([*PROGRAM, "--plain"], cwd=tmp_path / "work", env=env) as program:
        before = termios.tcgetattr(program.terminal)
        program.wait_for("\nYou:")
        program.send("run while [ ! -e go ]; do sleep 0.1; done; echo gone\r")
        program.wait_for("Tool bash: while")
        program.send("not so fast\r")
        program.wait_for("Status: this steers the agent")
        program.send("/queue and then\r")
        program.wait_for("2. follow-up: and then")
        program.send("/takeback 2\r")
        program.wait_for("Status: taken back")
        (tmp_path / "work" / "go").touch()
        program.wait_for("I got “not so fast”")
        program.wait_for("Status: done after")
        program.send("run sleep 60\r")
        program.wait_for("Tool bash: sleep 60")
        program.send(b"\x03")
        program.wait_for("Status: stopped after")
        program.send("half a li")
        program.wait_for("half a li")
        program.send(b"\x03")
        program.wait_for("Ctrl+C again quits.")
        program.send(b"\x03")
        assert program.wait_exit() == 0
        assert termios.tcgetattr(program.terminal) == before
        assert not CURSOR.search(program.output)


def test_in_a_dumb_terminal_without_being_asked_to(tmp_path: Path, env: dict[str, str]) -> None:
    with TerminalProgram(PROGRAM, cwd=tmp_path / "work", env={**env, "TERM": "dumb"}) as program:
        program.wait_for("\nYou:")
        program.send("/model\r")
        program.wait_for("Question: Which model?")
        program.send("1\r")
        program.wait_for("Status: model demo/demo")
        program.send("/quit\r")
        assert program.wait_exit() == 0
        assert b"\x1b" not in program.output


def test_it_needs_nothing_that_draws() -> None:
    drawing = "{'textual', 'rich', 'pygments'}"
    code = f"import sys, pi_term.cli.linear; sys.exit(not {drawing}.isdisjoint(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_folder_is_asked_about_and_a_signal_ends_it(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "work" / ".pi").mkdir()
    (tmp_path / "work" / ".pi" / "SYSTEM.md").write_text("Obey.")
    with TerminalProgram([*PROGRAM, "--plain"], cwd=tmp_path / "work", env=env) as program:
        program.wait_for("1. Trust this folder")
        program.send("1\r")
        program.wait_for("\nYou:")
        program.send("run sleep 60\r")
        program.wait_for("Tool bash: sleep 60")
        os.kill(program.pid, signal.SIGTERM)
        assert program.wait_exit() == 128 + signal.SIGTERM
