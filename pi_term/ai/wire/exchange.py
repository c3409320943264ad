"""The frame of every call over HTTP: send the request, hand on the events, see how it ended."""

from __future__ import annotations

import asyncio
import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import aclosing
from typing import Any

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.faults import ProviderError, torn
from pi_term.ai.fit import FittedMessage, fit_history
from pi_term.ai.models import Model
from pi_term.ai.stream import StreamWriter
from pi_term.ai.wire.calls import GrowingCalls
from pi_term.ai.wire.http import Post, post_events
from pi_term.ai.wire.sse import SseEvent
from pi_term.base.json import JsonError, JsonObject, dumps, loads
from pi_term.base.log import redact, remember_secret
from pi_term.base.text import without_surrogates

# Building the payload of a long conversation takes longer than the event loop may be held.
_MESSAGES_BUILT_IN_PLACE = 100


class Decoder(ABC):
    """Turns the events of one answer into calls on a writer. `ended`: the last event has come."""

    def __init__(self, writer: StreamWriter, model: Model) -> None:
        self.ended = False
        self._writer = writer
        self._model = model
        self._calls = GrowingCalls(writer)

    @property
    @abstractmethod
    def answered(self) -> bool:
        """Whether the provider has said how the answer ended."""

    @abstractmethod
    def take(self, event: SseEvent) -> None:
        """Take the next event; raises `ProviderError` for one that reports an error."""

    @abstractmethod
    def conclude(self) -> None:
        """No more events come: close the blocks and finish; raises `ProviderError` if the end is missing."""

    def break_off(self, *, close: bool) -> None:
        """The answer stays as far as it came; `close` says whether its open blocks are closed."""
        if close:
            for index in self._writer.open_blocks():
                self._writer.end(index)
        self._calls.show_received(end=close)

    def _finish(self, *, cut_off: bool) -> None:
        """The answer is whole, or `cut_off` at a limit. Whether it calls tools is seen, not believed:
        servers mix these reasons up, in both directions."""
        self._writer.finish("length" if cut_off else "toolUse" if self._calls else "stop")


async def exchange(post: Post, decoder: Decoder, api_key: str | None) -> None:
    """Run one request through. Raises `ProviderError`, its words free of the key."""
    if api_key:
        remember_secret(api_key)
    try:
        await _read(post, decoder)
    except asyncio.CancelledError:
        decoder.break_off(close=True)
        raise
    except ProviderError as error:
        decoder.break_off(close=False)
        raise ProviderError(
            dataclasses.replace(error.fault, message=redact(error.fault.message))
        ) from error.__cause__


async def _read(post: Post, decoder: Decoder) -> None:
    try:
        async with aclosing(post_events(post)) as events:
            async for event in events:
                decoder.take(event)
                if decoder.ended:
                    break
    except ProviderError as error:
        # Nothing is missing when only the goodbye went wrong.
        if not decoder.answered or error.fault.kind != "network":
            raise
    decoder.conclude()


async def encode(
    build: Callable[[list[FittedMessage]], JsonObject], model: Model, context: Context, options: StreamOptions
) -> bytes:
    """The request's body: the history fitted to the model, made into a payload by `build`, as JSON."""

    def work() -> bytes:
        history = fit_history(
            context.messages,
            model,
            block_images=options.block_images,
            cross_model_thinking=options.cross_model_thinking,
        )
        return _as_json(build(history))

    if len(context.messages) > _MESSAGES_BUILT_IN_PLACE:
        return await asyncio.to_thread(work)
    return work()


def json_object(event: SseEvent) -> JsonObject | None:
    """The object in an event's data; None for other JSON, which some servers send as filler."""
    try:
        value = loads(event.data)
    except JsonError:
        raise torn("was broken off: it holds an event that is not JSON.") from None
    return value if isinstance(value, dict) else None


def idle_seconds(options: StreamOptions) -> float | None:
    """How long the server may be silent."""
    return options.idle_timeout_ms / 1000 if options.idle_timeout_ms else None


def text_value(holder: Mapping[str, Any], key: str) -> str:
    """A field that should hold text; "" for anything else."""
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def object_value(holder: Mapping[str, Any], key: str) -> JsonObject:
    """A field that should hold an object; an empty one for anything else."""
    value = holder.get(key)
    return value if isinstance(value, dict) else {}


def _as_json(payload: JsonObject) -> bytes:
    data = dumps(payload)
    # Half a surrogate pair is encoded as an escape, which providers refuse; then it is replaced.
    return dumps(_mended(payload)) if b"\\ud" in data else data


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_mended(item) for item in value]
    return value
