"""One batch of tool calls: preflight in order, run together, results in the order of the calls."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pi_term.agent.events import (
    AgentEvent,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
)
from pi_term.agent.hooks import LoopHooks
from pi_term.agent.tools import AgentTool, ExecutionMode, ToolCallContext, ToolError, ToolResult, text_result
from pi_term.agent.validate import validate_arguments
from pi_term.ai.messages import ToolCall, ToolResultMessage
from pi_term.base.abort import AbortError, AbortSignal, run_abortable
from pi_term.base.json import JsonObject
from pi_term.base.log import log

Emit: TypeAlias = Callable[[AgentEvent], Awaitable[AgentEvent]]

ABORTED = "Operation aborted"
NOT_RUN = (
    "Tool call was not run: the answer hit its output limit, so the call may be incomplete. "
    "Ask again with less text in one call."
)


@dataclass(slots=True)
class _Outcome:
    """A call that is over."""

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
            outcomes = [await self._one_after_the_other(call) for call in calls]
        else:
            outcomes = await self._together(calls)
        self.terminate = bool(outcomes) and all(outcome.result.terminate for outcome in outcomes)
        return [_message(call, outcome) for call, outcome in zip(calls, outcomes, strict=True)]

    async def refuse(self, call: ToolCall, reason: str) -> ToolResultMessage:
        """An error result for a call that is not run at all; its start and end are still told."""
        if call.invalid_arguments is not None:
            reason = f"{reason} {_received(call.invalid_arguments)}"
        await self._start(call)
        return _message(call, await self._end(call, _Outcome(text_result(reason, is_error=True))))

    def _is_sequential(self, calls: Sequence[ToolCall]) -> bool:
        named = [self._tools[call.name] for call in calls if call.name in self._tools]
        return self._mode == "sequential" or any(tool.execution_mode == "sequential" for tool in named)

    async def _one_after_the_other(self, call: ToolCall) -> _Outcome:
        await self._start(call)
        ready = await self._preflight(call)
        outcome = await self._execute(call, ready) if isinstance(ready, _Allowed) else ready
        return await self._end(call, outcome)

    async def _together(self, calls: Sequence[ToolCall]) -> list[_Outcome]:
        pending: list[asyncio.Task[_Outcome] | _Outcome] = []
        try:
            for call in calls:
                await self._start(call)
                ready = await self._preflight(call)
                if isinstance(ready, _Allowed):
                    pending.append(asyncio.create_task(self._run_and_end(call, ready)))
                else:
                    pending.append(await self._end(call, ready))
            return [await each if isinstance(each, asyncio.Task) else each for each in pending]
        finally:
            for each in pending:
                if isinstance(each, asyncio.Task):
                    each.cancel()

    async def _run_and_end(self, call: ToolCall, ready: _Allowed) -> _Outcome:
        return await self._end(call, await self._execute(call, ready))

    async def _start(self, call: ToolCall) -> None:
        await self._emit(ToolExecutionStart(call.id, call.name, call.arguments))

    async def _end(self, call: ToolCall, outcome: _Outcome) -> _Outcome:
        result = outcome.result
        await self._emit(ToolExecutionEnd(call.id, call.name, result, result.is_error, outcome.duration_ms))
        return outcome

    async def _preflight(self, call: ToolCall) -> _Allowed | _Outcome:
        """Look up, prepare, validate, ask: either the call may run or it has its result."""
        try:
            return await self._check(call)
        except ToolError as error:
            return _failed(str(error))
        except Exception as error:  # noqa: BLE001 - a hook that throws blocks the call
            log.warning("preflight of %s failed", call.name, exc_info=True)
            return _failed(f"{call.name} was not run: {error}")

    async def _check(self, call: ToolCall) -> _Allowed:
        if self._signal.aborted:
            raise ToolError(ABORTED)
        tool = self._tools.get(call.name)
        if tool is None:
            raise ToolError(f"Tool {call.name} not found. Available: {', '.join(self._tools) or 'none'}.")
        if call.invalid_arguments is not None:
            raise ToolError(
                f"The arguments of {call.name} are incomplete or not a JSON object. "
                f"{_received(call.invalid_arguments)}"
            )
        args = tool.prepare(call.arguments) if tool.prepare else call.arguments
        args = validate_arguments(tool.parameters, args)
        blocked = await self._hooks.before_tool_call(call, args)
        if blocked is not None:
            raise ToolError(blocked.reason)
        return _Allowed(tool, args)

    async def _execute(self, call: ToolCall, ready: _Allowed) -> _Outcome:
        updates = _Updates(call, self._emit)
        context = ToolCallContext(call.id, self._signal, updates.add)
        began = time.monotonic()
        try:
            result = await run_abortable(ready.tool.execute(ready.args, context), self._signal)
        except AbortError:
            result = text_result(ABORTED, is_error=True)
        except ToolError as error:
            result = text_result(str(error), details=error.details, is_error=True)
        except Exception as error:  # noqa: BLE001 - a tool that throws is an error result
            log.warning("tool %s failed", call.name, exc_info=True)
            result = text_result(f"{call.name} failed: {error or type(error).__name__}", is_error=True)
        duration = round((time.monotonic() - began) * 1000)
        await updates.close()
        return _Outcome(await self._after(call, ready.args, result), duration)

    async def _after(self, call: ToolCall, args: JsonObject, result: ToolResult) -> ToolResult:
        try:
            return await self._hooks.after_tool_call(call, args, result)
        except Exception:  # noqa: BLE001 - the result stands when a hook throws
            log.warning("after_tool_call of %s failed", call.name, exc_info=True)
            return result


class _Updates:
    """Progress of one call: told in order, all of it before the call's end; late ones are dropped."""

    def __init__(self, call: ToolCall, emit: Emit) -> None:
        self._call = call
        self._emit = emit
        self._latest: ToolResult | None = None
        self._teller: asyncio.Task[None] | None = None
        self._closed = False

    def add(self, partial: ToolResult) -> None:
        if self._closed:
            return
        self._latest = partial
        if self._teller is None or self._teller.done():
            self._teller = asyncio.create_task(self._tell())

    async def close(self) -> None:
        self._closed = True
        if self._teller is not None:
            await self._teller

    async def _tell(self) -> None:
        while self._latest is not None:
            partial, self._latest = self._latest, None
            await self._emit(
                ToolExecutionUpdate(self._call.id, self._call.name, self._call.arguments, partial)
            )


def _received(arguments: str) -> str:
    """What arrived of arguments that cannot be used."""
    return f"Received: {arguments[:1000] or '(nothing)'}"


def _failed(text: str) -> _Outcome:
    return _Outcome(text_result(text, is_error=True))


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
