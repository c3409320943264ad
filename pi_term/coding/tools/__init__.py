"""The built-in tools, and what defines a tool. Names are loaded when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

_HOMES = {"MutationQueue": "mutation", "builtin_tools": "builtin"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'definition')}"), name)
