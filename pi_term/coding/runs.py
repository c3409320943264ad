"""From a prompt to its settlement: the run, its retries, compactions and continuations."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from pi_term.agent.agent import Agent
from pi_term.agent.events import AgentEvent, MessageEnd, MessageStart
from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import AssistantMessage, UserMessage
from pi_term.ai.models import Model
from pi_term.base.abort import AbortController, AbortError
from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.log import log
from pi_term.coding.compactor import Compactor
from pi_term.coding.conversation import Conversation
from pi_term.coding.event_hub import EventHub
from pi_term.coding.events import (
    AgentSettled,
    AutoRetryEnd,
    AutoRetryStart,
    CompactionEnd,
    CompactionResult,
    EntryAppended,
)
from pi_term.coding.retry import RetryPolicy, pause


@dataclass(frozen=True, slots=True)
class RunParts:
    """What a run works with; `declare()` gives the messages that bring prompt and tools up to date,
    `undelivered()` takes out what waits and nobody delivers, `save_shell_records()` adds those of
    commands that ran meanwhile."""

    agent: Agent
    conversation: Conversation
    compactor: Compactor
    hub: EventHub
    policy: Callable[[], RetryPolicy]
    declare: Callable[[], list[AgentMessage]]
    undelivered: Callable[[], list[UserMessage]]
    save_shell_records: Callable[[], Awaitable[None]]


class Runs:
    """Drives one prompt at a time until nothing goes on by itself any more.

    After each run, in this order: a failure that passes is tried again; a full context is compacted and
    the call made again, once; a context that is nearly full is compacted; what waits is delivered; shell
    records are added.
    """

    def __init__(self, parts: RunParts) -> None:
        self._parts = parts
        self._agent = parts.agent
        self._hub = parts.hub
        self._controller = AbortController()
        self._pausing: AbortController | None = None
        self._attempt = 0
        self._made_room = False  # since a call succeeded
        self._wanted: list[tuple[str, asyncio.Future[CompactionResult]]] = []
        self._settled = asyncio.Event()
        self._settled.set()

    @property
    def active(self) -> bool:
        """Whether a prompt has not settled yet."""
        return not self._settled.is_set()

    @property
    def retrying(self) -> bool:
        """Whether a failed call waits to be made again."""
        return self._pausing is not None

    async def wait_settled(self) -> None:
        """Return when no prompt is under way."""
        await self._settled.wait()

    def begin(self) -> None:
        """A prompt is under way from now on; `drive` must follow."""
        self._settled.clear()
        self._controller = AbortController()

    def abort(self) -> None:
        """Call off all of it."""
        self._controller.abort()
        self.abort_retry()
        self._agent.abort()

    def abort_retry(self) -> None:
        """Do not make the failed call again; harmless while none waits."""
        if self._pausing is not None:
            self._pausing.abort()

    async def compact(self, instructions: str) -> CompactionResult:
        """Compact at the next save point of the run that is under way, or behind it."""
        future: asyncio.Future[CompactionResult] = asyncio.get_running_loop().create_future()
        self._wanted.append((instructions, future))
        return await future

    async def drive(self, prompts: Sequence[UserMessage]) -> None:
        """Take `prompts` to their settlement; what goes wrong on the way is reported."""
        try:
            await self._until_done(prompts)
        except Exception as error:  # noqa: BLE001 - a fault of ours must not leave the session busy for ever
            log.exception("a run failed")
            text = f"The run broke off: {error or type(error).__name__}"
            self._hub.report(Diagnostic("error", text))
            await self._leave_nothing_behind()
        finally:
            self._attempt, self._made_room = 0, False
            self._drop_wanted()
            self._settled.set()
            answer = self._agent.state.answer
            aborted = answer is not None and answer.stop_reason == "aborted"
            await self._hub.emit(AgentSettled(aborted or self._controller.signal.aborted))

    async def between_turns(self) -> None:
        """The save point between two model calls of a run."""
        await self._compact_if_wanted()
        await self._parts.compactor.if_due(self._agent.steering.due() or self._agent.follow_ups.due())

    async def on_agent_event(self, event: AgentEvent) -> None:
        """Look for the answer that ends a series of failures; told after front ends."""
        if not isinstance(event, MessageEnd) or not isinstance(event.message, AssistantMessage):
            return
        if event.message.stop_reason in ("error", "aborted"):
            return
        self._made_room = self._made_room and is_overflow(event.message, self._agent.state.model)
        if self._attempt:
            attempt, self._attempt = self._attempt, 0
            await self._hub.emit(AutoRetryEnd(True, attempt))

    def will_retry(self) -> bool:
        """Whether the run that ends is followed by another try."""
        return self._retry_delay() is not None

    # --- inside

    async def _until_done(self, prompts: Sequence[UserMessage]) -> None:
        await self._prompt(prompts)
        while True:
            while await self._recovered():
                pass
            if not self._controller.signal.aborted:
                await self.between_turns()
            waiting = self._parts.undelivered()
            if not waiting:
                await self._parts.save_shell_records()
                waiting = self._parts.undelivered()
            if not waiting and self._wanted and not self._controller.signal.aborted:
                continue
            if not waiting:
                return
            self._controller = AbortController()  # what was sent since the last one was called off is wanted
            await self._prompt(waiting)

    async def _prompt(self, prompts: Sequence[UserMessage]) -> None:
        signal = self._controller.signal
        try:
            await self._parts.conversation.load(lambda: not signal.aborted)
            await self._parts.compactor.if_due(prompts)
            declared = self._parts.declare()
        except AbortError:
            return await self._keep(prompts)
        except Exception:
            await self._keep(prompts)
            raise
        await self._agent.prompt([*declared, *prompts])
        await self._parts.conversation.recorder.save_point()
        return None

    async def _leave_nothing_behind(self) -> None:
        """After a run that broke off: what belongs to this session goes into its file."""
        try:
            await self._parts.conversation.recorder.save_point()
            await self._parts.save_shell_records()
        except Exception:  # noqa: BLE001 - the same fault again; it has been told
            log.exception("what a broken run left could not be saved")

    async def _go_on(self) -> None:
        await self._agent.continue_()
        await self._parts.conversation.recorder.save_point()

    async def _keep(self, prompts: Sequence[UserMessage]) -> None:
        """Prompts for which there was no run stay in the session."""
        for prompt in prompts:
            await self._hub.emit(MessageStart(prompt))
            await self._parts.conversation.add_message(prompt)
            await self._hub.emit(MessageEnd(prompt))

    async def _recovered(self) -> bool:
        """Whether the run went on after what its last answer ended with."""
        answer = self._agent.state.answer
        if answer is None:
            return False
        delay = self._retry_delay()
        if delay is not None:
            return await self._try_again(answer, delay)
        if self._attempt:
            attempt, self._attempt = self._attempt, 0
            await self._hub.emit(AutoRetryEnd(False, attempt, answer.error_message))
        overflow = is_overflow(answer, self._agent.state.model)
        return overflow and not self._controller.signal.aborted and await self._make_room(answer)

    async def _try_again(self, answer: AssistantMessage, delay: int) -> bool:
        self._attempt += 1
        error = answer.error_message or ""
        self._pausing = AbortController()  # whoever is told of the retry may call it off
        try:
            policy = self._parts.policy()
            await self._hub.emit(AutoRetryStart(self._attempt, policy.max_retries, delay, error))
            await self._omit_last()
            await pause(delay, self._pausing.signal)
        except AbortError:
            attempt, self._attempt = self._attempt, 0
            await self._hub.emit(AutoRetryEnd(False, attempt, "Retry cancelled"))
            return False
        finally:
            self._pausing = None
        await self._parts.compactor.if_due()
        await self._go_on()
        return True

    async def _make_room(self, answer: AssistantMessage) -> bool:
        if self._made_room:
            what = "context is still full" if answer.stop_reason == "error" else "answer was cut off again"
            text = f"Compacting did not help: the {what}. Use a model with a larger context window."
            await self._hub.emit(CompactionEnd("overflow", error_message=text))
            return False
        if not self._parts.compactor.enabled:
            return False
        self._made_room = True
        await self._omit_last()
        if not await self._parts.compactor.after_overflow() or self._controller.signal.aborted:
            return False
        await self._go_on()
        return True

    async def _omit_last(self) -> None:
        edit = await self._parts.conversation.omit_last()
        if edit is not None:
            await self._hub.emit(EntryAppended(edit))

    def _retry_delay(self) -> int | None:
        """Milliseconds until the last call is made again; None when it is not."""
        answer = self._agent.state.answer
        if answer is None or answer.stop_reason != "error" or self._controller.signal.aborted:
            return None
        return self._parts.policy().delay_ms(self._attempt + 1, answer.fault)

    async def _compact_if_wanted(self) -> None:
        wanted, self._wanted = self._wanted, []
        for instructions, future in wanted:
            if future.done():  # whoever asked does not wait any more
                continue
            try:
                result = await self._parts.compactor.compact(instructions)
            except (PiTermError, AbortError) as error:
                if not future.done():
                    future.set_exception(error)
            else:
                if not future.done():
                    future.set_result(result)

    def _drop_wanted(self) -> None:
        wanted, self._wanted = self._wanted, []
        for _, future in wanted:
            if not future.done():
                future.set_exception(AbortError("Compaction cancelled"))


def is_overflow(answer: AssistantMessage, model: Model) -> bool:
    """Whether an answer says that the context window was full.

    By an error, or by ending before the model had said as much as it may. An answer cut off with tool
    calls in it goes on by itself: their results tell the model.
    """
    if answer.stop_reason == "error":
        return answer.fault is not None and answer.fault.kind == "overflow"
    cut = answer.stop_reason == "length" and not answer.tool_calls
    return cut and answer.usage.total_tokens > 0 and answer.usage.output < model.max_tokens
