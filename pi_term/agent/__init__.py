"""The agent runtime: the loop, tools, queues, hooks and events. It knows neither disk nor terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.agent.agent import (
        Agent,
    )
    from pi_term.agent.events import (
        AgentEvent,
    )
    from pi_term.agent.hooks import (
        Blocked,
        LoopHooks,
        RequestSetup,
    )
    from pi_term.agent.loop import (
        LoopInput,
        run_loop,
    )
    from pi_term.agent.messages import (
        AgentMessage,
    )
    from pi_term.agent.queues import (
        MessageQueue,
        QueuedMessage,
    )
    from pi_term.agent.raw import (
        AgentLoopStream,
        run_agent_loop,
    )
    from pi_term.agent.state import (
        AgentState,
    )
    from pi_term.agent.tools import (
        AgentTool,
        ToolCallContext,
        ToolError,
        ToolResult,
        text_result,
    )

__all__ = [
    "Agent",
    "AgentEvent",
    "AgentLoopStream",
    "AgentMessage",
    "AgentState",
    "AgentTool",
    "Blocked",
    "LoopHooks",
    "LoopInput",
    "MessageQueue",
    "QueuedMessage",
    "RequestSetup",
    "ToolCallContext",
    "ToolError",
    "ToolResult",
    "run_agent_loop",
    "run_loop",
    "text_result",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "agent": ("Agent",),
        "events": ("AgentEvent",),
        "hooks": ("Blocked", "LoopHooks", "RequestSetup"),
        "loop": ("LoopInput", "run_loop"),
        "messages": ("AgentMessage",),
        "queues": ("MessageQueue", "QueuedMessage"),
        "raw": ("AgentLoopStream", "run_agent_loop"),
        "state": ("AgentState",),
        "tools": ("AgentTool", "ToolCallContext", "ToolError", "ToolResult", "text_result"),
    },
)
