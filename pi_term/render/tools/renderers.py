"""Which tool is drawn how. Tools without a renderer of their own are drawn from their arguments."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from pi_term.render.tools.renderer import ToolRenderer

_FOLDER = "pi_term.render.tools"
_GENERIC = ("generic", "GenericRenderer")
RENDERERS = {
    "bash": ("bash", "BashRenderer"),
    "read": ("read", "ReadRenderer"),
    "write": ("write", "WriteRenderer"),
    "edit": ("edit", "EditRenderer"),
    "grep": ("search", "GrepRenderer"),
    "find": ("search", "FindRenderer"),
    "ls": ("search", "LsRenderer"),
}
"""Module and class of renderers by tool name; loaded when a call of the tool is first shown."""


def renderer_for(name: str) -> ToolRenderer:
    """The renderer of a tool."""
    return _renderer(*RENDERERS.get(name, _GENERIC))


@lru_cache
def _renderer(module: str, kind: str) -> ToolRenderer:
    renderer: ToolRenderer = getattr(import_module(f"{_FOLDER}.{module}"), kind)()
    return renderer
