"""One batch of tool calls: preflight in order, run together, results in the order of the calls."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import deepcopy
from typing import TypeAlias

from pi_term.agent.events import AgentEvent, ToolExecutionEnd, ToolExecutionStart
from pi_term.agent.hooks import LoopHooks, answer_of
from pi_term.agent.progress import Progress
from pi_term.agent.tools import AgentTool, ExecutionMode, ToolCallContext, ToolError, ToolResult, text_result
from pi_term.agent.validate import is_ordinary, validate_arguments
from pi_term.ai.messages import ToolCall, ToolResultMessage
from pi_term.base.abort import AbortError, AbortSignal, run_abortable
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.log import log
from pi_term.base.records import Record

Emit: TypeAlias = Callable[[AgentEvent], Awaitable[AgentEvent]]

ABORTED = "Operation aborted"
NOT_RUN = (
    "Tool call was not run: the answer hit its output limit, so the call may be incomplete. "
    "Ask again with less text in one call."
)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A call that is over. `duration_ms` is None when the tool did not run."""

    result: ToolResult
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class _Allowed:
    """A call that passed preflight."""

    tool: AgentTool
    args: JsonObject


class ToolBatch:
    """Runs the calls of one assistant message. `terminate` is known after `run`."""

    def __init__(
        self,
        tools: Sequence[AgentTool],
        hooks: LoopHooks,
        emit: Emit,
        signal: AbortSignal,
        mode: ExecutionMode = "parallel",
    ) -> None:
        self._tools: Mapping[str, AgentTool] = {tool.name: tool for tool in tools}
        self._hooks = hooks
        self._emit = emit
        self._signal = signal
        self._mode = mode
        self.terminate = False

    async def run(self, calls: Sequence[ToolCall]) -> list[ToolResultMessage]:
        """All results, in the order of `calls`; none is missing whatever happens."""
        if self._is_sequential(calls):
            outcomes = [await self._finish(call, await self._take_up(call)) for call in calls]
        else:
            outcomes = await self._run_together(calls)
        self.terminate = bool(outcomes) and all(outcome.result.terminate for outcome in outcomes)
        return [_message(call, outcome) for call, outcome in zip(calls, outcomes, strict=True)]

    async def refuse(self, call: ToolCall, reason: str) -> ToolResultMessage:
        """An error result for a call that is not run at all; its start and end are still told."""
        if call.invalid_arguments is not None:
            reason = f"{reason} {_received(call.invalid_arguments)}"
        await self._start(call)
        return _message(call, await self._end(call, _failed(reason)))

    def _is_sequential(self, calls: Sequence[ToolCall]) -> bool:
        named = [self._tools[call.name] for call in calls if call.name in self._tools]
        return self._mode == "sequential" or any(tool.execution_mode == "sequential" for tool in named)

    async def _run_together(self, calls: Sequence[ToolCall]) -> list[_Outcome]:
        """All preflights first, so that no tool runs while a hook still asks about the next."""
        taken = [await self._take_up(call) for call in calls]
        async with asyncio.TaskGroup() as group:
            work = zip(calls, taken, strict=True)
            tasks = [group.create_task(self._finish(call, ready)) for call, ready in work]
        return [task.result() for task in tasks]

    async def _take_up(self, call: ToolCall) -> _Allowed | _Outcome:
        """Start a call: either it may run, or it is already over."""
        await self._start(call)
        ready = await self._preflight(call)
        return ready if isinstance(ready, _Allowed) else await self._end(call, ready)

    async def _finish(self, call: ToolCall, ready: _Allowed | _Outcome) -> _Outcome:
        if isinstance(ready, _Outcome):
            return ready
        return await self._end(call, await self._execute(call, ready))

    async def _start(self, call: ToolCall) -> None:
        await self._emit(ToolExecutionStart(call.id, call.name, call.arguments))

    async def _end(self, call: ToolCall, outcome: _Outcome) -> _Outcome:
        result = outcome.result
        await self._emit(ToolExecutionEnd(call.id, call.name, result, result.is_error, outcome.duration_ms))
        return outcome

    # --- may it run?

    async def _preflight(self, call: ToolCall) -> _Allowed | _Outcome:
        """Look up, prepare, validate, ask: either the call may run or it has its result."""
        if self._signal.aborted:
            return _failed(ABORTED)
        try:
            return await run_abortable(self._check(call), self._signal)
        except AbortError:
            return _failed(ABORTED)
        except ToolError as error:
            return _failed(str(error))
        except Exception as error:  # noqa: BLE001 - a hook that throws blocks the call
            log.warning("preflight of %s failed", call.name, exc_info=True)
            return _failed(f"{call.name} was not run: {error or type(error).__name__}")

    async def _check(self, call: ToolCall) -> _Allowed | _Outcome:
        tool = self._tools.get(call.name)
        if tool is None:
            raise ToolError(f"Tool {call.name} not found. Available: {', '.join(self._tools) or 'none'}.")
        if call.invalid_arguments is not None:
            raise ToolError(
                f"The arguments of {call.name} are incomplete or not a JSON object. "
                f"{_received(call.invalid_arguments)}"
            )
        args = await _fitted(tool, call)
        blocked = await self._hooks.before_tool_call(call, args, self._signal)
        if blocked is not None:
            return _failed(blocked.reason, terminate=blocked.terminate)
        return _Allowed(tool, args)

    # --- running it

    async def _execute(self, call: ToolCall, ready: _Allowed) -> _Outcome:
        if self._signal.aborted:
            return _failed(ABORTED)
        async with Progress(call, self._emit) as progress:
            began = time.monotonic()
            result = await self._result_of(call, ready, progress)
            duration = round((time.monotonic() - began) * 1000)
        return _Outcome(await self._after(call, ready.args, result), duration)

    async def _result_of(self, call: ToolCall, ready: _Allowed, progress: Progress) -> ToolResult:
        context = ToolCallContext(call.id, self._signal, progress.show)
        try:
            result = await run_abortable(ready.tool.execute(ready.args, context), self._signal)
        except AbortError:
            return text_result(ABORTED, is_error=True)
        except ToolError as error:
            return text_result(str(error), details=error.details, is_error=True)
        except Exception as error:  # noqa: BLE001 - a tool that throws is an error result
            log.warning("tool %s failed", call.name, exc_info=True)
            return text_result(f"{call.name} failed: {error or type(error).__name__}", is_error=True)
        if not _is_result(result):
            log.warning("tool %s returned %s, not a ToolResult", call.name, type(result).__name__)
            return text_result(f"{call.name} failed: it returned no usable result.", is_error=True)
        return result

    async def _after(self, call: ToolCall, args: JsonObject, result: ToolResult) -> ToolResult:
        def hook() -> Awaitable[ToolResult]:
            return self._hooks.after_tool_call(call, args, result, self._signal)

        answer = await answer_of("after_tool_call", hook, self._signal, result)
        if _is_result(answer):
            return answer
        log.warning("after_tool_call of %s returned %s, not a ToolResult", call.name, type(answer).__name__)
        return result


async def _fitted(tool: AgentTool, call: ToolCall) -> JsonObject:
    """The arguments to run with: a copy, for what is mended or changed is not what the model asked for."""
    args = deepcopy(call.arguments)
    if tool.prepare:
        args = tool.prepare(args)
    if is_ordinary(tool.parameters):
        return validate_arguments(tool.parameters, args)
    return await asyncio.to_thread(validate_arguments, tool.parameters, args)


def _is_result(value: object) -> bool:
    """Tools and hooks may be anybody's code: what they return must fit into a message."""
    return (
        isinstance(value, ToolResult)
        and isinstance(value.content, list)
        and all(isinstance(part, Record) for part in value.content)
    )


def _received(arguments: str) -> str:
    """What arrived of arguments that cannot be used."""
    return f"Received: {arguments[:1000] or '(nothing)'}"


def _failed(text: str, *, terminate: bool = False) -> _Outcome:
    result = text_result(text, is_error=True)
    result.terminate = terminate
    return _Outcome(result)


def _message(call: ToolCall, outcome: _Outcome) -> ToolResultMessage:
    result = outcome.result
    return ToolResultMessage(
        tool_call_id=call.id,
        tool_name=call.name,
        content=result.content,
        details=result.details,
        usage=result.usage,
        is_error=result.is_error,
        duration_ms=outcome.duration_ms,
    )
