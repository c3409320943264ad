"""What happens during a run. Names and order are those of Pi's event stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import ClassVar, TypeAlias

from pi_term.agent.messages import AgentMessage
from pi_term.agent.tools import ToolResult
from pi_term.ai.events import BlockEvent
from pi_term.ai.messages import AssistantMessage, ToolResultMessage
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject


@dataclass(frozen=True, slots=True)
class AgentStart:
    """A run began."""

    type: ClassVar[str] = "agent_start"


@dataclass(frozen=True, slots=True)
class AgentEnd:
    """A run ended; `messages` are those that it added. `will_retry`: the harness will start it again."""

    messages: Sequence[AgentMessage]
    will_retry: bool = False
    type: ClassVar[str] = "agent_end"


@dataclass(frozen=True, slots=True)
class TurnStart:
    """A model call, with what is delivered before it, begins."""

    type: ClassVar[str] = "turn_start"


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """An answer and the results of its tool calls are complete."""

    message: AssistantMessage
    tool_results: Sequence[ToolResultMessage] = ()
    type: ClassVar[str] = "turn_end"


@dataclass(frozen=True, slots=True)
class MessageStart:
    """A message begins; an assistant's is still empty and grows."""

    message: AgentMessage
    type: ClassVar[str] = "message_start"


@dataclass(frozen=True, slots=True)
class MessageUpdate:
    """The growing assistant message changed by `event`."""

    message: AssistantMessage
    event: BlockEvent
    type: ClassVar[str] = "message_update"


@dataclass(frozen=True, slots=True)
class MessageEnd:
    """A message is final."""

    message: AgentMessage
    type: ClassVar[str] = "message_end"


@dataclass(frozen=True, slots=True)
class ToolExecutionStart:
    """The loop took up a call (it may still be refused)."""

    tool_call_id: str
    tool_name: str
    args: JsonObject
    type: ClassVar[str] = "tool_execution_start"


@dataclass(frozen=True, slots=True)
class ToolExecutionUpdate:
    """A running tool shows how far it is."""

    tool_call_id: str
    tool_name: str
    args: JsonObject
    partial_result: ToolResult
    type: ClassVar[str] = "tool_execution_update"


@dataclass(frozen=True, slots=True)
class ToolExecutionEnd:
    """A call is over. `duration_ms` is None when the tool did not run."""

    tool_call_id: str
    tool_name: str
    result: ToolResult
    is_error: bool
    duration_ms: int | None = None
    type: ClassVar[str] = "tool_execution_end"


@dataclass(frozen=True, slots=True)
class QueueUpdate:
    """The waiting messages, as texts, in the order in which they will be delivered."""

    steering: list[str] = field(default_factory=list)
    follow_up: list[str] = field(default_factory=list)
    type: ClassVar[str] = "queue_update"


AgentEvent: TypeAlias = (
    AgentStart
    | AgentEnd
    | TurnStart
    | TurnEnd
    | MessageStart
    | MessageUpdate
    | MessageEnd
    | ToolExecutionStart
    | ToolExecutionUpdate
    | ToolExecutionEnd
    | QueueUpdate
)
