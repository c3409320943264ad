"""What the log tells of a session: what happened and how long it took, never what was said."""

from __future__ import annotations

from pi_term.agent.events import (
    AgentEvent,
    MessageEnd,
    MessageUpdate,
    ToolExecutionEnd,
    ToolExecutionUpdate,
)
from pi_term.ai.messages import AssistantMessage
from pi_term.base.log import log


def trace(event: AgentEvent) -> None:
    """Log an event; deltas and progress are left out."""
    if not isinstance(event, (MessageUpdate, ToolExecutionUpdate)):
        log.debug("%s%s", event.type, _detail(event))


def _detail(event: AgentEvent) -> str:
    match event:
        case MessageEnd(message=AssistantMessage() as message):
            return f" assistant, {message.stop_reason}, {message.duration_ms} ms"
        case MessageEnd():
            return f" {event.message.role}"
        case ToolExecutionEnd():
            return f" {event.tool_name}, {'error' if event.is_error else 'ok'}, {event.duration_ms} ms"
        case _:
            return ""
