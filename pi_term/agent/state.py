"""What can be read of an agent, and how events change it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

from pi_term.agent.events import (
    AgentEvent,
    MessageEnd,
    MessageStart,
    ToolExecutionEnd,
    ToolExecutionStart,
)
from pi_term.agent.messages import AgentMessage
from pi_term.agent.tools import AgentTool
from pi_term.ai.messages import AssistantMessage
from pi_term.ai.models import Model, ThinkingLevel
from pi_term.base.dataclass import dataclass


@dataclass(slots=True)
class AgentState:
    """What can be read of an agent at any moment.

    Model, thinking level, tools and prompt may be set at any time; an open request keeps what it has.
    During a run `messages` is changed in place only.
    """

    model: Model
    system_prompt: str = ""
    thinking_level: ThinkingLevel = "off"
    tools: Sequence[AgentTool] = ()
    messages: list[AgentMessage] = field(default_factory=list)
    partial: AssistantMessage | None = None
    _running: Counter[str] = field(default_factory=Counter, init=False, repr=False)

    @property
    def is_streaming(self) -> bool:
        """Whether an answer is arriving; `partial` is what there is of it."""
        return self.partial is not None

    @property
    def answer(self) -> AssistantMessage | None:
        """The answer that the conversation ends with; None while one is still to come."""
        last = self.messages[-1] if self.messages else None
        return last if isinstance(last, AssistantMessage) else None

    @property
    def last_error(self) -> str | None:
        """Why the answer that the conversation ends with failed; None where it did not."""
        return None if self.answer is None else self.answer.error_message

    @property
    def pending_tool_calls(self) -> frozenset[str]:
        """The ids of the calls that have begun and not ended."""
        return frozenset(+self._running)

    def reduce(self, event: AgentEvent) -> None:
        """Take in what happened; before anybody is told of it."""
        match event:
            case MessageStart(message=AssistantMessage() as message):
                self.partial = message
            case MessageEnd(message=message):
                self.messages.append(message)
                if isinstance(message, AssistantMessage):
                    self.partial = None
            case ToolExecutionStart():
                self._running[event.tool_call_id] += 1  # a careless model may use an id twice
            case ToolExecutionEnd():
                self._running[event.tool_call_id] -= 1
            case _:
                return

    def replace_message(self, old: AgentMessage, new: AgentMessage) -> None:
        """Put a message in the place of one that has just come in."""
        for index in reversed(range(len(self.messages))):
            if self.messages[index] is old:
                self.messages[index] = new
                return

    def come_to_rest(self) -> None:
        """The run is over, in whichever way: nothing arrives and nothing runs."""
        self.partial = None
        self._running.clear()
