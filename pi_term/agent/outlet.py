"""The way of an event: into the state, past those who may replace, to those who listen."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from pi_term.agent.events import AgentEnd, AgentEvent, MessageEnd
from pi_term.agent.messages import AgentMessage
from pi_term.agent.state import AgentState
from pi_term.ai.messages import ToolResultMessage
from pi_term.base.abort import AbortSignal, run_abortable
from pi_term.base.listeners import Listeners, Registry
from pi_term.base.log import log

Listener: TypeAlias = Callable[[AgentEvent], Awaitable[None]]
Replaceable: TypeAlias = MessageEnd | AgentEnd
Interceptor: TypeAlias = Callable[[Replaceable], Awaitable[AgentEvent | None]]


class Outlet:
    """One event at a time: the next begins when all have heard of the one before.

    An event is reduced into the state. Where it may be replaced, the interceptors are asked for another in
    its place, each about what the one before made of it: the message of a `MessageEnd` by one of the same
    role, which takes its place in the state at once, and what an `AgentEnd` says beside its messages. Then
    the listeners are told of what stands now. An interceptor that throws, or that an abort of `signal` had
    to end, replaces nothing.
    """

    def __init__(self, state: AgentState) -> None:
        self.interceptors: Registry[Interceptor] = Registry()
        self.listeners: Listeners[AgentEvent] = Listeners()
        self.signal = AbortSignal()  # the run's, while there is one
        self._state = state
        self._order = asyncio.Lock()
        self._noted: deque[AgentEvent] = deque()
        self._teller: asyncio.Task[None] | None = None

    async def emit(self, event: AgentEvent) -> AgentEvent:
        """Tell of an event of the loop; returns what became of it."""
        async with self._order:
            await self._tell_noted()
            self._state.reduce(event)
            if isinstance(event, Replaceable):
                for interceptor in self.interceptors:
                    event = await self._intercepted(event, interceptor)
            await self.listeners.tell(event)
            return event

    def note(self, event: AgentEvent) -> None:
        """Tell the listeners of something beside the loop, before its next event; waits for nothing.

        So it can also be called by those who are being told of an event.
        """
        self._noted.append(event)
        if self._teller is None or self._teller.done():
            self._teller = asyncio.create_task(self._tell_soon(), name="agent notes")

    async def _tell_soon(self) -> None:
        async with self._order:
            await self._tell_noted()

    async def _tell_noted(self) -> None:
        while self._noted:
            await self.listeners.tell(self._noted.popleft())

    async def _intercepted(self, event: Replaceable, interceptor: Interceptor) -> Replaceable:
        try:
            answer = await run_abortable(interceptor(event), self.signal)
        except Exception:  # noqa: BLE001 - an interceptor may be anybody's code
            log.exception("an interceptor of %s failed", event.type)
            return event
        match event, answer:
            case _, None:
                return event
            case AgentEnd(), AgentEnd() if answer.messages is event.messages:
                return answer
            case MessageEnd(), MessageEnd() if _are_alike(event.message, answer.message):
                self._state.replace_message(event.message, answer.message)
                return answer
        log.warning("refused what an interceptor put in the place of %s", event.type)
        return event


def _are_alike(one: AgentMessage, other: AgentMessage) -> bool:
    """Whether two messages can stand in the same place: the role, and the call that a result belongs to."""
    if isinstance(one, ToolResultMessage):
        return isinstance(other, ToolResultMessage) and other.tool_call_id == one.tool_call_id
    return one.role == other.role
