"""When and how a session's context is made shorter."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pi_term.agent.agent import Agent
from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import SystemMessage
from pi_term.base.abort import AbortController, AbortError, AbortSignal
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.ids import entry_id
from pi_term.base.log import log
from pi_term.coding.conversation import Conversation
from pi_term.coding.event_hub import EventHub
from pi_term.coding.events import CompactionEnd, CompactionReason, CompactionResult, CompactionStart
from pi_term.coding.messages import CompactionSummaryMessage
from pi_term.coding.session import CompactionEntry, SessionContext, replay_system
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.tokens import estimate_all

if TYPE_CHECKING:
    from pi_term.coding.compaction.budget import Budget
    from pi_term.coding.compaction.desk import SummaryDesk
    from pi_term.coding.compaction.prepare import Preparation

_NOTHING = "nothing_to_compact"


class Compactor:
    """Compacts one session, on demand, before its context is full, or when a provider says that it is.

    `desk(signal, reason)` gives what a summary is asked with. One compaction at a time.
    """

    def __init__(
        self,
        agent: Agent,
        conversation: Conversation,
        hub: EventHub,
        settings: Callable[[], SettingsStore],
        desk: Callable[[AbortSignal, CompactionReason], SummaryDesk],
    ) -> None:
        self._agent = agent
        self._conversation = conversation
        self._hub = hub
        self._settings = settings
        self._desk = desk
        self._controller: AbortController | None = None
        self._next_at = 0  # tokens below which no further automatic compaction is tried

    @property
    def running(self) -> bool:
        """Whether a compaction is under way."""
        return self._controller is not None

    @property
    def enabled(self) -> bool:
        """Whether it is done without being asked for."""
        return self._settings().get(schema.COMPACTION_ENABLED)

    def abort(self) -> None:
        """Call off the compaction under way; harmless without one."""
        if self._controller is not None:
            self._controller.abort("Compaction cancelled")

    def forget(self) -> None:
        """Another session or branch: what was tried before does not count."""
        self._next_at = 0

    async def if_due(self, coming: Sequence[AgentMessage] = ()) -> None:
        """Compact when the next request, with `coming` in it, would leave too little of the window free.

        What goes wrong is told by the compaction's events; the request may still fit.
        """
        if not self.enabled:
            return
        try:
            budget = self._budget()
        except PiTermError as error:
            self._hub.report(Diagnostic("error", error.message, hint=error.hint))
            return
        tokens = self._conversation.estimated_tokens(coming)
        if tokens <= budget.threshold or tokens < self._next_at:
            return
        # Neither a failure nor a context that stays full is paid for again before more has been said.
        self._next_at = tokens + budget.keep // 2
        try:
            result = await self._compact("threshold")
        except AbortError:
            return
        except PiTermError as error:
            log.info("no compaction: %s", error)
            return
        self._next_at = result.estimated_tokens_after + estimate_all(coming) + budget.keep // 2

    async def after_overflow(self) -> bool:
        """Compact because a request did not fit; whether it is worth to be made again."""
        try:
            await self._compact("overflow")
        except (AbortError, PiTermError) as error:
            log.info("no compaction: %s", error)
            return False
        return True

    async def compact(self, instructions: str = "") -> CompactionResult:
        """Compact on demand.

        Raises `PiTermError` where there is nothing to compact or the summary failed, `AbortError` when
        called off; nothing has changed then.
        """
        result = await self._compact("manual", instructions)
        self._next_at = 0
        return result

    async def _compact(self, reason: CompactionReason, instructions: str = "") -> CompactionResult:
        if self.running:
            text = "The conversation is being compacted already."
            raise PiTermError("compacting", text, "Wait for its end, or call it off first.")
        self._controller = controller = AbortController()
        story = _Story(self._hub, reason)
        try:
            if reason == "manual":  # the others begin only when there is something to compact
                await story.begin()
            result = await self._perform(story, controller.signal, instructions)
        except AbortError:
            await story.end(aborted=True)
            raise
        except PiTermError as error:
            if error.code != _NOTHING:
                await story.begin()
            await story.end(problem=error.text())
            raise
        except Exception as error:
            log.exception("a compaction failed")
            text = f"The compaction broke off: {error or type(error).__name__}"
            await story.begin()
            await story.end(problem=text)
            raise PiTermError("summary_failed", text) from error
        finally:
            self._controller = None
        await story.end(result)
        return result

    async def _prepare(
        self, reason: CompactionReason, signal: AbortSignal
    ) -> tuple[SessionContext, Preparation]:
        from pi_term.coding.compaction.prepare import prepare

        await self._conversation.load(lambda: not signal.aborted)  # what is estimated must be there
        context = await self._conversation.project(lambda: not signal.aborted)
        budget, tokens = self._budget(), self._conversation.estimated_tokens()
        prepared = await asyncio.to_thread(prepare, context, budget.keep, tokens)
        limit = budget.keep if prepared is None else budget.threshold
        if reason == "overflow" and _kept(context, prepared) > limit:
            # What is recent is too much by itself: one long message, or a small window.
            prepared = await asyncio.to_thread(prepare, context, budget.keep, tokens, keep_nothing=True)
        if prepared is None:
            raise _nothing_to_compact(context, budget.keep)
        return context, prepared

    async def _perform(self, story: _Story, signal: AbortSignal, instructions: str) -> CompactionResult:
        from pi_term.coding.compaction.summarize import summarize

        context, preparation = await self._prepare(story.reason, signal)
        await story.begin()
        desk = self._desk(signal, story.reason)
        async with self._conversation.charged(desk):
            summary = await summarize(preparation, desk, instructions)
            signal.raise_if_aborted()
        system = replay_system(context.messages)
        id = entry_id(self._conversation.file.tree.by_id)
        record = CompactionEntry(
            id=id,
            summary=summary.text,
            first_kept_entry_id=preparation.first_kept or id,
            tokens_before=preparation.tokens_before,
            details=summary.details,
            usage=summary.usage,
            from_hook=False,
            system_message=None if system.is_empty else system.message(),
        )
        await self._conversation.compact(record)
        return CompactionResult(
            summary.text,
            record.first_kept_entry_id,
            record.tokens_before,
            estimate_all(self._agent.state.messages),
            summary.details,
            summary.usage,
        )

    def _budget(self) -> Budget:
        from pi_term.coding.compaction.budget import budget_of

        return budget_of(self._settings(), self._agent.state.model)


class _Story:
    """Tells of one compaction: that it began, once, and how it ended if it had begun."""

    def __init__(self, hub: EventHub, reason: CompactionReason) -> None:
        self.reason: CompactionReason = reason
        self._hub = hub
        self._begun = False

    async def begin(self) -> None:
        if not self._begun:
            self._begun = True
            await self._hub.emit(CompactionStart(self.reason))

    async def end(
        self, result: CompactionResult | None = None, *, aborted: bool = False, problem: str | None = None
    ) -> None:
        if self._begun:
            again = result is not None and self.reason == "overflow"
            await self._hub.emit(CompactionEnd(self.reason, result, aborted, again, problem))


def _nothing_to_compact(context: SessionContext, keep: int) -> PiTermError:
    """Why there is nothing, with the numbers that decide it."""
    again = any(source.type == CompactionEntry.type for source in context.sources)
    beside = (SystemMessage, CompactionSummaryMessage)
    said = estimate_all(each for each in context.messages if not isinstance(each, beside))
    if not said:
        when = "since the last compaction" if again else "yet"
        return PiTermError(_NOTHING, f"Nothing to compact: nothing was said {when}.")
    if said > keep:
        before = "only the last summary" if again else "nothing"
        said_last = "the latest exchange stays as it is"
        return PiTermError(_NOTHING, f"Nothing to compact: {said_last}, and there is {before} before it.")
    what = "what came after the last summary" if again else "the conversation"
    return PiTermError(
        _NOTHING,
        f"Nothing to compact yet: {what} has about {said:,} tokens, and the latest {keep:,} always stay.",
        "The setting compaction.keepRecentTokens says how many do.",
    )


def _kept(context: SessionContext, prepared: Preparation | None) -> int:
    """Tokens of the messages that stay after the compaction, if there is one."""
    said = estimate_all(each for each in context.messages if not isinstance(each, SystemMessage))
    if prepared is None:
        return said
    return said - estimate_all(prepared.history) - estimate_all(prepared.turn_prefix)
