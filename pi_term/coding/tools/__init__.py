"""The built-in tools, and what defines a tool. Names are loaded when they are first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.coding.tools.builtin import builtin_tools
    from pi_term.coding.tools.definition import (
        ShellSettings,
        ToolContext,
        ToolDefinition,
        ToolEnvironment,
        bind,
    )
    from pi_term.coding.tools.mutation import MutationQueue

__all__ = [
    "MutationQueue",
    "ShellSettings",
    "ToolContext",
    "ToolDefinition",
    "ToolEnvironment",
    "bind",
    "builtin_tools",
]

_HOMES = {
    "builtin": ("builtin_tools",),
    "definition": ("ShellSettings", "ToolContext", "ToolDefinition", "ToolEnvironment", "bind"),
    "mutation": ("MutationQueue",),
}

__getattr__ = lazy_exports(__name__, _HOMES)
