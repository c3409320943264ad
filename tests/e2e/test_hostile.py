"""The real program under attack: what it is given is hostile or broken."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pi_term.testing.terminal import TerminalProgram

PROGRAM = [sys.executable, "-m", "pi_term.cli.main"]
READY = "Ask, or tell what to do"
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
