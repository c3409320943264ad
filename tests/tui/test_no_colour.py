"""How many colours: none with NO_COLOR, and still something to see of what is selected."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color

from pi_term.testing.app import shipped_theme
from pi_term.testing.terminal import TerminalProgram
from pi_term.tui.no_colour import NoColour
from pi_term.tui.theme_binding import set_colour_depth

PROGRAM = [str(Path(sys.executable).with_name("pi-term")), "--demo"]


def test_a_selected_row_is_reversed() -> None:
    theme = shipped_theme("dark")
    given = [
        Segment("a", theme.style("accent", bold=True)),
        Segment("b", theme.style("text", "selectedBg")),
        Segment("c", theme.style("text", "selectedBg", reverse=True)),
        Segment("d", None),
    ]
    shown = NoColour(lambda: theme).apply(given, Color(0, 0, 0))
    assert [segment.style for segment in shown] == [Style(bold=True, reverse=False), *shown_styles(), None]


def shown_styles() -> list[Style]:
    return [Style(reverse=True), Style(reverse=False)]


def test_no_colour_reaches_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    env = {**os.environ, "PI_TERM_HOME": str(tmp_path / "home"), "NO_COLOR": "1", "TERM": "xterm-256color"}
    with TerminalProgram(PROGRAM, cwd=tmp_path / "work", env=env) as program:
        program.wait_for("/ for commands")
        program.send("markdown\r")
        program.wait_for("The end.")
        program.send("/model")
        program.wait_for("/model")
        codes = set(re.findall(rb"\x1b\[([0-9;]*)m", program.output))
        assert codes
        assert all(int(part or 0) < 30 for code in codes for part in code.split(b";")), codes


def test_people_know_their_terminal_better() -> None:
    app = App[None]()
    for said, depth in ((True, "truecolor"), (False, "256")):
        set_colour_depth(app, said)
        assert app.console.color_system == depth
