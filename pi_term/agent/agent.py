"""The agent: a conversation's state, one run at a time, and those who watch it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from pi_term.agent.events import (
    AgentEnd,
    AgentEvent,
    AgentStart,
    MessageEnd,
    MessageStart,
    QueueUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
)
from pi_term.agent.hooks import LoopHooks, RequestSetup
from pi_term.agent.loop import LoopInput, run_loop
from pi_term.agent.messages import AgentMessage
from pi_term.agent.queues import MessageQueue, QueuedMessage
from pi_term.agent.tools import AgentTool, ExecutionMode
from pi_term.ai.context import StreamOptions
from pi_term.ai.messages import AssistantMessage, StopReason, UserMessage, text_of
from pi_term.ai.models import Model, ThinkingLevel
from pi_term.base.abort import AbortController
from pi_term.base.errors import PiTermError
from pi_term.base.listeners import Listeners
from pi_term.base.log import log

Listener: TypeAlias = Callable[[AgentEvent], Awaitable[None]]
Interceptor: TypeAlias = Callable[[AgentEvent], Awaitable[AgentEvent | None]]


@dataclass(slots=True)
class AgentState:
    """What can be read of an agent at any moment.

    Model, thinking level, tools and prompt may be set at any time; an open request keeps what it has.
    """

    model: Model
    system_prompt: str = ""
    thinking_level: ThinkingLevel = "off"
    tools: Sequence[AgentTool] = ()
    messages: list[AgentMessage] = field(default_factory=list)
    partial: AssistantMessage | None = None
    pending_tool_calls: set[str] = field(default_factory=set)
    last_error: str | None = None

    @property
    def is_streaming(self) -> bool:
        """Whether an answer is arriving; `partial` is what there is of it."""
        return self.partial is not None


class Agent:
    """One conversation with one run at a time.

    Every event is first reduced into `state`, then offered to the interceptors (which may return another
    event in its place), then given to the listeners, each awaited, in the order in which they came.
    """

    def __init__(
        self,
        model: Model,
        *,
        hooks: LoopHooks | None = None,
        options: StreamOptions | None = None,
        execution_mode: ExecutionMode = "parallel",
    ) -> None:
        self.state = AgentState(model)
        self.hooks = hooks or LoopHooks()
        self.options = options or StreamOptions()
        self.execution_mode = execution_mode
        self.steering = MessageQueue()
        self.follow_ups = MessageQueue()
        self._interceptors: list[Interceptor] = []
        self._listeners: Listeners[AgentEvent] = Listeners()
        self._controller: AbortController | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._controller is not None

    @property
    def last_stop(self) -> StopReason | None:
        """How the answer ended that is the last message, if it is one."""
        last = self.state.messages[-1] if self.state.messages else None
        return last.stop_reason if isinstance(last, AssistantMessage) else None

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add a listener; returns what takes it away."""
        return self._listeners.add(listener)

    def intercept(self, interceptor: Interceptor) -> Callable[[], None]:
        """Add an interceptor; returns what takes it away."""
        self._interceptors.append(interceptor)
        return lambda: self._interceptors.remove(interceptor)

    async def prompt(self, messages: Sequence[AgentMessage]) -> list[AgentMessage]:
        """Start a run with new messages and wait for its end; returns what it added.

        Raises `PiTermError("busy")` during a run: steer or follow up instead.
        """
        return await self._run(messages)

    async def continue_(self) -> list[AgentMessage]:
        """Start a run without new messages.

        From a user or tool-result tail; from an assistant's only when something is queued. Raises
        `PiTermError`: "nothing_to_continue" otherwise, "busy" during a run.
        """
        self._refuse_while_running()
        tail = self.state.messages[-1] if self.state.messages else None
        answered = isinstance(tail, AssistantMessage) or tail is None
        if len(self.steering) or not answered:
            return await self._run(())  # which delivers the steering first
        queued = self.follow_ups.take_due()
        if not queued:
            raise PiTermError("nothing_to_continue", "The last message is an answer: nothing to continue.")
        await self.queue_changed()
        return await self._run(queued)

    def abort(self, reason: str = "aborted") -> None:
        """Call off the run under way; harmless without one. Queues stay as they are."""
        if self._controller is not None:
            self._controller.abort(reason)

    async def wait_idle(self) -> None:
        """Return when no run is under way and the listeners of the last one are done."""
        await self._idle.wait()

    async def steer(self, message: UserMessage) -> QueuedMessage:
        """Queue a message for delivery before the next model call."""
        return await self._queue(self.steering, message)

    async def follow_up(self, message: UserMessage) -> QueuedMessage:
        """Queue a message for delivery when the run would stop."""
        return await self._queue(self.follow_ups, message)

    async def queue_changed(self) -> None:
        """Tell that the queues changed; call after editing them directly."""
        texts = [
            [text_of(each.message.content) for each in queue] for queue in (self.steering, self.follow_ups)
        ]
        await self._emit(QueueUpdate(texts[0], texts[1]))

    def _refuse_while_running(self) -> None:
        if self._controller is not None:
            raise PiTermError(
                "busy", "The agent is working.", "Steer it (Enter) or queue a follow-up (Alt+Enter)."
            )

    async def _queue(self, queue: MessageQueue, message: UserMessage) -> QueuedMessage:
        queued = queue.add(message)
        await self.queue_changed()
        return queued

    async def _run(self, prompts: Sequence[AgentMessage]) -> list[AgentMessage]:
        self._refuse_while_running()
        self._controller = controller = AbortController()
        self._idle.clear()
        given = LoopInput(
            messages=self.state.messages,
            setup=lambda: self._setup(controller),
            signal=controller.signal,
            hooks=self.hooks,
            execution_mode=self.execution_mode,
            steering=self.steering,
            follow_ups=self.follow_ups,
            queue_changed=self.queue_changed,
        )
        try:
            return await run_loop(prompts, given, self._emit)
        finally:
            self.state.partial = None
            self._controller = None
            self._idle.set()

    def _setup(self, controller: AbortController) -> RequestSetup:
        state = self.state
        options = replace(self.options, signal=controller.signal, thinking=state.thinking_level)
        return RequestSetup(state.model, state.system_prompt, tuple(state.tools), options)

    async def _emit(self, event: AgentEvent) -> AgentEvent:
        self._reduce(event)
        for interceptor in tuple(self._interceptors):
            try:
                event = await interceptor(event) or event
            except Exception:  # noqa: BLE001 - a handler that throws replaces nothing
                log.exception("interceptor of %s failed", event.type)
        await self._listeners.tell(event)
        return event

    def _reduce(self, event: AgentEvent) -> None:
        state = self.state
        match event:
            case AgentStart():
                state.last_error = None
            case MessageStart(message=AssistantMessage() as message):
                state.partial = message
            case MessageEnd(message=AssistantMessage() as message):
                state.partial = None
                state.last_error = message.error_message
            case ToolExecutionStart():
                state.pending_tool_calls.add(event.tool_call_id)
            case ToolExecutionEnd():
                state.pending_tool_calls.discard(event.tool_call_id)
            case AgentEnd():
                state.pending_tool_calls.clear()
            case _:
                return
