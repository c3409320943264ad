"""The installed program in a terminal: first picture, title, the queue by keys, a storm of resizes."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import sys
import termios
from pathlib import Path

from pi_term.testing.terminal import TerminalProgram

PROGRAM = [str(Path(sys.executable).with_name("pi-term")), "--demo"]
ALT_E, ALT_UP, ALT_ENTER, DOWN = b"\x1be", b"\x1b[1;3A", b"\x1b\r", b"\x1b[B"
KITTY_ALT_E, KITTY_ESCAPE = b"\x1b[101;3u", b"\x1b[27u"


def start(folder: Path, **more: str) -> TerminalProgram:
    (folder / "work").mkdir(exist_ok=True)
    env = {**os.environ, "PI_TERM_HOME": str(folder / "home"), "TERM": "xterm-256color", **more}
    return TerminalProgram(PROGRAM, cwd=folder / "work", env=env)


def resize(program: TerminalProgram, columns: int) -> None:
    fcntl.ioctl(program.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    os.kill(program.pid, signal.SIGWINCH)


def test_the_first_picture_and_the_title(tmp_path: Path) -> None:
    """The right offer at once; the title of the shell is kept for it."""
    with start(tmp_path, PI_PROGRAM_STATUS="1") as program:
        program.wait_for("Type tour, or help.")
        assert b"Ask, or tell" not in program.output
        program.send("run echo hi\r")
        program.wait_for("bash is done")
        program.wait_for(lambda _: b"state=done:app=pi-term" in program.output)
        program.send("/quit\r")
        assert program.wait_exit() == 0
    title = b"\x1b]0;pi-term - work\x07"
    assert b"\x1b[22;0t" + title in program.output
    assert "\x1b]0;● pi-term - work\x07".encode() in program.output
    assert b"state=working:app=pi-term" in program.output
    end = program.output[program.output.rindex(title) :]
    assert b"\x1b]7501;state=clear\x1b\\" in end
    assert b"\x1b[23;0t" in end


def test_the_queue_is_edited_in_a_terminal(tmp_path: Path) -> None:
    """By the bytes of legacy terminals and of those with the Kitty protocol."""
    with start(tmp_path) as program:
        program.wait_for("/ for commands")
        program.send("run while [ ! -e go ]; do sleep 0.1; done\r")
        program.wait_for("bash")
        program.send("one\r")
        program.wait_for("steer: one")
        program.send(b"two" + ALT_ENTER)
        program.wait_for("follow-up: two")
        program.send(ALT_E)
        program.wait_for("→ steer: one")
        program.send(DOWN)
        program.wait_for("→ follow-up: two")
        program.send(ALT_UP)
        program.wait_for("→ steer: two")
        program.send(KITTY_ESCAPE)
        program.wait_for(lambda text: "Held until" not in text)
        program.send(KITTY_ALT_E)
        program.wait_for("→ steer: two")
        program.send("\r")
        program.wait_for("Waiting steer")
        program.send("!\r")
        program.wait_for("→ steer: two!")
        (tmp_path / "work" / "go").touch()
        program.wait_for(lambda text: "to interrupt" not in text and "steer: two!" in text)
        program.send(KITTY_ESCAPE)
        program.wait_for("I got “two!”")


def test_a_storm_of_resizes_ends_with_the_right_picture(tmp_path: Path) -> None:
    with start(tmp_path) as program:
        program.wait_for("/ for commands")
        program.send("markdown\r")
        program.wait_for("The end.")
        for columns in [*range(40, 240, 20), *range(239, 99, -20)]:
            resize(program, columns)
            program.text()
        resize(program, 100)
        program.send("after the storm")
        program.wait_for(lambda text: "\n after the storm" in text and "─" * 100 in text)
        assert all(len(row) <= 100 for row in program.text().splitlines())


def test_what_waits_when_the_program_is_ended_is_not_lost(tmp_path: Path) -> None:
    """The queue comes back in front of the draft when the next program starts."""
    with start(tmp_path) as program:
        program.wait_for("/ for commands")
        program.send("run sleep 60\r")
        program.wait_for("bash")
        program.send("steer me\r")
        program.wait_for("steer: steer me")
        program.send(b"and then this" + ALT_ENTER)
        program.wait_for("follow-up: and then this")
        program.send("half a draft")
        program.wait_for("half a draft")
        os.kill(program.pid, signal.SIGTERM)
        assert program.wait_exit() == 128 + signal.SIGTERM
    with start(tmp_path) as program:
        screen = program.wait_for("half a draft")
        assert screen.index("steer me") < screen.index("and then this") < screen.index("half a draft")
