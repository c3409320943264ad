"""Messages and their parts, in the shapes of Pi's session files, events and protocols.

Source of the format: `docs/message-types.md` of the npm package `@earendil-works/pi-coding-agent`.
Timestamps are Unix milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, ClassVar, Literal, TypeAlias

from pi_term.ai.faults import Fault
from pi_term.ai.tools import Tool
from pi_term.base.clock import now_ms
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.records import Record, coded, memory_field, record_field

StopReason: TypeAlias = Literal["pending", "stop", "length", "toolUse", "error", "aborted"]


@dataclass(slots=True)
class TextContent(Record):
    """Text that people read."""

    TAG = "type"
    CHECKED = True
    type: ClassVar[str] = "text"
    text: str = ""
    text_signature: str | None = None


@dataclass(slots=True)
class ImageContent(Record):
    """An image: base64 `data` of media type `mime_type`."""

    TAG = "type"
    CHECKED = True
    type: ClassVar[str] = "image"
    data: str = ""
    mime_type: str = ""


@dataclass(slots=True)
class ThinkingContent(Record):
    """A model's reasoning. `thinking_signature` is the provider's, to be sent back unread."""

    TAG = "type"
    CHECKED = True
    type: ClassVar[str] = "thinking"
    thinking: str = ""
    thinking_signature: str | None = None
    redacted: bool | None = None


@dataclass(slots=True)
class ToolCall(Record):
    """A model's wish to run a tool.

    `invalid_arguments` holds what was received when it is not a JSON object; such a call is never run.
    It lives in memory only.
    """

    TAG = "type"
    CHECKED = True
    type: ClassVar[str] = "toolCall"
    id: str = ""
    name: str = ""
    arguments: JsonObject = field(default_factory=dict)
    thought_signature: str | None = None
    namespace: str | None = None
    invalid_arguments: str | None = memory_field()


UserPart: TypeAlias = TextContent | ImageContent
AssistantPart: TypeAlias = TextContent | ThinkingContent | ToolCall

_PARTS: dict[str, type[TextContent | ImageContent | ThinkingContent | ToolCall]] = {
    "text": TextContent,
    "image": ImageContent,
    "thinking": ThinkingContent,
    "toolCall": ToolCall,
}


@dataclass(slots=True)
class OpaquePart(Record):
    """A content block of a kind that this version does not know; it passes through untouched."""

    @property
    def type(self) -> str:
        """The kind that it calls itself."""
        return str(self.extra.get("type", ""))


def part_from_json(data: JsonObject) -> Any:
    """The typed content block; an `OpaquePart` for kinds unknown here."""
    return _PARTS.get(data.get("type", ""), OpaquePart).from_json(data)


def _parts_from_json(data: Any) -> Any:
    return data if isinstance(data, str) else [part_from_json(each) for each in data]


def _parts_to_json(content: Any) -> Any:
    return content if isinstance(content, str) else [each.to_json() for each in content]


def content_field(**more: Any) -> Any:
    """A message's content: a string or a list of content blocks."""
    return coded(_parts_from_json, _parts_to_json, **more)


@dataclass(slots=True)
class Cost(Record):
    """US dollars."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0
    total: float = 0


@dataclass(slots=True)
class Usage(Record):
    """Tokens of one model call. `reasoning` is contained in `output`, `cache_*` is not in `input`."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    total_tokens: int = 0
    reasoning: int | None = None
    cost: Cost = record_field(Cost, default_factory=Cost)


def _tools_from_json(data: Any) -> list[Tool]:
    return [Tool.from_json(each) for each in data]


def _records_to_json(records: Sequence[Record]) -> list[JsonObject]:
    return [each.to_json() for each in records]


@dataclass(slots=True)
class SystemMessage(Record):
    """The prompt and tool set, or a change of them.

    The leading one declares all `sections` and tools; later ones patch sections by name (None removes
    one) and list the tools that came and went. Replaying them in order yields the current state.
    """

    TAG = "role"
    role: ClassVar[str] = "system"
    content: str | list[TextContent] = content_field(default="")
    sections: dict[str, str | None] | None = None
    tools_added: list[Tool] | None = coded(_tools_from_json, _records_to_json, default=None)
    tools_removed: list[JsonObject] | None = None
    timestamp: int = field(default_factory=now_ms)


@dataclass(slots=True)
class UserMessage(Record):
    """What the user, or the harness in the user's name, says."""

    TAG = "role"
    role: ClassVar[str] = "user"
    content: str | list[UserPart] = content_field(default="")
    timestamp: int = field(default_factory=now_ms)


@dataclass(slots=True)
class AssistantMessage(Record):
    """What the model answered, or how far it came. `stop_reason` is "pending" while it streams.

    `fault` tells why a provider failed, for rules about retry and compaction; it lives in memory only.
    """

    TAG = "role"
    role: ClassVar[str] = "assistant"
    content: list[AssistantPart] = content_field(default_factory=list)
    api: str = ""
    provider: str = ""
    model: str = ""
    response_model: str | None = None
    usage: Usage = record_field(Usage, default_factory=Usage)
    stop_reason: StopReason = "pending"
    error_message: str | None = None
    timestamp: int = field(default_factory=now_ms)
    response_id: str | None = None
    raw_stop_reason: str | None = None
    duration_ms: int | None = None
    thinking_level: str | None = None
    fault: Fault | None = memory_field()

    @property
    def tool_calls(self) -> list[ToolCall]:
        """The calls in the order in which the model asked for them."""
        return [part for part in self.content if isinstance(part, ToolCall)]

    @property
    def text(self) -> str:
        """The text blocks, joined."""
        return "".join(part.text for part in self.content if isinstance(part, TextContent))


@dataclass(slots=True)
class ToolResultMessage(Record):
    """What a tool call came to. `details` is the tool's own, for people and programs, not for models."""

    TAG = "role"
    role: ClassVar[str] = "toolResult"
    tool_call_id: str = ""
    tool_name: str = ""
    content: list[UserPart] = content_field(default_factory=list)
    details: Any = None
    usage: Usage | None = record_field(Usage, default=None)
    is_error: bool = False
    duration_ms: int | None = None
    timestamp: int = field(default_factory=now_ms)


Message: TypeAlias = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage

MESSAGES: dict[str, type[SystemMessage | UserMessage | AssistantMessage | ToolResultMessage]] = {
    "system": SystemMessage,
    "user": UserMessage,
    "assistant": AssistantMessage,
    "toolResult": ToolResultMessage,
}


def message_from_json(data: JsonObject) -> Message:
    """The typed message; raises `ValueError` for a role that no model knows."""
    kind = MESSAGES.get(data.get("role", ""))
    if kind is None:
        raise ValueError(f"not a model's message role: {data.get('role')!r}")
    return kind.from_json(data)


def parts_of(content: str | Sequence[UserPart]) -> Sequence[UserPart]:
    """The blocks of a content; a string is one block of text."""
    return (TextContent(content),) if isinstance(content, str) else content


def text_of(content: str | Sequence[Any]) -> str:
    """The text blocks of a content, joined by newlines."""
    if isinstance(content, str):
        return content
    return "\n".join(part.text for part in content if isinstance(part, TextContent))
