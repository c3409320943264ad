"""Every default key of the editor as the bytes that terminals send, in one run of the real program."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from pi_term.base.paths import shipped
from pi_term.testing.terminal import TerminalProgram
from pi_term.tui.actions import in_scope

PROGRAM = [str(Path(sys.executable).with_name("pi-term")), "--demo"]
PLACEHOLDER = "Type tour"
SHOW_CURSOR, HIDE_CURSOR = b"\x1b[?25h", b"\x1b[?25l"
UP, LEFT, HOME, CUT, YANK, UNDO, NEWLINE = b"\x1b[A", b"\x02", b"\x01", b"\x15", b"\x19", b"\x1f", b"\n"
LONG_PASTE = b"\x1b[200~" + b"\n".join(b"line %d" % number for number in range(11)) + b"\x1b[201~"


@dataclass(frozen=True)
class Case:
    """Type `before`, the key, `behind` and `|`: then the editor shows `after`."""

    before: bytes
    after: str
    behind: bytes = b""


CASES = {
    "tui.editor.cursorUp": Case(b"ab" + NEWLINE + b"cd", "ab|\ncd"),
    "tui.editor.cursorDown": Case(b"ab" + NEWLINE + b"cd" + UP, "ab\ncd|"),
    "tui.editor.cursorLeft": Case(b"abc", "ab|c"),
    "tui.editor.cursorRight": Case(b"abc" + LEFT + LEFT, "ab|c"),
    "tui.editor.cursorWordLeft": Case(b"ab cd", "ab |cd"),
    "tui.editor.cursorWordRight": Case(b"ab cd" + HOME, "ab| cd"),
    "tui.editor.cursorLineStart": Case(b"ab" + NEWLINE + b"cd", "ab\n|cd"),
    "tui.editor.cursorLineEnd": Case(b"ab" + HOME, "ab|"),
    "tui.editor.jumpForward": Case(b"abcabc" + HOME, "ab|cabc", b"c"),
    "tui.editor.jumpBackward": Case(b"abcabc", "abca|bc", b"b"),
    "tui.editor.cursorTextStart": Case(b"ab" + NEWLINE + b"cd", "|ab\ncd"),
    "tui.editor.cursorTextEnd": Case(b"ab" + NEWLINE + b"cd" + UP, "ab\ncd|"),
    "tui.editor.pageUp": Case(b"ab" + NEWLINE + b"cd", "ab|\ncd"),
    "tui.editor.pageDown": Case(b"ab" + NEWLINE + b"cd" + UP, "ab\ncd|"),
    "tui.editor.deleteCharBackward": Case(b"abc", "ab|"),
    "tui.editor.deleteCharForward": Case(b"abc" + HOME, "|bc"),
    "tui.editor.deleteWordBackward": Case(b"ab cd", "ab |"),
    "tui.editor.deleteWordForward": Case(b"ab cd" + HOME, "| cd"),
    "tui.editor.deleteToLineStart": Case(b"abc" + LEFT, "|c"),
    "tui.editor.deleteToLineEnd": Case(b"abc" + HOME, "|"),
    "tui.editor.yank": Case(b"abc" + CUT + b"x", "xabc|"),
    "tui.editor.yankPop": Case(b"ab" + CUT + b"x" + CUT + YANK, "ab|"),
    "tui.editor.undo": Case(b"ab" + CUT, "ab|"),
    "tui.editor.redo": Case(b"ab" + CUT + UNDO, "|"),
    "tui.editor.expandPaste": Case(LONG_PASTE, "\n".join(f"line {n}" for n in range(3, 11)) + "|"),
    "tui.editor.historySearch": Case(b"draft", "an earlier one|", b"earl\r"),
    "tui.input.newLine": Case(b"ab", "ab\n|"),
}
# The transcript takes it first; sending and completing have tests of their own.
ELSEWHERE = {("tui.editor.pageUp", "pageUp"), ("tui.editor.pageDown", "pageDown")}
OWN_TESTS = {"tui.input.submit", "tui.input.tab"}

_MODIFIERS = {"shift": 1, "alt": 2, "ctrl": 4}
_FINALS = {"up": "A", "down": "B", "right": "C", "left": "D", "end": "F", "home": "H"}
_NUMBERS = {"delete": 3, "pageUp": 5, "pageDown": 6}
_CODES = {"enter": 13, "tab": 9, "backspace": 127}
_SHIFTED = {"<": ",", ">": "."}


def _split(key: str) -> tuple[int, str]:
    *modifiers, base = key.split("+")
    return sum(_MODIFIERS[each] for each in modifiers), base


def _function(held: int, base: str, event: str = "") -> bytes | None:
    plain = held == 0 and not event
    if base in _FINALS:
        return f"\x1b[{'' if plain else f'1;{held + 1}{event}'}{_FINALS[base]}".encode()
    if base in _NUMBERS:
        return f"\x1b[{_NUMBERS[base]}{'' if plain else f';{held + 1}{event}'}~".encode()
    return None


def legacy(key: str) -> bytes | None:
    """What xterm has sent since ever; None for what it cannot send."""
    held, base = _split(key)
    if (function := _function(held, base)) is not None:
        return function
    if held & 1 and (base in _CODES or held & 4):
        return None
    code = _CODES.get(base) or ord(base.upper() if held & 1 else base)
    if held & 4:
        code = 0x1F if base == "-" else code & 0x1F
    return (b"\x1b" if held & 2 else b"") + bytes([code])


def kitty(key: str) -> bytes:
    """The same key in the Kitty protocol, pressed and released."""
    held, base = _split(key)
    pressed, released = _function(held, base, ":1"), _function(held, base, ":3")
    if pressed is not None and released is not None:
        return pressed + released
    below = _SHIFTED.get(base, base)
    held |= below != base
    code = _CODES.get(below) or ord(below)
    shifted = f":{ord(base.upper() if below == base else base)}" if held & 1 and base not in _CODES else ""
    return b"".join(f"\x1b[{code}{shifted};{held + 1}:{event}u".encode() for event in (1, 3))


def editor_text(screen: str) -> str:
    """What stands between the editor's rules."""
    rows = screen.split("\n")
    rules = [number for number, row in enumerate(rows) if row.startswith("───")]
    return "\n".join(row[1:] for row in rows[rules[-2] + 1 : rules[-1]]) if len(rules) > 1 else ""


def bindings() -> list[tuple[str, str]]:
    defaults = json.loads((shipped("keymaps") / "pi.json").read_text())
    found = []
    for action in in_scope("editor"):
        keys = defaults[action.id]
        found += [(action.id, key) for key in ([keys] if isinstance(keys, str) else keys)]
    return [each for each in found if each not in ELSEWHERE and each[0] not in OWN_TESTS]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "README.md").write_text("x")
    editor = tmp_path / "an editor"
    editor.write_text('#!/bin/sh\nprintf "edited %s\\n" "$(cat "$1")" >"$1"\n')
    editor.chmod(0o755)
    return {
        **os.environ,
        "VISUAL": f"'{editor}'",
        "PI_TERM_HOME": str(tmp_path / "home"),
        "TERM": "xterm-256color",
    }


def test_every_default_key_of_the_editor(tmp_path: Path, environment: dict[str, str]) -> None:
    with TerminalProgram(PROGRAM, cwd=tmp_path / "work", env=environment) as program:
        program.wait_for(PLACEHOLDER)
        program.send("an earlier one\r")
        program.wait_for(lambda text: "an earlier one" in text and PLACEHOLDER in text)
        clear = b""
        for action_id, key in bindings():
            case = CASES[action_id]
            after = case.after
            for sent in filter(None, (legacy(key), kitty(key))):
                program.send(clear + case.before + sent + case.behind + b"|")
                clear = b"\x03"
                try:
                    program.wait_for(lambda text, after=after: editor_text(text) == after, 20)
                except AssertionError as error:
                    raise AssertionError(f"{action_id} {key} {sent!r}: not {after!r}\n{error}") from None
                if action_id == "tui.editor.historySearch":
                    after += "|"  # what is cleared away is found, too
        # Faster than a folder can be read, and faster than all files can be listed.
        program.send(b"\x03cat REA\tand @readm\t|")
        program.wait_for(lambda text: editor_text(text) == "cat README.md and @README.md |")
        program.send(b"\x03REA\t")
        program.wait_for(lambda text: editor_text(text) == "README.md")
        # Another editor gets the terminal, and the screen is whole again when it is done (B-063).
        program.send(b"\x07")
        program.wait_for(lambda text: editor_text(text) == "edited README.md" and PLACEHOLDER not in text)
        program.wait_for("an earlier one")


def test_a_draft_survives_the_death_of_the_program(tmp_path: Path, environment: dict[str, str]) -> None:
    drafts = tmp_path / "home" / "drafts"
    with TerminalProgram(PROGRAM, cwd=tmp_path / "work", env=environment) as program:
        program.wait_for(PLACEHOLDER)
        program.send(b"two lines\n" + LONG_PASTE + b" of a draft")
        deadline = time.monotonic() + 30
        while not any("of a draft" in path.read_text() for path in drafts.glob("*/*.json")):
            assert time.monotonic() < deadline
            program.wait_for("of a draft")
        for path in drafts.glob("*/*.json"):
            assert path.stat().st_mode & 0o777 == 0o600
        os.kill(program.pid, signal.SIGKILL)
        program.wait_exit()

    environment["PI_HARDWARE_CURSOR"] = "1"
    with TerminalProgram(PROGRAM, cwd=tmp_path / "work", env=environment) as program:
        program.wait_for("is back")
        program.wait_for(lambda text: editor_text(text) == "two lines\n[paste #1 +11 lines] of a draft")
        assert program.output.rfind(SHOW_CURSOR) > program.output.rfind(HIDE_CURSOR)
        program.send(b"\x07")
        program.wait_for(
            lambda text: editor_text(text) == "edited two lines\n[paste #1 +11 lines] of a draft"
        )
        assert program.output.rfind(SHOW_CURSOR) > program.output.rfind(HIDE_CURSOR)
        program.send(b"\r")
        program.wait_for(lambda text: PLACEHOLDER in text)
        deadline = time.monotonic() + 30
        while any(drafts.glob("*/*.json")):
            assert time.monotonic() < deadline
            program.wait_for(PLACEHOLDER)
        program.send(b"/quit\r")
        assert program.wait_exit() == 0
    assert not [*drafts.glob("*/*.*")]
