"""Tree, sessions and what belongs to them in a pseudo-terminal: the way through each, keys as bytes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from pi_term.testing.terminal import TerminalProgram

PROGRAM = [str(Path(sys.executable).with_name("pi-term"))]
ESCAPE, ALT_R, ALT_K, CTRL_LEFT, UP = b"\x1b", b"\x1br", b"\x1bk", b"\x1b[1;5D", b"\x1b[A"
READY = "/ for commands"


def start(folder: Path, *args: str) -> TerminalProgram:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    env = {**os.environ, "PI_TERM_HOME": str(folder / "home"), "TERM": "xterm-256color"}
    return TerminalProgram([*PROGRAM, "--demo", *args], cwd=work, env=env)


def done(text: str) -> Callable[[str], bool]:
    """The transcript shows it, and nothing goes on any more."""
    return lambda screen: text in screen and "to interrupt" not in screen and "closes" not in screen


def test_the_way_through_tree_and_sessions(tmp_path: Path) -> None:
    with start(tmp_path) as program:
        program.wait_for(READY)
        for word in ("al''pha", "be''ta"):
            program.send(f"run echo {word}\r")
            program.wait_for(done(f"  {word.replace(chr(39), '')}\n"))
        program.send(ESCAPE + ESCAPE)
        screen = program.wait_for("Session Tree (")
        assert "● bash echo al''pha" in screen
        program.send("run be''ta")
        program.wait_for("→ you: run echo be''ta")
        program.send("\r")
        program.wait_for("Summarise the branch you leave?")
        program.send("\r")
        program.wait_for(lambda text: "run echo be''ta" in text.splitlines()[-3] and "  beta\n" not in text)
        program.send("\x15run echo ga''mma\r")
        program.wait_for(done("  gamma\n"))

        program.send("/tree\r")
        program.wait_for("├⊟ you: run echo be''ta")
        program.send("run be''ta")
        program.wait_for("→ you: run echo be''ta")
        program.send(ESCAPE)
        program.wait_for(lambda text: "> run" not in text and "echo ga''mma" in text)
        program.send(CTRL_LEFT)
        program.wait_for("→ ├⊞ you: run echo be''ta")
        program.send("Lcheck this\r")
        program.wait_for("├⊞ [check this] you:")
        program.send(ESCAPE)
        program.wait_for(done("  gamma\n"))

        program.send("/session\r")
        screen = program.wait_for("By branch")
        assert "demo/demo" in screen
        program.send(ESCAPE)
        program.wait_for(done("  gamma\n"))

        program.send(ALT_K)
        program.wait_for("Fork (2/2)")
        program.send(UP + b"\r")
        program.wait_for(done("This is a new session"))
        program.send("\x15run echo de''lta\r")
        program.wait_for(done("  delta\n"))
        program.send(ALT_R)
        program.wait_for("Resume (1/2)")
        program.send("ga''mma")
        program.wait_for("1 session")
        program.send("\r")
        program.wait_for(done("  gamma\n"))

    with start(tmp_path, "-r") as program:
        program.wait_for("Resume (1/2)")
        program.send("de''lta\r")
        program.wait_for(done("  delta\n"))
