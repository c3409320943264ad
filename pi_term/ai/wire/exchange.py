"""The frame of every call over HTTP: send the request, hand on the events, see how it ended."""

from __future__ import annotations

import asyncio
import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import field
from inspect import isawaitable
from typing import Any, TypeVar

from pi_term.ai.context import Context, EventHook, StreamOptions
from pi_term.ai.faults import ProviderError, torn
from pi_term.ai.fit import FittedMessage, fit_history
from pi_term.ai.models import Model
from pi_term.ai.stream import StreamWriter
from pi_term.ai.wire.calls import GrowingCalls
from pi_term.ai.wire.http import Post, post_events
from pi_term.ai.wire.identity import attribution_headers
from pi_term.ai.wire.sse import SseEvent
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonError, JsonObject, JsonValue, dumps, loads
from pi_term.base.log import redact, remember_secret
from pi_term.base.text import without_surrogates

T = TypeVar("T")

# Building the payload of a long conversation takes longer than the event loop may be held.
_MESSAGES_BUILT_IN_PLACE = 100


class Decoder(ABC):
    """Turns the events of one answer into calls on a writer. `ended`: the last event has come."""

    def __init__(self, writer: StreamWriter, model: Model) -> None:
        self.ended = False
        self._writer = writer
        self._model = model
        self._calls = GrowingCalls(writer)

    def begin(self) -> None:
        """The provider has taken the request; what it answers will follow."""
        self._writer.start()

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


@dataclass(frozen=True, slots=True)
class Request:
    """What an adapter asks. `key_headers` carry the API key: configured ones of the same name count instead.

    `build` makes the payload from the history, which is fitted to the model.
    """

    url: str
    build: Callable[[list[FittedMessage]], JsonObject]
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    key_headers: Mapping[str, str] = field(default_factory=dict, repr=False)


async def converse(
    model: Model, context: Context, options: StreamOptions, request: Request, decoder: Decoder
) -> None:
    """Run one request through. Raises `ProviderError`, its words free of the key."""
    if options.api_key:
        remember_secret(options.api_key)
    try:
        headers = await _headers(model, options, request)
        post = Post(
            request.url,
            await _encode(request.build, model, context, options),
            headers,
            idle_seconds=_seconds(options.idle_timeout_ms),
            answer_seconds=_seconds(options.timeout_ms),
            proxy=options.proxy,
            on_response=_response_hook(options, decoder),
        )
        await _read(post, decoder, options.on_event)
    except asyncio.CancelledError:
        decoder.break_off(close=True)
        raise
    except ProviderError as error:
        decoder.break_off(close=False)
        raise ProviderError(
            dataclasses.replace(error.fault, message=redact(error.fault.message))
        ) from error.__cause__
    except Exception:
        decoder.break_off(close=False)
        raise


async def _read(post: Post, decoder: Decoder, hook: EventHook | None) -> None:
    try:
        async with aclosing(post_events(post)) as events:
            async for event in events:
                if hook is not None:
                    await _show(event, hook)
                decoder.take(event)
                if decoder.ended:
                    break
    except ProviderError as error:
        # Nothing is missing when only the goodbye went wrong.
        if not decoder.answered or error.fault.kind != "network":
            raise
    decoder.conclude()


async def _headers(model: Model, options: StreamOptions, request: Request) -> dict[str, str]:
    headers: dict[str, str | None] = {**attribution_headers(model, options), **request.headers}
    headers.update((name.lower(), value) for name, value in options.headers.items())
    if options.on_headers is not None:
        await _settled(options.on_headers(headers))
        headers = {name.lower(): value for name, value in headers.items()}
    for name, value in request.key_headers.items():
        headers.setdefault(name, value)
    return {name: value for name, value in headers.items() if value is not None}


async def _encode(
    build: Callable[[list[FittedMessage]], JsonObject], model: Model, context: Context, options: StreamOptions
) -> bytes:
    """The request's body: the history fitted to the model, made into a payload by `build`, as JSON."""

    def made() -> JsonObject:
        history = fit_history(
            context.messages,
            model,
            block_images=options.block_images,
            cross_model_thinking=options.cross_model_thinking,
        )
        return build(history)

    hook = options.on_payload
    if hook is None:
        return await _apart(context, lambda: _as_json(made()))
    payload = await _apart(context, made)
    replaced = await _settled(hook(payload))
    final = payload if replaced is None else replaced
    return await _apart(context, lambda: _as_json(final))


async def _apart(context: Context, work: Callable[[], T]) -> T:
    """Do the work, beside the event loop where the conversation is long."""
    if len(context.messages) > _MESSAGES_BUILT_IN_PLACE:
        return await asyncio.to_thread(work)
    return work()


def _response_hook(
    options: StreamOptions, decoder: Decoder
) -> Callable[[int, Mapping[str, str]], Awaitable[None]]:
    async def told(status: int, headers: Mapping[str, str]) -> None:
        if options.on_response is not None:
            await _settled(options.on_response(status, dict(headers)))
        if 200 <= status < 300:
            decoder.begin()

    return told


async def _show(event: SseEvent, hook: EventHook) -> None:
    """Give the hook what the event says; an end marker, or what is no JSON, is no event to anybody else."""
    try:
        value = loads(event.data)
    except JsonError:
        return
    await _settled(hook(value))


async def _settled(value: object) -> Any:
    """What a hook came to, whether it is a function or a coroutine function."""
    return await value if isawaitable(value) else value


def json_object(event: SseEvent) -> JsonObject | None:
    """The object in an event's data; None for other JSON, which some servers send as filler."""
    try:
        value = loads(event.data)
    except JsonError:
        raise torn("was broken off: it holds an event that is not JSON.") from None
    return value if isinstance(value, dict) else None


def _seconds(milliseconds: int | None) -> float | None:
    return milliseconds / 1000 if milliseconds else None


def text_value(holder: Mapping[str, Any], key: str) -> str:
    """A field that should hold text; "" for anything else."""
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def object_value(holder: Mapping[str, Any], key: str) -> JsonObject:
    """A field that should hold an object; an empty one for anything else."""
    value = holder.get(key)
    return value if isinstance(value, dict) else {}


def _as_json(payload: JsonValue) -> bytes:
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
