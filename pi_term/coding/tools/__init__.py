"""The built-in tools, and what defines a tool. Names are loaded when they are first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.coding.tools.builtin import builtin_tools
    from pi_term.coding.tools.definition import (
        ImageLimits,
        ShellSettings,
        ToolContext,
        ToolDefinition,
        ToolEnvironment,
        bind,
    )
    from pi_term.coding.tools.local.operations import LOCAL, LocalOperations
    from pi_term.coding.tools.mutation import MutationQueue
    from pi_term.coding.tools.operations import (
        Command,
        Exit,
        FileKind,
        FileStatus,
        FolderEntry,
        Operations,
    )

__all__ = [
    "LOCAL",
    "Command",
    "Exit",
    "FileKind",
    "FileStatus",
    "FolderEntry",
    "ImageLimits",
    "LocalOperations",
    "MutationQueue",
    "Operations",
    "ShellSettings",
    "ToolContext",
    "ToolDefinition",
    "ToolEnvironment",
    "bind",
    "builtin_tools",
]

_HOMES = {
    "builtin": ("builtin_tools",),
    "definition": (
        "ImageLimits",
        "ShellSettings",
        "ToolContext",
        "ToolDefinition",
        "ToolEnvironment",
        "bind",
    ),
    "local.operations": ("LOCAL", "LocalOperations"),
    "mutation": ("MutationQueue",),
    "operations": ("Command", "Exit", "FileKind", "FileStatus", "FolderEntry", "Operations"),
}

__getattr__ = lazy_exports(__name__, _HOMES)
