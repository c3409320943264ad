"""Commands of the model in the running program: floods, questions, and a keyboard that stays the user's."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from pi_term.testing.terminal import TerminalProgram

PROGRAM = [str(Path(sys.executable).with_name("pi-term")), "--demo"]
MEGABYTE = 1024 * 1024


@pytest.fixture
def program(tmp_path: Path) -> Iterator[TerminalProgram]:
    work = tmp_path / "work"
    work.mkdir()
    env = {**os.environ, "PI_TERM_HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}
    with TerminalProgram(PROGRAM, cwd=work, env=env) as running:
        running.wait_for("/ for commands")
        yield running
    for output in tmp_path.glob("pi-term-bash-*.log"):
        output.unlink()  # hundreds of megabytes


def idle_with(text: str) -> Callable[[str], bool]:
    return lambda screen: text in screen and "to interrupt" not in screen


def editor(screen: str) -> str:
    """What is written in the editor: what stands between the last two rules."""
    rows = screen.splitlines()
    rules = [number for number, row in enumerate(rows) if row.startswith("─" * 40)]
    return "\n".join(rows[rules[-2] + 1 : rules[-1]]).strip() if len(rules) > 1 else ""


def test_b014_a_flood_takes_little_memory_and_keys_are_answered(
    program: TerminalProgram, tmp_path: Path
) -> None:
    process = psutil.Process(program.pid)
    idle = process.memory_info().rss
    program.send("run yes 'some long line of text' | head -c 400000000; touch flooded\r")
    program.wait_for("Full output:")
    assert not (tmp_path / "work/flooded").exists()
    program.send("typed meanwhile")
    program.wait_for(lambda screen: editor(screen) == "typed meanwhile")
    assert not (tmp_path / "work/flooded").exists()
    program.wait_for(idle_with("earlier lines"))
    assert (tmp_path / "work/flooded").exists()
    assert process.memory_info().rss - idle < 200 * MEGABYTE
    assert editor(program.text()) == "typed meanwhile"


def test_b016_commands_that_ask_leave_the_keyboard_to_the_user(program: TerminalProgram) -> None:
    asking = ["cat", "read -r x; echo got:$x", f"{sys.executable} -c 'input()'", "sh -c 'read x </dev/tty'"]
    draw = "printf '\\033[2J\\033[Hdrawn' >/dev/tty"
    program.send(f"run {'; '.join([*asking, draw])}; while [ ! -e go ]; do sleep 0.1; done; echo all done\r")
    program.wait_for("cannot open /dev/tty")
    program.send("these are mine")
    screen = program.wait_for(lambda screen: editor(screen) == "these are mine")
    assert "to interrupt" in screen
    program.send("\r")  # steers: no command has taken it
    program.wait_for("these are mine")
    program.send("\x1b")
    screen = program.wait_for(lambda screen: "to interrupt" not in screen)
    assert "● bash" in screen
    assert not any(row.startswith("drawn") for row in screen.splitlines())
