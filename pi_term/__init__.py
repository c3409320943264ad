"""pi-term: a terminal coding agent to live in.

The names here are what programs use: `create_agent_session` runs the agent in this process, `RpcClient` in
one of its own. They are loaded when they are first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports
from pi_term.version import __version__

if TYPE_CHECKING:
    from pi_term.agent.tools import ToolError, ToolResult
    from pi_term.base.errors import PiTermError
    from pi_term.coding.agent_session import AgentSession
    from pi_term.coding.events import SessionEvent
    from pi_term.coding.resources.options import ResourceOptions
    from pi_term.coding.sdk import SessionManager, create_agent_session
    from pi_term.coding.startup import Started
    from pi_term.coding.tools.definition import ToolContext, ToolDefinition
    from pi_term.coding.tools.function import tool
    from pi_term.coding.ui_bridge import NullUi, UiBridge
    from pi_term.headless.client import RpcClient, RpcError

__all__ = [
    "AgentSession",
    "NullUi",
    "PiTermError",
    "ResourceOptions",
    "RpcClient",
    "RpcError",
    "SessionEvent",
    "SessionManager",
    "Started",
    "ToolContext",
    "ToolDefinition",
    "ToolError",
    "ToolResult",
    "UiBridge",
    "__version__",
    "create_agent_session",
    "tool",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "agent.tools": ("ToolError", "ToolResult"),
        "base.errors": ("PiTermError",),
        "coding.agent_session": ("AgentSession",),
        "coding.events": ("SessionEvent",),
        "coding.resources.options": ("ResourceOptions",),
        "coding.sdk": ("SessionManager", "create_agent_session"),
        "coding.startup": ("Started",),
        "coding.tools.definition": ("ToolContext", "ToolDefinition"),
        "coding.tools.function": ("tool",),
        "coding.ui_bridge": ("NullUi", "UiBridge"),
        "headless.client": ("RpcClient", "RpcError"),
    },
)
