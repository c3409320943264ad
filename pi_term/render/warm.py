"""Loading what Markdown and code need, bit by bit, while nobody waits."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from pi_term.render.highlight import Highlighter, lexer_for_language
from pi_term.render.markdown.inline import parse_inline

_MODULES = (
    "markdown_it",
    "pygments.lexer",
    "pygments.lexers",
    "pygments.lexers.python",
    "pygments.lexers.shell",
    "pygments.lexers.data",
    "pygments.lexers.javascript",
    *("pi_term.render.tools.bash", "pi_term.render.tools.read", "pi_term.render.tools.edit"),
)
_LANGUAGES = ("python", "bash", "json", "javascript", "typescript", "yaml", "diff", "toml", "html")


def warm_steps() -> Iterator[str]:
    """Do one thing with each step (mostly 2 ms, at most about 20) and name it.

    Without it, the first answer with a mark or with code pays for all of them together.
    """
    for module in _MODULES:
        import_module(module)
        yield module
    parse_inline("*marks*", {})
    yield "marks"
    for language in _LANGUAGES:
        highlighter = Highlighter(lexer_for_language(language))
        yield language
        highlighter.push("a = 'b'")
        highlighter.tail()
        yield f"{language}: rules"
