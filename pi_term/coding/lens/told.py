"""What a model reads of a message, as plain text for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pi_term.agent.messages import AgentMessage
from pi_term.ai.fit import FittedMessage
from pi_term.ai.messages import (
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_term.ai.tools import Tool
from pi_term.base import json
from pi_term.coding.messages import (
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
)

_TITLES: Mapping[type, str] = {
    UserMessage: "You",
    AssistantMessage: "Assistant",
    BranchSummaryMessage: "Summary of another branch",
    CompactionSummaryMessage: "Summary of what came before",
}


def title_of(message: AgentMessage) -> str:
    """What a message is, in a few words."""
    match message:
        case ToolResultMessage():
            return f"Result of {message.tool_name}"
        case BashExecutionMessage():
            return "Your command"
        case CustomMessage():
            return message.custom_type or "Extension"
        case _:
            return _TITLES.get(type(message), "Message")


def told(message: FittedMessage) -> str:
    """The content of a message, one block after the other."""
    content = message.content
    parts: Sequence[object] = [TextContent(content)] if isinstance(content, str) else content
    return "\n\n".join(_part(part) for part in parts)


def tool_text(tool: Tool) -> str:
    """What a model reads of a tool."""
    return f"{tool.description}\n\n{json.dumps_str(tool.parameters)}"


def _part(part: object) -> str:
    match part:
        case TextContent(text=text):
            return text
        case ThinkingContent():
            return (
                f"[thinking] {part.thinking}" if part.thinking else "[thinking that only the model can read]"
            )
        case ToolCall():
            return f"[calls {part.name}] {json.dumps_str(part.arguments)}"
        case ImageContent():
            return f"[image {part.mime_type}, {len(part.data) * 3 // 4:,} bytes]"
        case _:
            return ""
