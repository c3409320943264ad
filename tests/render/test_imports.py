"""What importing the renderer costs: nothing that is not needed at the start."""

from __future__ import annotations

import subprocess
import sys

import pytest

MODULES = [
    "pi_term.render.entries",
    "pi_term.render.markdown.stream",
    "pi_term.render.theme",
    "pi_term.render.blocks.tool",
]


@pytest.mark.parametrize("module", MODULES)
def test_no_heavy_import(module: str) -> None:
    code = (
        f"import sys, {module}; "
        "print([name for name in ('textual', 'pygments', 'markdown_it', 'jsonschema', 'difflib', 'yaml') "
        "if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_plain_answers_are_drawn_without_lexers_and_parsers() -> None:
    code = """
import sys
from pi_term.base.paths import shipped
from pi_term.render.blocks import AssistantBlock, UserBlock
from pi_term.render.line import ViewOptions
from pi_term.render.theme import load_theme
theme, _ = load_theme(shipped("themes") / "dark.json")
answer = AssistantBlock()
answer.append_text("Plain words, nothing else.\\n\\n- a list\\n")
assert len(answer.lines(40, ViewOptions(theme))) == 4
UserBlock("hello").lines(40, ViewOptions(theme))
assert "markdown_it" not in sys.modules and "pygments" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
