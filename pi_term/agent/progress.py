"""What a running tool shows of its progress."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

from pi_term.agent.events import AgentEvent, ToolExecutionUpdate
from pi_term.agent.tools import ToolResult
from pi_term.ai.messages import ToolCall

_MOST_WAITING = 100


class Progress:
    """Updates of one call, told in order; the context ends when all are told, and takes no later ones.

    When listeners are slower than the tool, the newest update takes the place of the last that waits.
    """

    def __init__(self, call: ToolCall, emit: Callable[[AgentEvent], Awaitable[AgentEvent]]) -> None:
        self._call = call
        self._emit = emit
        self._waiting: deque[ToolResult] = deque()
        self._teller: asyncio.Task[None] | None = None
        self._over = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        if self._teller is None:
            return
        try:
            if error is None:
                await asyncio.wait([self._teller])
        finally:
            if not self._teller.done():  # the run is broken off: who listens is not waited for
                self._teller.cancel()
                await asyncio.wait([self._teller])

    def show(self, partial: ToolResult) -> None:
        """Tell soon; never waits."""
        if self._over:
            return
        if len(self._waiting) == _MOST_WAITING:
            self._waiting.pop()
        self._waiting.append(partial)
        if self._teller is None or self._teller.done():
            self._teller = asyncio.create_task(self._tell(), name="tool progress")

    async def _tell(self) -> None:
        call = self._call
        while self._waiting:
            partial = self._waiting.popleft()
            await self._emit(ToolExecutionUpdate(call.id, call.name, call.arguments, partial))
