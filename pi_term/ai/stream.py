"""The stream of one answer: events to iterate, a message to await.

An adapter is a coroutine that gets a `StreamWriter` and says what arrived; the writer grows the
message and emits the events in order. Nothing that goes wrong leaves the iterator as an exception: it
becomes an `error` event whose message says what happened.
"""

from __future__ import annotations

import asyncio
import copy
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeAlias

from pi_term.ai import events
from pi_term.ai.faults import ProviderError
from pi_term.ai.messages import (
    AssistantMessage,
    AssistantPart,
    StopReason,
    TextContent,
    ThinkingContent,
    ToolCall,
)
from pi_term.ai.models import Model
from pi_term.base.abort import GRACE, AbortError, AbortSignal
from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonObject
from pi_term.base.log import log, redact

_MERGED_DELTA = 2_000  # characters; deltas that wait unread merge up to here

_ABORTED = "Request was aborted"

Producer: TypeAlias = "Callable[[StreamWriter], Awaitable[None]]"


class StreamWriter:
    """What an adapter writes to. Blocks are named by their index in the message's content.

    Usage, response id and raw stop reason are set on `message` directly. The adapter ends by calling
    `finish`, or raises; a producer that returns without either has lost its end marker and fails.
    """

    def __init__(self, message: AssistantMessage, emit: Callable[[events.StreamEvent], None]) -> None:
        self.message = message
        self._emit = emit
        self._open: set[int] = set()
        self._started = False
        self.stop_reason: StopReason | None = None

    def start(self) -> None:
        """The provider accepted the request; called by the first block if the adapter does not."""
        if not self._started:
            self._started = True
            self._emit(events.StreamStart(self.message))

    def start_text(self) -> int:
        """Open a text block."""
        index = self._append(TextContent())
        self._emit(events.TextStart(index, self.message))
        return index

    def text(self, index: int, delta: str) -> None:
        """Add to an open text block."""
        part = self.message.content[index]
        assert isinstance(part, TextContent)
        # Grown through a local name: with no second reference CPython extends the string in place,
        # so that a long answer in small pieces costs linear time.
        whole, part.text = part.text, ""
        whole += delta
        part.text = whole
        self._emit(events.TextDelta(index, self.message, delta))

    def start_thinking(self, *, redacted: bool = False) -> int:
        """Open a thinking block."""
        index = self._append(ThinkingContent(redacted=True if redacted else None))
        self._emit(events.ThinkingStart(index, self.message))
        return index

    def thinking(self, index: int, delta: str) -> None:
        """Add to an open thinking block."""
        part = self.message.content[index]
        assert isinstance(part, ThinkingContent)
        whole, part.thinking = part.thinking, ""
        whole += delta
        part.thinking = whole
        self._emit(events.ThinkingDelta(index, self.message, delta))

    def start_tool_call(self, call_id: str, name: str) -> int:
        """Open a tool call."""
        index = self._append(ToolCall(id=call_id, name=name))
        self._emit(events.ToolCallStart(index, self.message))
        return index

    def tool_call(self, index: int, delta: str, arguments: JsonObject | None = None) -> None:
        """More of the arguments' JSON text; `arguments` is what it amounts to so far, if parsed."""
        part = self.message.content[index]
        assert isinstance(part, ToolCall)
        if arguments is not None:
            part.arguments = arguments
        self._emit(events.ToolCallDelta(index, self.message, delta))

    def end_tool_call(self, index: int, arguments: JsonObject | None, received: str = "") -> None:
        """The call is whole. `arguments` None: what was `received` is no JSON object; it is never run."""
        part = self.message.content[index]
        assert isinstance(part, ToolCall)
        part.arguments = {} if arguments is None else arguments
        part.invalid_arguments = received if arguments is None else None
        self._open.discard(index)
        self._emit(events.ToolCallEnd(index, self.message, part))

    def end(self, index: int) -> None:
        """Close a text or thinking block; closing twice is harmless."""
        if index not in self._open:
            return
        self._open.discard(index)
        part = self.message.content[index]
        if isinstance(part, TextContent):
            self._emit(events.TextEnd(index, self.message, part.text))
        elif isinstance(part, ThinkingContent):
            self._emit(events.ThinkingEnd(index, self.message, part.thinking))

    def finish(self, reason: StopReason) -> None:
        """The provider's end marker has come: "stop", "length" or "toolUse"."""
        self.stop_reason = reason

    def open_blocks(self) -> list[int]:
        """Indices of the blocks that are not closed yet."""
        return sorted(self._open)

    def _append(self, part: AssistantPart) -> int:
        self.start()
        self.message.content.append(part)
        index = len(self.message.content) - 1
        self._open.add(index)
        return index


class AssistantStream:
    """An async iterator of events; `await stream.result()` gives the final message.

    The producer starts with the first `async for` or `result()`, and runs as a task of its own, so a
    slow reader does not hold the network. The signal cancels it, and a second later the stream ends without
    it if it must. At most one reader iterates.
    """

    def __init__(self, model: Model, producer: Producer, signal: AbortSignal | None = None) -> None:
        self.message = AssistantMessage(api=model.api, provider=model.provider, model=model.id)
        self._producer = producer
        self._signal = signal
        self._events: deque[events.StreamEvent] = deque()
        self._arrived = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._producing = False
        self._stopped = False
        self._ended = asyncio.Event()

    def __aiter__(self) -> AsyncIterator[events.StreamEvent]:
        return self._iterate()

    async def result(self) -> AssistantMessage:
        """The final message; never raises for what a provider did."""
        self._start()
        await self._ended.wait()
        return self.message

    async def aclose(self) -> None:
        """Stop the producer as the signal does, and wait for its end; the message stays as far as it came."""
        self._stop()
        if self._task is not None:
            await self._ended.wait()

    async def _iterate(self) -> AsyncIterator[events.StreamEvent]:
        self._start()
        while True:
            while self._events:
                yield self._events.popleft()
            if self._ended.is_set():
                return
            self._arrived.clear()
            await self._arrived.wait()

    def _start(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="model stream")

    def _stop(self) -> None:
        self._stopped = True
        # Cancelled before its first step, the task would end without a last event.
        if self._producing and self._task is not None:
            self._task.cancel()
            asyncio.get_running_loop().call_later(GRACE, self._abandon)

    def _abandon(self) -> None:
        """End without a producer that does not react."""
        if self._ended.is_set():
            return
        log.warning("the model call to %s ignored its cancellation", self.message.model)
        self.message = copy.deepcopy(self.message)  # what is still written goes nowhere
        self.message.stop_reason, self.message.error_message = "aborted", _ABORTED
        self._emit(events.StreamError("aborted", self.message))
        self._end()

    def _end(self) -> None:
        self._ended.set()
        self._arrived.set()

    def _emit(self, event: events.StreamEvent) -> None:
        if self._ended.is_set():
            return
        merged = _merged(self._events[-1], event) if self._events else None
        if merged is not None:
            self._events[-1] = merged
            return
        self._events.append(event)
        self._arrived.set()

    async def _run(self) -> None:
        writer = StreamWriter(self.message, self._emit)
        began = time.monotonic()
        failure: Exception | None = None
        try:
            await self._produce(writer)
        except (AbortError, asyncio.CancelledError):
            self._stopped, writer.stop_reason = True, None
        except Exception as error:  # noqa: BLE001 - whatever an adapter does becomes a message
            log.debug("model call failed", exc_info=True)
            failure, writer.stop_reason = error, None
        finally:
            if not self._ended.is_set():
                self.message.duration_ms = round((time.monotonic() - began) * 1000)
                self._settle(writer, failure)
                self._conclude(writer)
                self._end()

    async def _produce(self, writer: StreamWriter) -> None:
        forget = None if self._signal is None else self._signal.add_callback(self._stop)
        try:
            if not self._stopped:
                self._producing = True
                await self._producer(writer)
        finally:
            self._producing = False
            if forget is not None:
                forget()

    def _settle(self, writer: StreamWriter, failure: Exception | None) -> None:
        """Say how it ended: whole, called off (whatever went wrong on the way out), or failed."""
        message = self.message
        if writer.stop_reason is not None:
            message.stop_reason = writer.stop_reason
        elif self._stopped:
            message.stop_reason, message.error_message = "aborted", _ABORTED
        else:
            message.stop_reason, message.error_message = "error", _failure_text(failure)
            message.fault = failure.fault if isinstance(failure, ProviderError) else None

    def _conclude(self, writer: StreamWriter) -> None:
        message = self.message
        for index in writer.open_blocks():
            if message.stop_reason == "error":
                break  # what broke off has no end
            if not isinstance(message.content[index], ToolCall):
                writer.end(index)
            elif message.stop_reason != "aborted":
                writer.end_tool_call(index, None)
        if message.stop_reason in ("error", "aborted"):
            self._emit(events.StreamError(message.stop_reason, message))
        else:
            writer.start()
            self._emit(events.StreamDone(message.stop_reason, message))


def _merged(last: events.StreamEvent, new: events.StreamEvent) -> events.StreamEvent | None:
    """One delta for two of the same block that nobody has read yet; pieces stay small, so it is cheap."""
    if not isinstance(last, events.BlockDelta) or not isinstance(new, events.BlockDelta):
        return None
    if not new.extends(last) or len(last.delta) > _MERGED_DELTA:
        return None
    return type(last)(last.content_index, last.partial, last.delta + new.delta)


def _failure_text(failure: Exception | None) -> str:
    if failure is None:
        return "The stream ended before the answer was complete."
    text = failure.text() if isinstance(failure, PiTermError) else str(failure)
    return redact(text or type(failure).__name__)


def failed_stream(model: Model, error: Exception) -> AssistantStream:
    """A stream that ends at once with `error`: for what goes wrong before a request can be made."""

    async def fail(writer: StreamWriter) -> None:
        raise error

    return AssistantStream(model, fail)
