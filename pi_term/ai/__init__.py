"""The model runtime: messages, models, providers, wire formats, streams. No tools, no interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.ai.catalog import (
        ModelRegistry,
    )
    from pi_term.ai.context import (
        Context,
        StreamOptions,
    )
    from pi_term.ai.messages import (
        AssistantMessage,
        ImageContent,
        Message,
        SystemMessage,
        TextContent,
        ThinkingContent,
        ToolCall,
        ToolResultMessage,
        Usage,
        UserMessage,
        message_from_json,
        text_of,
    )
    from pi_term.ai.models import (
        Model,
        ModelCost,
        ThinkingLevel,
    )
    from pi_term.ai.registry import (
        register_api,
        stream_model,
        unregister_api,
    )
    from pi_term.ai.stream import (
        AssistantStream,
        StreamWriter,
    )
    from pi_term.ai.tools import (
        Tool,
    )

__all__ = [
    "AssistantMessage",
    "AssistantStream",
    "Context",
    "ImageContent",
    "Message",
    "Model",
    "ModelCost",
    "ModelRegistry",
    "StreamOptions",
    "StreamWriter",
    "SystemMessage",
    "TextContent",
    "ThinkingContent",
    "ThinkingLevel",
    "Tool",
    "ToolCall",
    "ToolResultMessage",
    "Usage",
    "UserMessage",
    "message_from_json",
    "register_api",
    "stream_model",
    "text_of",
    "unregister_api",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "catalog": ("ModelRegistry",),
        "context": ("Context", "StreamOptions"),
        "messages": (
            "AssistantMessage",
            "ImageContent",
            "Message",
            "SystemMessage",
            "TextContent",
            "ThinkingContent",
            "ToolCall",
            "ToolResultMessage",
            "Usage",
            "UserMessage",
            "message_from_json",
            "text_of",
        ),
        "models": ("Model", "ModelCost", "ThinkingLevel"),
        "registry": ("register_api", "stream_model", "unregister_api"),
        "stream": ("AssistantStream", "StreamWriter"),
        "tools": ("Tool",),
    },
)
