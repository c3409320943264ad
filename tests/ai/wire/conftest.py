"""Decoding recorded streams without a network, and whole calls over a mocked one."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import httpx2
import pytest

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.events import StreamEvent
from pi_term.ai.messages import AssistantMessage
from pi_term.ai.models import Model
from pi_term.ai.stream import StreamWriter
from pi_term.ai.wire import http
from pi_term.ai.wire.sse import SseParser


def cut(stream: bytes, places: Iterable[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(stream) + 1) for place in places), len(stream)]
    return [stream[a:b] for a, b in itertools.pairwise(edges)]


def decode(
    make_decoder: Callable[[StreamWriter], Any], pieces: Sequence[bytes]
) -> tuple[AssistantMessage, list[StreamEvent]]:
    """Run a decoder over a stream that arrives whole; its errors come through."""
    events: list[StreamEvent] = []
    message = AssistantMessage(model="m")
    writer = StreamWriter(message, events.append)
    decoder = make_decoder(writer)
    parser = SseParser()
    for piece in pieces:
        for event in parser.feed(piece):
            if not decoder.ended:
                decoder.take(event)
    for event in parser.finish():
        if not decoder.ended:
            decoder.take(event)
    decoder.conclude()
    message.stop_reason = writer.stop_reason or "error"
    return message, events


@dataclass
class Call:
    """What a model call came to, and what was sent for it."""

    message: AssistantMessage
    events: list[StreamEvent]
    request: httpx2.Request
    body: dict[str, Any] = field(default_factory=dict)

    @property
    def kinds(self) -> list[str]:
        return [event.type for event in self.events]


async def call(
    adapter: ModuleType,
    model: Model,
    pieces: Sequence[bytes],
    *,
    context: Context | None = None,
    options: StreamOptions | None = None,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Call:
    """Make a whole call; the server answers with the pieces."""
    requests: list[httpx2.Request] = []

    async def body() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    def answer(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        return httpx2.Response(status, headers=headers, content=body())

    with http.use_transport(httpx2.MockTransport(answer)):
        stream = adapter.stream(model, context or Context(), options or StreamOptions(api_key="key"))
        events = [event async for event in stream]
        message = await stream.result()
    return Call(message, events, requests[0], json.loads(requests[0].content))


@pytest.fixture(scope="session")
def tools() -> Any:
    """`tools.decode`, `tools.cut` and `tools.call`."""
    return type(
        "Tools", (), {"decode": staticmethod(decode), "cut": staticmethod(cut), "call": staticmethod(call)}
    )
