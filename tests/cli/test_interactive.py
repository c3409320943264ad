"""What the command line gives to the full-screen program."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from PIL import Image

from pi_term.coding.tools.bash.output import FILE_PREFIX, FILE_SUFFIX
from pi_term.testing.terminal import TerminalProgram

PROGRAM = [sys.executable, "-m", "pi_term", "--demo"]


class Desk:
    """A working folder, and the program on a terminal in it."""

    def __init__(self, folder: Path) -> None:
        self.home, self.work, self.tmp = folder / "home", folder / "work", folder / "tmp"
        (self.home / "prompts").mkdir(parents=True)
        self.work.mkdir()
        self.tmp.mkdir()
        (self.home / "prompts" / "greet.md").write_text("run echo hello ${1:-you}")

    def start(self, *args: str) -> TerminalProgram:
        env = {**os.environ, "PI_TERM_HOME": str(self.home), "TMPDIR": str(self.tmp)}
        return TerminalProgram([*PROGRAM, *args], cwd=self.work, env=env)

    def said(self) -> list[list[str]]:
        """The kinds and texts of what the user sent, of all sessions by their age."""
        lines = [
            json.loads(line)
            for file in sorted(self.home.glob("sessions/*/*.jsonl"))
            for line in file.read_text().splitlines()
        ]
        users = [each["message"] for each in lines if each.get("message", {}).get("role") == "user"]
        return [[part.get("text", part["type"]) for part in user["content"]] for user in users]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_files_images_and_messages_are_sent(desk: Desk) -> None:
    Image.new("RGB", (4, 3)).save(desk.work / "pic.png")
    (desk.work / "a.txt").write_text("text of a")
    with desk.start("@a.txt", "@pic.png", "look", "/greet folks") as terminal:
        terminal.wait_for("hello folks")
        terminal.wait_for(lambda screen: "to interrupt" not in screen)
    told = f'<file name="{desk.work}/a.txt">\ntext of a\n</file>\n<file name="{desk.work}/pic.png"></file>\n'
    assert desk.said() == [[f"{told}look", "image"], ["run echo hello folks"]]


def test_what_commands_printed_long_ago_is_cleared_away(desk: Desk) -> None:
    old, new = desk.tmp / f"{FILE_PREFIX}old{FILE_SUFFIX}", desk.tmp / f"{FILE_PREFIX}new{FILE_SUFFIX}"
    for path in (old, new):
        path.write_text("output")
    os.utime(old, (1, 1))
    with desk.start() as terminal:
        terminal.wait_for(lambda screen: not old.exists())
    assert new.exists()


def test_a_template_is_called_at_the_prompt(desk: Desk) -> None:
    with desk.start() as terminal:
        terminal.wait_for("Type tour")
        terminal.send("/greet folks\r")
        terminal.wait_for("hello folks")
        terminal.send("/gret folks\r")
        terminal.wait_for("There is no command /gret")


def test_a_session_is_chosen_before_the_messages_are_sent(desk: Desk) -> None:
    for name in ("apple", "pear"):
        with desk.start("--name", f"Session {name}", f"run echo {name}") as terminal:
            terminal.wait_for(lambda screen, name=name: f"\n{name}" in screen.replace(" ", ""))
            terminal.wait_for(lambda screen: "to interrupt" not in screen)
    with desk.start("-r", "run echo three") as terminal:
        screen = terminal.wait_for("Session apple")
        assert "Session pear" in screen
        terminal.send("apple\r")
        terminal.wait_for(lambda screen: "three" in screen.replace("echo three", ""))
    assert desk.said() == [["run echo apple"], ["run echo three"], ["run echo pear"]]


def test_a_missing_file_is_told_before_anything_is_drawn(desk: Desk) -> None:
    with desk.start("@missing.txt", "look") as terminal:
        assert terminal.wait_exit() == 1
        assert b"\x1b[?1049h" not in terminal.output
        assert "missing.txt" in terminal.text().replace("\n", "")
