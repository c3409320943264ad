"""The installed program in a pseudo-terminal: keys as bytes, the screen as a person sees it."""

from __future__ import annotations

import json
import os
import signal
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_term.testing.terminal import TerminalProgram

PROGRAM = [str(Path(sys.executable).with_name("pi-term"))]
ALT_ENTER, ESCAPE, CTRL_C, ALT_UP = b"\x1b\r", b"\x1b", b"\x03", b"\x1b\x1b[A"
READY = "/ for commands"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def program(tmp_path: Path, home: Path) -> Iterator[TerminalProgram]:
    with start(tmp_path, home) as running:
        running.wait_for(READY)
        yield running


def start(folder: Path, home: Path, *args: str) -> TerminalProgram:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    env = {**os.environ, "PI_TERM_HOME": str(home)}
    return TerminalProgram([*PROGRAM, "--demo", *args], cwd=work, env=env)


def idle_with(text: str) -> Callable[[str], bool]:
    """The screen shows the text, and nothing goes on any more."""
    return lambda screen: text in screen and "to interrupt" not in screen


def messages(home: Path) -> list[dict[str, Any]]:
    (file,) = (home / "sessions").glob("*/*.jsonl")
    entries = [json.loads(line) for line in file.read_text().splitlines()]
    return [entry["message"] for entry in entries if entry["type"] == "message"]


def said(home: Path) -> list[str]:
    return [m["content"][0]["text"] for m in messages(home) if m["role"] == "user"]


def test_a_command_is_steered_and_followed_up(program: TerminalProgram, home: Path) -> None:
    """The main job: type, steer while a tool runs, queue a follow-up, and find it all on disk."""
    program.send("run while [ ! -e go ]; do sleep 0.1; done; echo finished\r")
    program.wait_for("running")
    program.send("not so fast\r")
    program.send(b"and then think" + ALT_ENTER)
    screen = program.wait_for("follow-up: and then think")
    assert "steer: not so fast" in screen
    (home.parent / "work" / "go").touch()
    program.wait_for(idle_with("I got “and then think”"))
    assert [message["role"] for message in messages(home)] == [
        "system", "user", "assistant", "toolResult", "user", "assistant", "user", "assistant",
    ]  # fmt: skip
    assert said(home)[1:] == ["not so fast", "and then think"]
    results = [m for m in messages(home) if m["role"] == "toolResult"]
    assert results[0]["content"][0]["text"] == "finished\n"


def test_the_tour(program: TerminalProgram, home: Path) -> None:
    program.send("tour\r")
    program.wait_for("check 1: Hello, Ada!")
    program.send("what is this?\r")
    program.wait_for("You steered me: “what is this?”")
    program.wait_for("That was the tour.")
    tools = [message["toolName"] for message in messages(home) if message["role"] == "toolResult"]
    assert tools == ["write", "write", "read", "edit", "bash"]
    greet = home.parent / "work" / "pi-term-demo" / "greet.py"
    assert 'f"Hello, {name}!"' in greet.read_text()


def test_escape_stops_the_command_and_brings_the_queue_back(program: TerminalProgram, home: Path) -> None:
    work = home.parent / "work"
    program.send("run echo started; sleep 60; touch survived\r")
    program.wait_for("\n  started\n")  # of the row, not of what is typed
    program.send("queued words\r")
    program.wait_for("steer: queued words")
    program.send(ESCAPE)
    screen = program.wait_for("Interrupted.")
    assert "steer:" not in screen
    assert "queued words" in screen
    assert not (work / "survived").exists()
    assert messages(home)[-1]["stopReason"] == "aborted"
    assert said(home) == ["run echo started; sleep 60; touch survived"]


def test_queued_messages_are_taken_back(program: TerminalProgram) -> None:
    program.send("run sleep 60\r")
    program.wait_for("running")
    program.send(b"later" + ALT_ENTER)
    program.wait_for("follow-up: later")
    program.send(ALT_UP)
    program.wait_for(lambda text: "follow-up:" not in text and "\n later" in text)


def test_the_session_goes_on_after_a_restart(program: TerminalProgram, tmp_path: Path, home: Path) -> None:
    program.send("write notes.txt: remember\r")
    program.wait_for(idle_with("write is done"))
    os.kill(program.pid, signal.SIGKILL)
    assert program.wait_exit() == -signal.SIGKILL
    with start(tmp_path, home, "-c") as again:
        again.wait_for("write is done")
        again.send("read notes.txt\r")
        again.wait_for("read is done")
    assert said(home) == ["write notes.txt: remember", "read notes.txt"]


def test_keys_typed_before_the_program_is_ready_arrive(tmp_path: Path, home: Path) -> None:
    with start(tmp_path, home) as program:
        program.wait_for("pi-term")
        for char in "run echo early":
            program.send(char)
        program.send("\r")
        program.wait_for("bash is done")
    assert said(home) == ["run echo early"]


def test_ctrl_c_twice_quits_and_leaves_the_terminal_as_it_was(program: TerminalProgram) -> None:
    program.send("draft")
    program.wait_for("\n draft")
    program.send(CTRL_C)
    program.wait_for(READY)
    program.send(CTRL_C)
    program.wait_for("again to quit")
    program.send(CTRL_C)
    assert program.wait_exit() == 0
    for reset in (b"\x1b[?1049l", b"\x1b[?2004l", b"\x1b[?1000l", b"\x1b[?25h"):
        assert reset in program.output[-2000:]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_program_and_restores_the_terminal(
    program: TerminalProgram, home: Path, number: signal.Signals
) -> None:
    """B-055."""
    program.send("run echo going; sleep 60\r")
    program.wait_for("\n  going\n")
    os.kill(program.pid, number)
    assert program.wait_exit() == 128 + number
    assert b"\x1b[?1049l" in program.output[-2000:]
    assert [message["role"] for message in messages(home)][:3] == ["system", "user", "assistant"]


def test_new_begins_another_session(program: TerminalProgram, home: Path) -> None:
    program.send("think\r")
    program.wait_for("Done thinking.")
    program.send("/new\r")
    program.wait_for(lambda text: "Done thinking." not in text and "enter sends" in text)
    program.send("run echo fresh\r")
    program.wait_for("bash is done")
    assert len(list((home / "sessions").glob("*/*.jsonl"))) == 2


def test_an_unknown_command_is_not_sent(program: TerminalProgram, home: Path) -> None:
    program.send("/modle\r")
    program.wait_for("Did you mean /model?")
    assert not list((home / "sessions").glob("*/*.jsonl"))


def test_quit_leaves_with_zero(program: TerminalProgram) -> None:
    program.send("/quit\r")
    assert program.wait_exit() == 0


def test_what_cannot_begin_is_told_after_the_screen_is_restored(tmp_path: Path, home: Path) -> None:
    with start(tmp_path, home, "--session", "no-such-session") as program:
        assert program.wait_exit() == 1
        assert "no-such-session" in program.text()


def test_escape_codes_and_markup_of_a_tool_are_inert(program: TerminalProgram, tmp_path: Path) -> None:
    """B-051, B-052: letter for letter, and nothing acts on the terminal."""
    attack = "\x1b]52;c;aGk=\x07\x1b]0;title\x07\x1b[2J\x1b[6n[/bold] [red]x[/red] \x9b2J end"
    (tmp_path / "work" / "evil.txt").write_text(attack)
    program.send("run cat evil.txt; cat evil.txt >&2\r")
    program.wait_for("bash is done")
    screen = program.wait_for("[/bold] [red]x[/red]  end")
    assert "cat evil.txt" in screen
    for sequence in (b"]52;c;aGk=", b"]0;title", b"\x1b[6n"):
        assert sequence not in program.output


def test_the_terminal_is_raw_only_while_it_runs(tmp_path: Path, home: Path) -> None:
    with start(tmp_path, home) as program:
        before = termios.tcgetattr(program.terminal)
        program.wait_for(READY)
        during = termios.tcgetattr(program.terminal)
        program.send(b"\x04")
        assert program.wait_exit() == 0
        after = termios.tcgetattr(program.terminal)
    assert during[3] & termios.ICANON == 0
    assert after == before
