"""What the start leaves out, seen from a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys

_LEAN = """
import sys
from pi_term.tui.lean import import_textual
import_textual()
import textual.app
assert "textual.widgets._input" not in sys.modules, "the palette's widgets were loaded"
"""
_REAL = """
from textual.app import App
from textual.command import CommandPalette, Provider
assert Provider.__module__ == "textual.command" and issubclass(CommandPalette, textual.screen.Screen)
"""


def _run(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_palette_of_textual_is_not_loaded() -> None:
    _run(_LEAN)


def test_who_imports_it_later_gets_the_real_one() -> None:
    _run(_LEAN + _REAL)


def test_where_it_is_there_already_it_stays() -> None:
    _run("import textual.command as real\n" + _LEAN.replace("assert", "real.CommandPalette or") + _REAL)
