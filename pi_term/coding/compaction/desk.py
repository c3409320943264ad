"""Asking a model for one summary: what the request holds, what counts as an answer, and trying again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import field, replace
from typing import TypeAlias

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.messages import AssistantMessage, Cost, TextContent, Usage, UserMessage, text_of
from pi_term.ai.models import Model
from pi_term.ai.stream import AssistantStream
from pi_term.base.abort import AbortError, AbortSignal, run_abortable
from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.coding.compaction.prompts import SYSTEM_PROMPT
from pi_term.coding.events import (
    CompactionReason,
    SummarizationRetryAttemptStart,
    SummarizationRetryFinished,
    SummarizationRetryScheduled,
)
from pi_term.coding.retry import RetryPolicy, pause
from pi_term.coding.tokens import CHARS_PER_TOKEN

SummaryStream: TypeAlias = Callable[[Model, Context, StreamOptions], Awaitable[AssistantStream]]
RetryEvent: TypeAlias = (
    SummarizationRetryScheduled | SummarizationRetryAttemptStart | SummarizationRetryFinished
)

_MOST_FOR_ANSWER = 4  # the answer gets at most this part of the window, if the input wants the rest


class TooLarge(Exception):
    """The provider said that the request does not fit into the model's window."""


@dataclass(slots=True)
class SummaryDesk:
    """What the requests of one compaction, or of one branch summary, are made with.

    `options` are those of the conversation; `reason` is why it is compacted, None for a branch summary.
    `usage` adds up what all requests so far used, failed ones too.
    """

    model: Model
    options: StreamOptions
    stream: SummaryStream
    signal: AbortSignal
    retry: RetryPolicy
    tell: Callable[[RetryEvent], Awaitable[None]]
    reason: CompactionReason | None = None
    usage: Usage = field(default_factory=Usage, init=False)

    @property
    def input_chars(self) -> int:
        """Characters that the text of one request may have, so that there is room for the answer."""
        window = self.model.context_window
        answer = min(self.model.max_tokens, window // _MOST_FOR_ANSWER)
        # The rule of thumb may be wrong by a tenth; where it is worse, the provider says so.
        return (window - answer) * 9 // 10 * CHARS_PER_TOKEN - len(SYSTEM_PROMPT)

    async def ask(self, text: str) -> str:
        """The model's answer to one request.

        Raises `TooLarge`; `PiTermError`: "summary_failed", "summary_cut_off" or "summary_empty"; and
        `AbortError` when called off. Passing failures are waited out and the request is made again.
        """
        retries = 0
        try:
            while True:
                message = await self._send(text)
                delay = self._delay(message, retries + 1)
                if delay is None:
                    return self._answer(message)
                retries += 1
                error = message.error_message or ""
                await self.tell(SummarizationRetryScheduled(retries, self.retry.max_retries, delay, error))
                await pause(delay, self.signal)
                await self.tell(self._attempt_start())
        finally:
            if retries:
                await self.tell(SummarizationRetryFinished())

    async def _send(self, text: str) -> AssistantMessage:
        self.signal.raise_if_aborted()
        context = Context(SYSTEM_PROMPT, [UserMessage([TextContent(text)])])
        try:
            opening = self.stream(self.model, context, self._options(len(text)))
            stream = await run_abortable(opening, self.signal)
        except PiTermError as error:
            raise PiTermError("summary_failed", f"No summary: {error.message}", error.hint) from error
        message = await self._result(stream)
        self.usage = added(self.usage, message.usage)
        self.signal.raise_if_aborted()
        return message

    async def _result(self, stream: AssistantStream) -> AssistantMessage:
        try:
            return await run_abortable(stream.result(), self.signal)
        except asyncio.CancelledError:
            await stream.aclose()
            raise

    def _options(self, chars: int) -> StreamOptions:
        tokens = (chars + len(SYSTEM_PROMPT)) // CHARS_PER_TOKEN
        room = self.model.context_window - tokens * 10 // 9
        return replace(
            self.options,
            signal=self.signal,
            thinking=self.options.thinking if self.model.reasoning else "off",
            max_tokens=max(1, min(self.model.max_tokens, room)),
        )

    def _delay(self, message: AssistantMessage, attempt: int) -> int | None:
        failed = message.stop_reason == "error"
        return self.retry.delay_ms(attempt, message.fault) if failed else None

    def _attempt_start(self) -> SummarizationRetryAttemptStart:
        if self.reason is None:
            return SummarizationRetryAttemptStart("branchSummary")
        return SummarizationRetryAttemptStart("compaction", self.reason)

    def _answer(self, message: AssistantMessage) -> str:
        """The text; whatever else is in the answer, a model was not to say."""
        match message.stop_reason:
            case "aborted":
                raise AbortError(message.error_message)
            case "error" if message.fault is not None and message.fault.kind == "overflow":
                raise TooLarge
            case "error":
                raise PiTermError("summary_failed", f"No summary: {message.error_message}")
            case "length":
                raise PiTermError(
                    "summary_cut_off",
                    f"The summary was cut off at the output limit of {self.model.label} and is not used.",
                    "Ask for a shorter one, or use another model.",
                )
        text = text_of(message.content).strip()
        if not text:
            raise PiTermError("summary_empty", f"{self.model.label} answered with an empty summary.")
        return text


def added(one: Usage, other: Usage) -> Usage:
    """The sum of two usages."""
    total = Usage(cost=Cost())
    for each in (one, other):
        for name in _COUNTS:
            setattr(total, name, getattr(total, name) + getattr(each, name))
        for name in _DOLLARS:
            setattr(total.cost, name, getattr(total.cost, name) + getattr(each.cost, name))
    if one.reasoning is not None or other.reasoning is not None:
        total.reasoning = (one.reasoning or 0) + (other.reasoning or 0)
    return total


_COUNTS = ("input", "output", "cache_read", "cache_write", "total_tokens")
_DOLLARS = ("input", "output", "cache_read", "cache_write", "total")
