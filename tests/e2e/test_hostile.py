"""The real program under attack: what it is given is hostile or broken."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from pi_term.testing.terminal import TerminalProgram

PROGRAM = [sys.executable, "-m", "pi_term.cli.main"]
ATTACK = "x[/bold]\x1b]0;title\x07\x1b[2J\u202e"


def start(folder: Path, *args: str) -> TerminalProgram:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    return TerminalProgram([*PROGRAM, *args], cwd=work, env=dict(os.environ))


def test_the_reason_for_not_starting_is_inert(tmp_path: Path) -> None:
    """B-052."""
    with start(tmp_path, "--demo", "--session", ATTACK) as program:
        assert program.wait_exit() == 1
        last_words = program.output.rpartition(b"\x1b[?25h")[2]
    assert b"x[/bold]" in last_words
    assert b"\x1b" not in last_words


def test_what_could_not_be_written_is_told_at_the_end(tmp_path: Path) -> None:
    """B-031: whoever quits while the disk does not take the session learns that its end is lost."""
    (tmp_path / "no-folder").write_text("")
    with start(tmp_path, "--demo", "--session-dir", str(tmp_path / "no-folder")) as program:
        program.wait_for("/ for commands")
        program.send("run echo hello\r")
        program.wait_for("Cannot write the session file")
        program.wait_for("bash is done")
        program.send("/quit\r")
        assert program.wait_exit() == 0
        last_words = program.output.rpartition(b"\x1b[?25h")[2]
    assert b"The end of this session is lost" in last_words
    assert b"pi-term -c" not in last_words


def test_impatient_signals_leave_no_command_behind(tmp_path: Path) -> None:
    """B-088: a terminal that goes away and a session manager both ask for the end."""
    with start(tmp_path, "--demo") as program:
        program.wait_for("/ for commands")
        program.send("run echo $$ >pid; echo going; exec sleep 300\r")
        program.wait_for("\n  going\n")
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGTERM, signal.SIGINT):
            os.kill(program.pid, number)
            time.sleep(0.02)
        assert program.wait_exit() == 128 + signal.SIGHUP
    command = int((tmp_path / "work" / "pid").read_text())
    assert not Path(f"/proc/{command}").exists()
