"""What happens while a model answers.

`start`; then blocks, each `*_start`, any number of `*_delta`, `*_end`; then exactly one `done` or
`error`. `partial` is the one growing message, never a copy.
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from pi_term.ai.messages import AssistantMessage, ToolCall
from pi_term.base.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class StreamStart:
    """The provider began to answer."""

    partial: AssistantMessage
    type: ClassVar[str] = "start"


@dataclass(frozen=True, slots=True)
class BlockEvent:
    """Something happened to the content block `content_index`."""

    content_index: int
    partial: AssistantMessage
    type: ClassVar[str]


@dataclass(frozen=True, slots=True)
class BlockDelta(BlockEvent):
    """The block grew by `delta`."""

    delta: str

    def extends(self, other: object) -> bool:
        """Whether `other` is a delta of the same kind for the same block: the two can be told as one."""
        return (
            type(other) is type(self)
            and other.content_index == self.content_index
            and other.partial is self.partial
        )


@dataclass(frozen=True, slots=True)
class _ContentEnd(BlockEvent):
    """The block is whole: `content` is all of it."""

    content: str


class TextStart(BlockEvent):
    """A text begins."""

    __slots__ = ()
    type = "text_start"


class TextDelta(BlockDelta):
    """A text grew."""

    __slots__ = ()
    type = "text_delta"


class TextEnd(_ContentEnd):
    """A text is whole."""

    __slots__ = ()
    type = "text_end"


class ThinkingStart(BlockEvent):
    """A thought begins."""

    __slots__ = ()
    type = "thinking_start"


class ThinkingDelta(BlockDelta):
    """A thought grew."""

    __slots__ = ()
    type = "thinking_delta"


class ThinkingEnd(_ContentEnd):
    """A thought is whole."""

    __slots__ = ()
    type = "thinking_end"


class ToolCallStart(BlockEvent):
    """A tool call begins; its name is known."""

    __slots__ = ()
    type = "toolcall_start"


class ToolCallDelta(BlockDelta):
    """The arguments of a tool call grew: `delta` is JSON text."""

    __slots__ = ()
    type = "toolcall_delta"


@dataclass(frozen=True, slots=True)
class ToolCallEnd(BlockEvent):
    """The call is whole."""

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


StreamEvent: TypeAlias = StreamStart | BlockEvent | StreamDone | StreamError
