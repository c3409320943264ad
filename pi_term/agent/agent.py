"""The agent: a conversation's state, one run at a time, and those who watch it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from pi_term.agent.events import QueueUpdate
from pi_term.agent.hooks import LoopHooks, RequestSetup
from pi_term.agent.loop import LoopInput, run_loop
from pi_term.agent.messages import AgentMessage
from pi_term.agent.outlet import Interceptor, Listener, Outlet
from pi_term.agent.queues import MessageQueue, QueuedMessage
from pi_term.agent.state import AgentState
from pi_term.agent.tools import ExecutionMode
from pi_term.ai.context import StreamOptions
from pi_term.ai.messages import UserMessage, text_of
from pi_term.ai.models import Model
from pi_term.base.abort import AbortController
from pi_term.base.errors import PiTermError


class Agent:
    """One conversation with one run at a time.

    What happens goes through an `Outlet`: state, interceptors, listeners, one event at a time. The two
    queues may be read and edited at any moment; each change is told once, as a `QueueUpdate`, before
    whatever happens next.
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
        self.steering = MessageQueue(on_change=self._note_queues)
        self.follow_ups = MessageQueue(on_change=self._note_queues)
        self._outlet = Outlet(self.state)
        self._controller: AbortController | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def running(self) -> bool:
        """Whether a run is under way, or its listeners still hear of its end."""
        return self._controller is not None

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add a listener, awaited for every event; returns what takes it away.

        What a listener awaits holds up the run, so it must not wait for the run's end.
        """
        return self._outlet.listeners.add(listener)

    def intercept(self, interceptor: Interceptor) -> Callable[[], None]:
        """Add an interceptor of the run's events; returns what takes it away."""
        return self._outlet.interceptors.add(interceptor)

    # --- running

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
        return await self._run(())

    def abort(self, reason: str = "aborted") -> None:
        """Call off the run under way; harmless without one. Queues stay as they are."""
        if self._controller is not None:
            self._controller.abort(reason)

    async def wait_idle(self) -> None:
        """Return when no run is under way and the listeners of the last one are done."""
        await self._idle.wait()

    # --- queues

    def steer(self, message: UserMessage) -> QueuedMessage:
        """Queue a message for delivery before the next model call."""
        return self.steering.add(message)

    def follow_up(self, message: UserMessage) -> QueuedMessage:
        """Queue a message for delivery when the run would stop."""
        return self.follow_ups.add(message)

    def promote(self, queued_id: int) -> bool:
        """Make a follow-up the last of the steering messages; False when it does not wait any more."""
        return self.follow_ups.hand_over(queued_id, self.steering, len(self.steering))

    def demote(self, queued_id: int) -> bool:
        """Make a steering message the first of the follow-ups; False when it does not wait any more."""
        return self.steering.hand_over(queued_id, self.follow_ups, 0)

    # --- inside

    def _note_queues(self) -> None:
        steering, follow_ups = (
            [text_of(each.message.content) for each in queue] for queue in (self.steering, self.follow_ups)
        )
        self._outlet.note(QueueUpdate(steering, follow_ups))

    async def _run(self, prompts: Sequence[AgentMessage]) -> list[AgentMessage]:
        if self._controller is not None:
            raise PiTermError(
                "busy", "The agent is working.", "Steer it (Enter) or queue a follow-up (Alt+Enter)."
            )
        self._controller = controller = AbortController()
        self._outlet.signal = controller.signal
        self._idle.clear()
        given = LoopInput(
            messages=self.state.messages,
            setup=self._setup,
            signal=controller.signal,
            hooks=self.hooks,
            execution_mode=self.execution_mode,
            steering=self.steering,
            follow_ups=self.follow_ups,
        )
        try:
            return await run_loop(prompts, given, self._outlet.emit)
        except BaseException:
            controller.abort("broken off")  # whoever still holds the signal should know
            raise
        finally:
            self.state.come_to_rest()
            self._controller = None
            self._idle.set()

    def _setup(self) -> RequestSetup:
        state = self.state
        options = replace(self.options, thinking=state.thinking_level)
        return RequestSetup(state.model, state.system_prompt, tuple(state.tools), options)
