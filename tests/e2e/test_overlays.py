"""The screens over the main one, in the installed program: keys as bytes, the screen as a person sees it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from pi_term.testing.terminal import TerminalProgram

PROGRAM = [str(Path(sys.executable).with_name("pi-term")), "--demo"]
ALT_X, F1, CTRL_L, CTRL_S, ESCAPE, TAB = b"\x1bx", b"\x1bOP", b"\x0c", b"\x13", b"\x1b", b"\t"
READY = "/ for commands"


def closed(screen: str) -> bool:
    """The main screen is back."""
    return "esc closes" not in screen and READY in screen


def test_the_main_path_through_each(tmp_path: Path) -> None:
    """Palette, settings, models, thinking, themes, keys, trust, reload, export and the changelog."""
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    (work / ".pi").mkdir(parents=True)
    (work / ".pi" / "settings.json").write_text('{"treeFilterMode": "all"}')
    (home / "settings.json").write_text('{\n  // mine\n  "defaultProjectTrust": "never"\n}\n')
    env = {**os.environ, "PI_TERM_HOME": str(home)}
    with TerminalProgram(PROGRAM, cwd=work, env=env) as program:
        program.wait_for("not trusted")
        palette_and_settings(program, home)
        models_and_thinking(program)
        looks_and_keys(program, home)
        trust_and_files(program, work)


def palette_and_settings(program: TerminalProgram, home: Path) -> None:
    program.send(ALT_X)
    program.wait_for("What is to be done?")
    program.send("every sett")
    program.wait_for("→ Settings")
    program.send(b"\r")
    program.wait_for("Changes go to")
    program.send("retry.maxr")
    program.wait_for("→ retry.maxRetries")
    program.send(b"\r\x158\r")  # faster than any screen
    program.wait_for("retry.maxRetries is 8 now.")
    program.send(ESCAPE)
    program.wait_for(closed)
    text = (home / "settings.json").read_text()
    assert "// mine" in text
    assert '"maxRetries": 8' in text


def models_and_thinking(program: TerminalProgram) -> None:
    program.send(CTRL_L)
    program.wait_for("→ demo/demo")
    program.send("claude opus")
    program.wait_for("no key yet")
    program.send(ESCAPE)
    program.wait_for(closed)
    program.send("/thinking\r")
    program.wait_for("for everyday work")
    program.send("high")
    program.wait_for("> high")
    program.send(CTRL_S)
    program.wait_for("Thinking: high, for new sessions too")
    program.send("/scoped-models\r")
    program.wait_for("None marked means all")
    program.send(ESCAPE)
    program.wait_for(closed)


def looks_and_keys(program: TerminalProgram, home: Path) -> None:
    program.send("/theme\r")
    program.wait_for("high-contrast")
    program.send("light")
    program.wait_for("> light")
    program.send(b"\r")
    program.wait_for("Theme: light")
    assert '"theme": "light' in (home / "settings.json").read_text()
    program.send("/keymap\r")
    program.wait_for("keybindings.json is applied")
    program.send(ESCAPE)
    program.wait_for(closed)
    (home / "keybindings.json").write_text('{"app.hotkeys": "f5"}')
    program.send("/reload\r")
    program.wait_for("keys: app.hotkeys")
    program.send(b"\x1b[15~")
    program.wait_for("may not arrive")
    program.send("app.hotkeys")
    program.wait_for("→ f5")
    program.send(ESCAPE)
    program.wait_for(closed)


def trust_and_files(program: TerminalProgram, work: Path) -> None:
    program.send("/trust\r")
    program.wait_for("Trust this folder")
    program.send(b"\x1b[A\x1b[A\r")
    program.wait_for("trust: +trusted")
    program.send("/settings\r")
    program.wait_for("Changes go to")
    program.send("treef")
    program.wait_for("project: all")
    program.send(ESCAPE)
    program.wait_for(closed)
    program.send("hello\r")
    program.wait_for("Alt+Enter queues a follow-up")
    program.send("/export session.jsonl\r")
    program.wait_for("exported to")
    assert json.loads((work / "session.jsonl").read_text().splitlines()[0])["type"] == "session"
    program.send("/changelog\r")
    program.wait_for("What is new")
    program.send(ESCAPE)
    program.wait_for(closed)
    program.send(F1)
    program.wait_for("What is to be done?")
    program.send("quit")
    program.wait_for("→ Quit")
    program.send(b"\r")
    program.wait_exit()
