"""What happens while a model answers.

`start`; then blocks, each `*_start`, any number of `*_delta`, `*_end`; then exactly one `done` or
`error`. `partial` is the one growing message, never a copy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from pi_term.ai.messages import AssistantMessage, ToolCall


@dataclass(frozen=True, slots=True)
class StreamStart:
    """The provider began to answer."""

    partial: AssistantMessage
    type: ClassVar[str] = "start"


@dataclass(frozen=True, slots=True)
class _Block:
    content_index: int
    partial: AssistantMessage


@dataclass(frozen=True, slots=True)
class TextStart(_Block):
    type: ClassVar[str] = "text_start"


@dataclass(frozen=True, slots=True)
class TextDelta(_Block):
    delta: str
    type: ClassVar[str] = "text_delta"


@dataclass(frozen=True, slots=True)
class TextEnd(_Block):
    content: str
    type: ClassVar[str] = "text_end"


@dataclass(frozen=True, slots=True)
class ThinkingStart(_Block):
    type: ClassVar[str] = "thinking_start"


@dataclass(frozen=True, slots=True)
class ThinkingDelta(_Block):
    delta: str
    type: ClassVar[str] = "thinking_delta"


@dataclass(frozen=True, slots=True)
class ThinkingEnd(_Block):
    content: str
    type: ClassVar[str] = "thinking_end"


@dataclass(frozen=True, slots=True)
class ToolCallStart(_Block):
    type: ClassVar[str] = "toolcall_start"


@dataclass(frozen=True, slots=True)
class ToolCallDelta(_Block):
    delta: str
    type: ClassVar[str] = "toolcall_delta"


@dataclass(frozen=True, slots=True)
class ToolCallEnd(_Block):
    tool_call: ToolCall
    type: ClassVar[str] = "toolcall_end"


@dataclass(frozen=True, slots=True)
class StreamDone:
    """The answer is whole; `message` is final."""

    reason: str
    message: AssistantMessage
    type: ClassVar[str] = "done"


@dataclass(frozen=True, slots=True)
class StreamError:
    """The answer broke off (`reason` "error" or "aborted"); `error` holds what came before."""

    reason: str
    error: AssistantMessage
    type: ClassVar[str] = "error"


BlockEvent: TypeAlias = (
    TextStart
    | TextDelta
    | TextEnd
    | ThinkingStart
    | ThinkingDelta
    | ThinkingEnd
    | ToolCallStart
    | ToolCallDelta
    | ToolCallEnd
)
StreamEvent: TypeAlias = StreamStart | BlockEvent | StreamDone | StreamError
