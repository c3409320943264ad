"""The agent loop: model calls and tool batches until there is nothing left to do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from pi_term.agent.batch import NOT_RUN, Emit, ToolBatch
from pi_term.agent.events import (
    AgentEnd,
    AgentStart,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    TurnEnd,
    TurnStart,
)
from pi_term.agent.hooks import LoopHooks, RequestSetup
from pi_term.agent.messages import AgentMessage
from pi_term.agent.queues import MessageQueue
from pi_term.agent.tools import ExecutionMode
from pi_term.ai.context import Context
from pi_term.ai.events import StreamDone, StreamError, StreamStart
from pi_term.ai.messages import AssistantMessage, SystemMessage, ToolResultMessage
from pi_term.ai.stream import AssistantStream, failed_stream
from pi_term.base.abort import AbortSignal, run_abortable


@dataclass(slots=True)
class LoopInput:
    """What a run reads while it goes.

    `messages` is the history; the run appends to it. `setup()` is asked before each request. What waits in
    the two queues is taken out when it is delivered, and `queue_changed` awaited.
    """

    messages: list[AgentMessage]
    setup: Callable[[], RequestSetup]
    signal: AbortSignal
    hooks: LoopHooks = field(default_factory=LoopHooks)
    execution_mode: ExecutionMode = "parallel"
    steering: MessageQueue = field(default_factory=MessageQueue)
    follow_ups: MessageQueue = field(default_factory=MessageQueue)
    queue_changed: Callable[[], Awaitable[None]] | None = None


async def run_loop(prompts: Sequence[AgentMessage], given: LoopInput, emit: Emit) -> list[AgentMessage]:
    """Run until done and return the messages that were added; `emit` is awaited for every event.

    With no `prompts` the run goes on from the history's tail. `emit` returns the event, perhaps with
    another message in it; what it returns is what counts.
    """
    return await _Run(given, emit).go(prompts)


class _Run:
    """The state of one run."""

    def __init__(self, given: LoopInput, emit: Emit) -> None:
        self._given = given
        self._hooks = given.hooks
        self._emit = emit
        self._added: list[AgentMessage] = []
        self._injected: Sequence[AgentMessage] = ()

    async def go(self, prompts: Sequence[AgentMessage]) -> list[AgentMessage]:
        await self._emit(AgentStart())
        await self._emit(TurnStart())
        for prompt in prompts:
            await self._add(prompt)
        await self._deliver(self._given.steering)
        while (queue := await self._turn()) is not None:
            await self._emit(TurnStart())
            await self._deliver(queue)
        await self._emit(AgentEnd(self._added))
        return self._added

    async def _turn(self) -> MessageQueue | None:
        """One model call and its tools; the queue that the next turn begins with, if there is one."""
        setup = self._given.setup()
        message = await self._ask(setup)
        if message.stop_reason in ("error", "aborted"):
            await self._emit(TurnEnd(message))
            return None
        results, wants_answer = await self._run_tools(message, setup)
        await self._emit(TurnEnd(message, results))
        if await self._hooks.should_stop_after_turn(message, results):
            return None
        self._injected = await self._hooks.prepare_next_turn(message, results)
        if wants_answer or self._injected or len(self._given.steering):
            return self._given.steering
        return self._given.follow_ups if len(self._given.follow_ups) else None

    async def _deliver(self, queue: MessageQueue) -> None:
        """Add what waits. A message leaves its queue only now, so that until then it can be edited."""
        injected, self._injected = self._injected, ()
        for message in injected:
            await self._add(message)
        # What waits when the run is called off is not for a model that is not asked any more.
        for _ in range(0 if self._given.signal.aborted else queue.due()):
            waiting = queue.pop()
            if waiting is not None:
                if self._given.queue_changed is not None:
                    await self._given.queue_changed()
                await self._add(waiting)

    async def _add(self, message: AgentMessage) -> AgentMessage:
        await self._emit(MessageStart(message))
        return await self._end(message)

    async def _end(self, message: AgentMessage) -> AgentMessage:
        event = await self._emit(MessageEnd(message))
        final = event.message if isinstance(event, MessageEnd) else message
        self._given.messages.append(final)
        self._added.append(final)
        return final

    async def _ask(self, setup: RequestSetup) -> AssistantMessage:
        stream = await self._open(setup)
        started = False
        async for event in stream:
            if isinstance(event, StreamStart):
                started = True
                await self._emit(MessageStart(event.partial))
            elif not isinstance(event, (StreamDone, StreamError)):
                await self._emit(MessageUpdate(event.partial, event))
        message = await stream.result()
        message.thinking_level = setup.options.thinking
        if not started:
            await self._emit(MessageStart(message))
        final = await self._end(message)
        return final if isinstance(final, AssistantMessage) else message

    async def _open(self, setup: RequestSetup) -> AssistantStream:
        try:
            # Hooks and commands that print keys may take as long as they like: the run can be called off.
            return await run_abortable(self._request(setup), self._given.signal)
        except Exception as error:  # noqa: BLE001 - what keeps a request from starting is its answer
            return failed_stream(setup.model, error)

    async def _request(self, setup: RequestSetup) -> AssistantStream:
        seen = await self._hooks.transform_context(self._given.messages)
        converted = await self._hooks.convert_to_llm(seen)
        context = Context(
            setup.system_prompt,
            [message for message in converted if not isinstance(message, SystemMessage)],
            [tool.declaration() for tool in setup.tools],
        )
        return await self._hooks.stream(setup.model, context, setup.options)

    async def _run_tools(
        self, message: AssistantMessage, setup: RequestSetup
    ) -> tuple[list[ToolResultMessage], bool]:
        """The results, and whether they call for another model call."""
        calls = message.tool_calls
        if not calls:
            return [], False
        batch = ToolBatch(
            setup.tools, self._hooks, self._emit, self._given.signal, self._given.execution_mode
        )
        if message.stop_reason == "length":
            refused = [await self._add_result(await batch.refuse(call, NOT_RUN)) for call in calls]
            return refused, True
        results = [await self._add_result(result) for result in await batch.run(calls)]
        return results, not batch.terminate

    async def _add_result(self, result: ToolResultMessage) -> ToolResultMessage:
        final = await self._add(result)
        return final if isinstance(final, ToolResultMessage) else result
