"""The model calls of a session: for its conversation, and for summaries of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pi_term.agent.agent import Agent
from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.models import Model
from pi_term.ai.registry import stream_model
from pi_term.ai.stream import AssistantStream
from pi_term.base.abort import AbortSignal
from pi_term.base.log import log
from pi_term.coding.conversation import Conversation
from pi_term.coding.event_hub import EventHub
from pi_term.coding.events import CompactionReason
from pi_term.coding.harness import Harness
from pi_term.coding.retry import RetryPolicy
from pi_term.coding.spending import SpendLimit

if TYPE_CHECKING:
    from pi_term.coding.compaction.desk import SummaryDesk


class ModelCalls:
    """Makes them with the settings and keys of the moment."""

    def __init__(
        self, agent: Agent, conversation: Conversation, hub: EventHub, harness: Callable[[], Harness]
    ) -> None:
        self._agent = agent
        self._hub = hub
        self._harness = harness
        self._spend_limit = SpendLimit(conversation, lambda: harness().settings, lambda: harness().ui)

    def retry_policy(self) -> RetryPolicy:
        """When one that failed is made again."""
        return RetryPolicy.of(self._harness().settings)

    async def answer(self, model: Model, context: Context, options: StreamOptions) -> AssistantStream:
        """Ask for the next answer; raises `PiTermError("spend_limit")`, and where there is no key."""
        await self._spend_limit.check()
        return await self._request(model, context, options)

    def summary_desk(self, signal: AbortSignal, reason: CompactionReason | None = None) -> SummaryDesk:
        """What summaries are asked with; without a `reason`, those of a branch."""
        from pi_term.coding.compaction.desk import SummaryDesk

        state = self._agent.state
        options = replace(
            self._harness().options(), signal=signal, thinking=state.thinking_level, cache_retention="none"
        )
        policy = self.retry_policy()
        return SummaryDesk(state.model, options, self._request, signal, policy, self._hub.emit, reason)

    async def _request(self, model: Model, context: Context, options: StreamOptions) -> AssistantStream:
        log.info("request to %s: %d messages", model.key, len(context.messages))
        auth = await self._harness().registry.resolve_request_auth(model)
        return stream_model(model, context, replace(options, api_key=auth.api_key, headers=auth.headers))
