"""Where a harness reaches into the loop. Every hook is optional; the defaults change nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias, TypeVar

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
from pi_term.base.abort import AbortError, AbortSignal, run_abortable
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.log import log

T = TypeVar("T")
Messages: TypeAlias = Sequence[AgentMessage]
ToolResults: TypeAlias = Sequence[ToolResultMessage]


@dataclass(frozen=True, slots=True)
class RequestSetup:
    """What the next request uses; taken anew before each, so an open one never changes.

    The loop adds the run's signal to `options`.
    """

    model: Model
    system_prompt: str = ""
    tools: Sequence[AgentTool] = ()
    options: StreamOptions = StreamOptions()


@dataclass(frozen=True, slots=True)
class Blocked:
    """A `before_tool_call` that says no; the model reads `reason` as the call's error.

    `terminate` is that of the result: if all of a batch say so, the model is not asked again.
    """

    reason: str
    terminate: bool = False


async def _same_messages(messages: Messages, signal: AbortSignal) -> Messages:
    return messages


async def _model_messages(messages: Messages) -> Sequence[Message]:
    kinds = (SystemMessage, UserMessage, AssistantMessage, ToolResultMessage)
    return [message for message in messages if isinstance(message, kinds)]


async def _stream(model: Model, context: Context, options: StreamOptions) -> AssistantStream:
    return stream_model(model, context, options)


async def _allow(call: ToolCall, args: JsonObject, signal: AbortSignal) -> Blocked | None:
    return None


async def _same_result(
    call: ToolCall, args: JsonObject, result: ToolResult, signal: AbortSignal
) -> ToolResult:
    return result


async def _go_on(message: AssistantMessage, results: ToolResults, signal: AbortSignal) -> bool:
    return False


async def _nothing_new(message: AssistantMessage, results: ToolResults, signal: AbortSignal) -> Messages:
    return ()


@dataclass(slots=True)
class LoopHooks:
    """The hooks, in the order in which a turn comes by them.

    Each may take as long as it likes and gets the run's signal (`stream` in its options); one that has not
    reacted to an abort after a second is cancelled. Once the run is called off none is asked any more, save
    `after_tool_call` of what ran. What they do, and what holds when they throw:

    - `transform_context` may drop or inject messages, `convert_to_llm` makes what the model may see, and
      `stream` makes the call, with credentials resolved now: the failure is the turn's answer, an error.
    - `before_tool_call` may change `args` in place, or block: the call is not run.
    - `after_tool_call` may give another result (not of blocked or invalid calls): the result stands.
    - `should_stop_after_turn` ends the run: it goes on.
    - `prepare_next_turn` is asked at the save point, if another model call follows. It may change the
      history in place and return messages to deliver first: there are none.
    """

    transform_context: Callable[[Messages, AbortSignal], Awaitable[Messages]] = _same_messages
    convert_to_llm: Callable[[Messages], Awaitable[Sequence[Message]]] = _model_messages
    stream: Callable[[Model, Context, StreamOptions], Awaitable[AssistantStream]] = _stream
    before_tool_call: Callable[[ToolCall, JsonObject, AbortSignal], Awaitable[Blocked | None]] = _allow
    after_tool_call: Callable[[ToolCall, JsonObject, ToolResult, AbortSignal], Awaitable[ToolResult]] = (
        _same_result
    )
    should_stop_after_turn: Callable[[AssistantMessage, ToolResults, AbortSignal], Awaitable[bool]] = _go_on
    prepare_next_turn: Callable[[AssistantMessage, ToolResults, AbortSignal], Awaitable[Messages]] = (
        _nothing_new
    )


async def answer_of(name: str, hook: Callable[[], Awaitable[T]], signal: AbortSignal, otherwise: T) -> T:
    """What a hook answers; `otherwise` when it throws (which is logged) or has to be ended by an abort."""
    try:
        return await run_abortable(hook(), signal)
    except AbortError:
        log.info("%s was ended by the abort", name)
    except Exception:  # noqa: BLE001 - a hook may be anybody's code
        log.exception("%s failed", name)
    return otherwise
