"""The messages a coding session knows beyond those a model may see, and what models get of them.

An `AgentMessage` is run state. `convert_to_llm` makes of it, late and for one request only, the
messages that a provider can be sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any, ClassVar

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import (
    MESSAGES,
    AssistantMessage,
    ImageContent,
    Message,
    SystemMessage,
    TextContent,
    ToolResultMessage,
    UserMessage,
    UserPart,
    content_field,
    parts_of,
)
from pi_term.base.clock import now_ms
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.records import Record
from pi_term.base.text import fenced


@dataclass(slots=True)
class BashExecutionMessage(Record):
    """A shell command that the user ran with `!`; with `!!` it is `exclude_from_context`.

    `exit_code` is None for a command that was cancelled. `full_output_path` names the file with the
    whole output where `output` is only its end (`truncated`).
    """

    TAG = "role"
    role: ClassVar[str] = "bashExecution"
    command: str = ""
    output: str = ""
    exit_code: int | None = None
    cancelled: bool = False
    truncated: bool = False
    full_output_path: str | None = None
    exclude_from_context: bool | None = None
    timestamp: int = field(default_factory=now_ms)


@dataclass(slots=True)
class CustomMessage(Record):
    """A message that an extension put into the context; `display` says whether people see it."""

    TAG = "role"
    role: ClassVar[str] = "custom"
    custom_type: str = ""
    content: str | list[UserPart] = content_field(default="")
    display: bool = True
    details: Any = None
    timestamp: int = field(default_factory=now_ms)


@dataclass(slots=True)
class BranchSummaryMessage(Record):
    """What happened on a branch that was left; `from_id` is the entry at its end."""

    TAG = "role"
    role: ClassVar[str] = "branchSummary"
    summary: str = ""
    from_id: str | None = None
    timestamp: int = field(default_factory=now_ms)


@dataclass(slots=True)
class CompactionSummaryMessage(Record):
    """What stands for the history that compaction took out, which was `tokens_before` tokens long."""

    TAG = "role"
    role: ClassVar[str] = "compactionSummary"
    summary: str = ""
    tokens_before: int = 0
    timestamp: int = field(default_factory=now_ms)


@dataclass(slots=True)
class OpaqueMessage(Record):
    """A message of a role that this version does not know: kept as it is, never sent to a model."""

    @property
    def role(self) -> str:
        """The role that it gives itself."""
        return str(self.extra.get("role", ""))


_ROLES: dict[str, Any] = {
    **MESSAGES,
    "bashExecution": BashExecutionMessage,
    "custom": CustomMessage,
    "hookMessage": CustomMessage,  # its name in files of version 2
    "branchSummary": BranchSummaryMessage,
    "compactionSummary": CompactionSummaryMessage,
}


def agent_message_from_json(data: JsonObject) -> AgentMessage:
    """The typed message; an `OpaqueMessage` where the role is unknown.

    Raises `ValueError`, `TypeError` or `AttributeError` where the object has not the shape of its role.
    """
    role = data.get("role")
    kind = _ROLES.get(role, OpaqueMessage) if isinstance(role, str) else OpaqueMessage
    message: AgentMessage = kind.from_json(data)
    return message


def user_message(text: str, images: Sequence[ImageContent] = ()) -> UserMessage:
    """A prompt."""
    parts = [TextContent(text)] if text else []
    return UserMessage([*parts, *images])


def convert_to_llm(messages: Iterable[AgentMessage]) -> list[Message]:
    """What a model is told of `messages`, in their order.

    Shell records become user text unless they are excluded, custom messages user messages, summaries
    user text inside `<summary>` tags. System messages stay where they are. Unknown roles are left out.
    """
    converted = (_for_model(message) for message in messages)
    return [message for message in converted if message is not None]


def _for_model(message: AgentMessage) -> Message | None:
    match message:
        case SystemMessage() | UserMessage() | AssistantMessage() | ToolResultMessage():
            return message
        case BashExecutionMessage():
            if message.exclude_from_context:
                return None
            return _user(shell_record_text(message), message.timestamp)
        case CustomMessage():
            return UserMessage(content=[*parts_of(message.content)], timestamp=message.timestamp)
        case BranchSummaryMessage():
            return _user(_summary(_BRANCH_LEFT, message.summary), message.timestamp)
        case CompactionSummaryMessage():
            return _user(_summary(_COMPACTED, message.summary), message.timestamp)
        case _:
            return None


_BRANCH_LEFT = "Work was also done on another branch of this conversation, since abandoned. In short:"
_COMPACTED = "The earlier part of this conversation was replaced by this summary of it:"


def _summary(introduction: str, summary: str) -> str:
    return f"{introduction}\n\n<summary>\n{summary}\n</summary>"


def _user(text: str, timestamp: int) -> UserMessage:
    return UserMessage(content=[TextContent(text)], timestamp=timestamp)


def shell_record_text(record: BashExecutionMessage) -> str:
    """A shell command and its outcome as a model reads it."""
    output = fenced(record.output) if record.output else "(no output)"
    parts = [f"Ran `{record.command}`\n{output}"]
    if record.cancelled:
        parts.append("(command cancelled)")
    elif record.exit_code:
        parts.append(f"Command exited with code {record.exit_code}")
    if record.truncated and record.full_output_path:
        parts.append(f"[Output truncated. Full output: {record.full_output_path}]")
    return "\n\n".join(parts)
