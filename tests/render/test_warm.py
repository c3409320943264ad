"""Warming up is done in small steps and leaves nothing for later."""

from __future__ import annotations

import subprocess
import sys


def test_after_warming_up_nothing_is_loaded_any_more() -> None:
    code = """
import sys
from pi_term.render.warm import warm_steps
from pi_term.render.highlight import lexer_for_language
from pi_term.render.markdown.inline import parse_inline
names = list(warm_steps())
loaded = set(sys.modules)
parse_inline("**x**", {})
lexer_for_language("python")
assert set(sys.modules) == loaded
assert len(names) == len(set(names)) > 15
"""
    subprocess.run([sys.executable, "-c", code], check=True)
