"""Where a harness reaches into the loop. Every hook is optional; the defaults change nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pi_term.agent.messages import AgentMessage
from pi_term.agent.tools import AgentTool, ToolResult
from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_term.ai.models import Model
from pi_term.ai.registry import stream_model
from pi_term.ai.stream import AssistantStream
from pi_term.base.json import JsonObject

Messages: TypeAlias = Sequence[AgentMessage]
ToolResults: TypeAlias = Sequence[ToolResultMessage]


@dataclass(frozen=True, slots=True)
class RequestSetup:
    """What the next request uses; taken anew before each, so an open one never changes."""

    model: Model
    system_prompt: str = ""
    tools: Sequence[AgentTool] = ()
    options: StreamOptions = StreamOptions()


@dataclass(frozen=True, slots=True)
class Blocked:
    """A `before_tool_call` that says no; the model reads `reason` as the call's error."""

    reason: str


async def _same_messages(messages: Messages) -> Messages:
    return messages


async def _model_messages(messages: Messages) -> Sequence[Message]:
    kinds = (SystemMessage, UserMessage, AssistantMessage, ToolResultMessage)
    return [message for message in messages if isinstance(message, kinds)]


async def _allow(call: ToolCall, args: JsonObject) -> Blocked | None:
    return None


async def _same_result(call: ToolCall, args: JsonObject, result: ToolResult) -> ToolResult:
    return result


async def _nothing_new(message: AssistantMessage, results: ToolResults) -> Messages:
    return ()


async def _go_on(message: AssistantMessage, results: ToolResults) -> bool:
    return False


async def _stream(model: Model, context: Context, options: StreamOptions) -> AssistantStream:
    return stream_model(model, context, options)


@dataclass(slots=True)
class LoopHooks:
    """The hooks, in the order in which a turn comes by them.

    `transform_context` may drop or inject messages and `convert_to_llm` makes what the model may see, both
    before each request. `stream` makes the call, with credentials resolved now. `before_tool_call` may
    block, `after_tool_call` may replace the result (not of blocked or invalid calls).
    `should_stop_after_turn` ends the run; else `prepare_next_turn` is awaited at the save point and may
    return messages to deliver first.
    """

    transform_context: Callable[[Messages], Awaitable[Messages]] = _same_messages
    convert_to_llm: Callable[[Messages], Awaitable[Sequence[Message]]] = _model_messages
    stream: Callable[[Model, Context, StreamOptions], Awaitable[AssistantStream]] = _stream
    before_tool_call: Callable[[ToolCall, JsonObject], Awaitable[Blocked | None]] = _allow
    after_tool_call: Callable[[ToolCall, JsonObject, ToolResult], Awaitable[ToolResult]] = _same_result
    should_stop_after_turn: Callable[[AssistantMessage, ToolResults], Awaitable[bool]] = _go_on
    prepare_next_turn: Callable[[AssistantMessage, ToolResults], Awaitable[Messages]] = _nothing_new
