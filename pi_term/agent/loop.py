"""The agent loop: model calls and tool batches until there is nothing left to do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from typing import TypeAlias

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
from pi_term.agent.hooks import LoopHooks, Messages, RequestSetup, ToolResults, answer_of
from pi_term.agent.messages import AgentMessage
from pi_term.agent.queues import MessageQueue, QueuedMessage
from pi_term.agent.tools import ExecutionMode
from pi_term.ai.context import Context
from pi_term.ai.events import StreamDone, StreamError, StreamStart
from pi_term.ai.messages import AssistantMessage, SystemMessage, ToolResultMessage
from pi_term.ai.stream import AssistantStream, failed_stream
from pi_term.base.abort import GRACE, AbortSignal, run_abortable
from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError

_Claim: TypeAlias = tuple[MessageQueue, QueuedMessage]


@dataclass(slots=True)
class LoopInput:
    """What a run reads while it goes.

    `messages` is the history, to be changed in place only. `setup()` is asked before each request. What
    waits in the two queues is taken out when it is delivered.
    """

    messages: list[AgentMessage]
    setup: Callable[[], RequestSetup]
    signal: AbortSignal
    hooks: LoopHooks = field(default_factory=LoopHooks)
    execution_mode: ExecutionMode = "parallel"
    steering: MessageQueue = field(default_factory=MessageQueue)
    follow_ups: MessageQueue = field(default_factory=MessageQueue)


async def run_loop(prompts: Sequence[AgentMessage], given: LoopInput, emit: Emit) -> list[AgentMessage]:
    """Run until done and return the messages that were added; `emit` is awaited for every event.

    `emit` adds the message of a `MessageEnd` to `given.messages` and returns the event, perhaps with
    another message in it (then that one is in the history): what it returns is what counts.

    With no `prompts` the run goes on from the history's tail; `PiTermError("nothing_to_continue")` when
    that is an answer and nothing waits in the queues. A run that is called off ends within seconds; in the
    place of an answer that it would have asked for stands an empty one, "aborted".
    """
    return await _Run(given, emit).go(prompts)


class _Run:
    """The state of one run."""

    def __init__(self, given: LoopInput, emit: Emit) -> None:
        self._given = given
        self._hooks = given.hooks
        self._signal = given.signal
        self._emit = emit
        self._added: list[AgentMessage] = []

    async def go(self, prompts: Sequence[AgentMessage]) -> list[AgentMessage]:
        wanted = bool(prompts) or not _is_answered(self._given.messages)
        if not wanted and not self._something_waits():
            raise PiTermError("nothing_to_continue", "The last message is an answer: nothing to continue.")
        await self._emit(AgentStart())
        next_turn: tuple[Messages, bool] | None = (prompts, wanted)
        while next_turn is not None and await self._begin_turn(*next_turn):
            next_turn = await self._turn()
        await self._emit(AgentEnd(self._added))
        return self._added

    # --- turns

    async def _begin_turn(self, messages: Messages, wanted: bool) -> bool:
        """Start a turn with `messages` and what waits; False when nothing wants an answer any more.

        When only what waits does, the first of it is claimed before the turn starts: until then the user
        may take it back, and then there is no turn.
        """
        claim = None
        if not wanted and not messages:
            if not self._something_waits():
                return False
            claim = self._claim(self._given.steering) or self._claim(self._given.follow_ups)
        with _kept_safe(claim, self._given.messages):
            await self._emit(TurnStart())
        for message in messages:
            await self._add(message)
        if claim is not None:
            await self._deliver(claim)
        await self._deliver_rest(claim)
        return True

    async def _turn(self) -> tuple[Messages, bool] | None:
        """One model call and its tools; what the next turn begins with and whether results want it."""
        setup = self._given.setup()
        message = await self._ask(setup)
        if message.stop_reason in ("error", "aborted"):
            await self._emit(TurnEnd(message))
            return None
        results, wanted = await self._run_tools(message, setup)
        await self._emit(TurnEnd(message, results))
        if await self._should_stop(message, results) or not (wanted or self._something_waits()):
            return None
        return await self._prepared(message, results), wanted

    async def _should_stop(self, message: AssistantMessage, results: ToolResults) -> bool:
        if self._signal.aborted:
            return False
        hook = self._hooks.should_stop_after_turn
        return await answer_of(
            "should_stop_after_turn", lambda: hook(message, results, self._signal), self._signal, False
        )

    async def _prepared(self, message: AssistantMessage, results: ToolResults) -> Messages:
        if self._signal.aborted:
            return ()
        hook = self._hooks.prepare_next_turn
        return await answer_of(
            "prepare_next_turn", lambda: hook(message, results, self._signal), self._signal, ()
        )

    # --- what waits

    def _something_waits(self) -> bool:
        return self._given.steering.ready or self._given.follow_ups.ready

    def _claim(self, queue: MessageQueue) -> _Claim | None:
        # What waits when the run is called off is not for a model that is not asked any more.
        queued = None if self._signal.aborted else queue.claim()
        return None if queued is None else (queue, queued)

    async def _deliver(self, claim: _Claim) -> None:
        queue, queued = claim
        with _kept_safe(claim, self._given.messages):
            queue.delivering()
            await self._add(queued.message)

    async def _deliver_rest(self, claim: _Claim | None) -> None:
        """After what was claimed the others of its queue, and steering in any case, as their modes say."""
        steering, follow_ups = self._given.steering, self._given.follow_ups
        first = None if claim is None else claim[0]
        if first is follow_ups:
            await self._drain(follow_ups, taken=1)
        await self._drain(steering, taken=1 if first is steering else 0)

    async def _drain(self, queue: MessageQueue, taken: int) -> None:
        while queue.mode == "all" or not taken:
            claim = self._claim(queue)
            if claim is None:
                return
            await self._deliver(claim)
            taken += 1

    # --- messages

    async def _add(self, message: AgentMessage) -> AgentMessage:
        await self._emit(MessageStart(message))
        return await self._end(message)

    async def _end(self, message: AgentMessage) -> AgentMessage:
        event = await self._emit(MessageEnd(message))
        final = event.message if isinstance(event, MessageEnd) else message
        self._added.append(final)
        return final

    # --- the model

    async def _ask(self, setup: RequestSetup) -> AssistantMessage:
        stream = await self._open(setup)
        started = False
        try:
            async for event in stream:
                if isinstance(event, StreamStart):
                    started = True
                    await self._emit(MessageStart(event.partial))
                elif not isinstance(event, (StreamDone, StreamError)):
                    await self._emit(MessageUpdate(event.partial, event))
            message = await stream.result()
        except BaseException:
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await stream.aclose()
            raise
        message.thinking_level = setup.options.thinking
        if not started:
            await self._emit(MessageStart(message))
        final = await self._end(message)
        return final if isinstance(final, AssistantMessage) else message

    async def _open(self, setup: RequestSetup) -> AssistantStream:
        try:
            self._signal.raise_if_aborted()
            return await run_abortable(self._request(setup), self._signal)
        except Exception as error:  # noqa: BLE001 - what keeps a request from starting is its answer
            return failed_stream(setup.model, error)

    async def _request(self, setup: RequestSetup) -> AssistantStream:
        seen = await self._hooks.transform_context([*self._given.messages], self._signal)
        converted = await self._hooks.convert_to_llm(seen)
        context = Context(
            setup.system_prompt,
            [message for message in converted if not isinstance(message, SystemMessage)],
            [tool.declaration() for tool in setup.tools],
        )
        return await self._hooks.stream(setup.model, context, replace(setup.options, signal=self._signal))

    # --- tools

    async def _run_tools(
        self, message: AssistantMessage, setup: RequestSetup
    ) -> tuple[list[ToolResultMessage], bool]:
        """The results, and whether they call for another model call."""
        calls = message.tool_calls
        if not calls:
            return [], False
        batch = ToolBatch(setup.tools, self._hooks, self._emit, self._signal, self._given.execution_mode)
        if message.stop_reason == "length":
            refused = [await self._add_result(await batch.refuse(call, NOT_RUN)) for call in calls]
            return refused, True
        results = [await self._add_result(result) for result in await batch.run(calls)]
        return results, not batch.terminate

    async def _add_result(self, result: ToolResultMessage) -> ToolResultMessage:
        final = await self._add(result)
        return final if isinstance(final, ToolResultMessage) else result


def _is_answered(messages: Messages) -> bool:
    """Whether a model would have nothing to say: the end is an answer, or there is no beginning."""
    said = (message for message in reversed(messages) if not isinstance(message, SystemMessage))
    return isinstance(next(said, None), AssistantMessage | None)


@contextmanager
def _kept_safe(claim: _Claim | None, history: list[AgentMessage]) -> Iterator[None]:
    """Put what was claimed back into its queue if the run is broken off before it is in the history."""
    length = len(history)
    try:
        yield
    except BaseException:
        if claim is not None and len(history) == length:
            queue, queued = claim
            queue.put_back(queued)
        raise
