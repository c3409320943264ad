"""Loading what Markdown and code need, bit by bit, while nobody waits."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from pi_term.render.highlight import Highlighter, lexer_for_language
from pi_term.render.markdown.inline import parse_inline

_MODULES = (
    *("html.entities", "markdown_it"),
    *("pygments.lexer", "pygments.lexers", "pygments.lexers.python", "pygments.lexers.shell"),
    *("pygments.lexers.data", "pygments.lexers.javascript"),
    *("pi_term.render.tools.bash", "pi_term.render.tools.read", "pi_term.render.tools.edit"),
)
_LANGUAGES = ("python", "bash", "json", "javascript", "typescript", "yaml", "diff", "toml", "html")
_SLICE = 0.004  # seconds of compiling rules in one step; a single rule may take twice as long


def warm_steps() -> Iterator[str]:
    """Do one thing with each step (mostly 2 ms, at most about 15) and name it.

    Without it, the first answer with a mark or with code pays for all of them together.
    """
    for module in _MODULES:
        import_module(module)
        yield module
    parse_inline("*marks*", {})
    yield "marks"
    for language in _LANGUAGES:
        yield from _compile_rules(language)
        highlighter = Highlighter(lexer_for_language(language))
        highlighter.push("a = 'b'")
        highlighter.tail()
        yield language


def _compile_rules(language: str) -> Iterator[str]:
    """Compile the expressions of a lexer ahead of it: Python keeps them, and the lexer finds them there."""
    lexer: Any = import_module("pygments.lexers").find_lexer_class_by_name(language)
    future: Any = import_module("pygments.util").Future
    states = lexer.get_tokendefs() if hasattr(lexer, "get_tokendefs") else {}
    began = time.perf_counter()
    for number, rule in enumerate(rule for rules in states.values() for rule in rules):
        if type(rule) is tuple:  # else it stands for rules of another state
            re.compile(rule[0].get() if isinstance(rule[0], future) else rule[0], lexer.flags)
        if time.perf_counter() - began > _SLICE:
            yield f"{language}, rule {number}"
            began = time.perf_counter()
