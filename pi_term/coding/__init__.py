"""The coding harness: session tree, tools, settings, trust, resources, and `AgentSession` over it all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.coding.agent_session import (
        AgentSession,
    )
    from pi_term.coding.events import (
        AgentSettled,
        SessionEvent,
    )
    from pi_term.coding.feed import (
        EventFeed,
    )
    from pi_term.coding.session import (
        SessionFile,
        SessionTree,
    )
    from pi_term.coding.startup import (
        Started,
        StartRequest,
        start_session,
    )
    from pi_term.coding.tools import (
        ToolDefinition,
        builtin_tools,
    )
    from pi_term.coding.ui_bridge import (
        NullUi,
        UiBridge,
    )

__all__ = [
    "AgentSession",
    "AgentSettled",
    "EventFeed",
    "NullUi",
    "SessionEvent",
    "SessionFile",
    "SessionTree",
    "StartRequest",
    "Started",
    "ToolDefinition",
    "UiBridge",
    "builtin_tools",
    "start_session",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "agent_session": ("AgentSession",),
        "events": ("AgentSettled", "SessionEvent"),
        "feed": ("EventFeed",),
        "session": ("SessionFile", "SessionTree"),
        "startup": ("StartRequest", "Started", "start_session"),
        "tools": ("ToolDefinition", "builtin_tools"),
        "ui_bridge": ("NullUi", "UiBridge"),
    },
)
