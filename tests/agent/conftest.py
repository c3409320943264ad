"""An agent on a stage: a scripted model, tools made of functions, and everything that happened."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

import pytest

from pi_term.agent.agent import Agent
from pi_term.agent.events import AgentEvent
from pi_term.agent.tools import AgentTool, ExecutionMode, ToolCallContext, ToolResult, text_result
from pi_term.ai.messages import AssistantMessage, ToolResultMessage, UserMessage, text_of
from pi_term.ai.scripted import Part, Reply
from pi_term.testing.scripted import ScriptedModel

Run = Callable[[dict[str, Any], ToolCallContext], Awaitable[ToolResult]]


class Stage:
    """An agent whose model answers from a script; `events` are all that its listeners heard."""

    def __init__(self, script: ScriptedModel) -> None:
        self.script = script
        self.agent = Agent(script.model)
        self.events: list[AgentEvent] = []
        self.agent.subscribe(self._listen)

    async def _listen(self, event: AgentEvent) -> None:
        self.events.append(event)

    async def go(self, *replies: Sequence[Part] | Reply, prompt: str = "go") -> None:
        """Prompt, with these answers next in the script."""
        self.script.replies += replies
        await self.agent.prompt([UserMessage(prompt)])

    def add_tool(self, name: str, run: Run | None = None, mode: ExecutionMode = "parallel") -> None:
        """A tool that says its name, or does what `run` does."""

        async def say_name(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
            return text_result(name)

        tool = AgentTool(name, name, name, {"type": "object"}, run or say_name, execution_mode=mode)
        self.agent.state.tools = [*self.agent.state.tools, tool]

    @property
    def last(self) -> AssistantMessage:
        """The last message, which is an answer."""
        last = self.agent.state.messages[-1]
        assert isinstance(last, AssistantMessage)
        return last

    @property
    def results(self) -> list[tuple[str, str, bool]]:
        """Call id, text and error flag of each result in the history."""
        found = [each for each in self.agent.state.messages if isinstance(each, ToolResultMessage)]
        return [(each.tool_call_id, text_of(each.content), each.is_error) for each in found]

    @property
    def prompts(self) -> list[str]:
        """The texts of the user messages in the history."""
        found = [each for each in self.agent.state.messages if isinstance(each, UserMessage)]
        return [text_of(each.content) for each in found]

    def kinds(self, *, after: int = 0) -> list[str]:
        """The names of the events, without deltas."""
        return [event.type for event in self.events[after:] if event.type != "message_update"]


@pytest.fixture
def new_stage() -> Iterator[Callable[[], Stage]]:
    """Makes stages: for tests that need many, or one in a loop of their own."""
    opened: list[ScriptedModel] = []

    def make() -> Stage:
        opened.append(ScriptedModel(reasoning=True).__enter__())
        return Stage(opened[-1])

    yield make
    for script in opened:
        script.__exit__(None, None, None)


@pytest.fixture
def stage(new_stage: Callable[[], Stage]) -> Stage:
    return new_stage()
