"""A run of the loop without an agent: its events to iterate, its messages to await."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from pi_term.agent.events import AgentEvent, MessageEnd
from pi_term.agent.loop import LoopInput, run_loop
from pi_term.agent.messages import AgentMessage
from pi_term.base.abort import AbortController


def run_agent_loop(prompts: Sequence[AgentMessage], given: LoopInput) -> AgentLoopStream:
    """Start a run at once, as a task of its own; see `run_loop` for what it does."""
    return AgentLoopStream(prompts, given)


class AgentLoopStream:
    """An async iterator of events; `await stream.result()` gives the messages that the run added.

    Who reads is no barrier: events wait as long as they must, and the run goes on. At most one reader
    iterates; when it stops, also half-way, the run is called off as by the signal of `given`.
    """

    def __init__(self, prompts: Sequence[AgentMessage], given: LoopInput) -> None:
        self._controller = AbortController()
        self._history = given.messages
        self._events: deque[AgentEvent] = deque()
        self._arrived = asyncio.Event()
        outer = given.signal
        forget = outer.add_callback(lambda: self._controller.abort(outer.reason or "aborted"))
        given = replace(given, signal=self._controller.signal)
        self._task = asyncio.create_task(run_loop(prompts, given, self._emit), name="agent loop")
        self._task.add_done_callback(lambda _: forget())
        self._task.add_done_callback(lambda _: self._arrived.set())

    def __aiter__(self) -> AsyncIterator[AgentEvent]:
        return self._iterate()

    async def result(self) -> list[AgentMessage]:
        """What the run added. Raises only what `run_loop` does, never for what a provider or tool did."""
        await asyncio.wait([self._task])
        return self._task.result()

    async def aclose(self) -> None:
        """Call the run off and wait for its end; its last events can still be read."""
        self._controller.abort("closed")
        await asyncio.wait([self._task])

    async def _iterate(self) -> AsyncIterator[AgentEvent]:
        try:
            while True:
                while self._events:
                    yield self._events.popleft()
                if self._task.done():
                    break
                self._arrived.clear()
                await self._arrived.wait()
        finally:
            await self.aclose()
        self._task.result()

    async def _emit(self, event: AgentEvent) -> AgentEvent:
        if isinstance(event, MessageEnd):
            self._history.append(event.message)
        self._events.append(event)
        self._arrived.set()
        return event
