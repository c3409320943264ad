"""A model server on loopback that speaks all four wire formats and fails in every way that servers do.

    async with ChaosServer(rate=0.3, seed=1) as server:
        model = server.model("openai-responses")

Which requests fail, and how, follows from the seed and their order alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from pi_term.ai.models import Model
from pi_term.ai.scripted import Say
from pi_term.base import json
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.testing.wire_streams import WirePart, WireStream, api_of_path, wire_stream


@dataclass(frozen=True, slots=True)
class ChaosRequest:
    """One request that arrived; `fault` names how it is answered badly, None: well. Counted from 1."""

    number: int
    api: str
    path: str
    headers: dict[str, str]
    body: JsonObject
    fault: str | None


Answer: TypeAlias = Callable[[ChaosRequest], Sequence[WirePart]]


def _ok(request: ChaosRequest) -> Sequence[WirePart]:
    return [Say(f"This is answer {request.number}.")]


class ChaosServer:
    """Answers by `answer`; a share `rate` of the requests fails by one of `faults` instead.

    `stall_seconds` is how long a silent fault lasts: give the client a shorter idle time-out. After
    `longest_run` failures in a row comes a good answer, so that a client that tries often enough gets one.
    """

    def __init__(
        self,
        answer: Answer = _ok,
        *,
        rate: float = 0.3,
        seed: int = 0,
        faults: Sequence[str] | None = None,
        stall_seconds: float = 1.0,
        longest_run: int = 5,
    ) -> None:
        self.answer = answer
        self.requests: list[ChaosRequest] = []
        self.faults: Counter[str] = Counter()
        self._kinds = tuple(FAULTS) if faults is None else tuple(faults)
        self._rate, self._random = rate, random.Random(seed)
        self._stall_seconds, self._longest_run, self._run = stall_seconds, longest_run, 0
        self._listener: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The server's address, without a path."""
        assert self._listener is not None, "the server runs inside `async with`"
        return f"http://127.0.0.1:{self._listener.sockets[0].getsockname()[1]}"

    def base_url(self, api: str) -> str:
        """The base URL to give a model of this API."""
        return self.url + {"anthropic-messages": "", "google-generative-ai": "/v1beta"}.get(api, "/v1")

    def model(self, api: str) -> Model:
        """A model of this server."""
        return Model("m", "chaos", api, base_url=self.base_url(api), max_tokens=4096)

    async def __aenter__(self) -> ChaosServer:
        self._listener = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._listener is not None
        self._listener.close()
        for task in list(self._connections):
            task.cancel()
        if self._connections:
            await asyncio.wait(self._connections)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            async for path, headers, body in _requests(reader):
                request = self._take(path, headers, body)
                stream = wire_stream(request.api, self.answer(request), request.number)
                reply = _Reply(writer, stream, self._stall_seconds)
                await (_good if request.fault is None else FAULTS[request.fault])(reply)
                if writer.is_closing():
                    break
        except (ConnectionError, asyncio.CancelledError):
            pass  # the client left, or the test is over
        finally:
            self._connections.discard(task)
            writer.close()

    def _take(self, path: str, headers: dict[str, str], body: bytes) -> ChaosRequest:
        fault = self._draw()
        number = len(self.requests) + 1
        request = ChaosRequest(number, api_of_path(path), path, headers, json.loads(body), fault)
        self.requests.append(request)
        return request

    def _draw(self) -> str | None:
        # Both are drawn each time, so that one failure more or less leaves the later ones as they are.
        fails, kind = self._random.random() < self._rate, self._random.choice(self._kinds)
        if not fails or self._run >= self._longest_run:
            self._run = 0
            return None
        self._run += 1
        self.faults[kind] += 1
        return kind


async def _requests(reader: asyncio.StreamReader) -> AsyncIterator[tuple[str, dict[str, str], bytes]]:
    while True:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except asyncio.IncompleteReadError:
            return
        pairs = (line.partition(":") for line in head[1:] if line)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        yield head[0].split()[1], headers, await reader.readexactly(int(headers.get("content-length", "0")))


@dataclass(slots=True)
class _Reply:
    """What is to be answered, and the connection to do it on."""

    writer: asyncio.StreamWriter
    stream: WireStream
    stall_seconds: float

    @property
    def whole(self) -> list[bytes]:
        return [*self.stream.body, *self.stream.end]

    async def document(self, status: int, body: Any = None, headers: Sequence[str] = ()) -> None:
        """An answer that is no stream; `body` bytes as they are, all else as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body)
        lines = [f"HTTP/1.1 {status} X", f"content-length: {len(data)}", *headers, "", ""]
        self.writer.write("\r\n".join(lines).encode() + data)
        await self.writer.drain()

    async def begin(self) -> None:
        self.writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        await self.writer.drain()

    async def events(self, events: Sequence[bytes], pause: float = 0.0) -> None:
        for event in events:
            self.writer.write(b"%x\r\n%s\r\n" % (len(event), event))
            await self.writer.drain()
            await asyncio.sleep(pause)

    async def finish(self) -> None:
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()

    def hang_up(self) -> None:
        """Close at once, as a server does that has crashed."""
        self.writer.transport.abort()

    def half(self) -> list[bytes]:
        """The first half of the answer's events."""
        return self.stream.body[: max(1, len(self.stream.body) // 2)]


async def _good(reply: _Reply) -> None:
    await reply.begin()
    await reply.events(reply.whole)
    await reply.finish()


async def _status(reply: _Reply, status: int, message: str, *headers: str) -> None:
    await reply.document(status, {"error": {"message": message}}, headers)


async def _rate_limited(reply: _Reply) -> None:
    await _status(reply, 429, "Too many requests.", "retry-after: 0.01")


async def _rate_limited_in_words(reply: _Reply) -> None:
    await _status(reply, 429, "Rate limit reached. Please try again in 10ms.")


async def _server_error(reply: _Reply) -> None:
    await _status(reply, 500, "The server had an error.")


async def _bad_gateway(reply: _Reply) -> None:
    await reply.document(502, b"<html><head><title>502</title></head><h1>502 Bad Gateway</h1></html>")


async def _unavailable(reply: _Reply) -> None:
    await reply.document(503, b"")


async def _overloaded(reply: _Reply) -> None:
    await _status(reply, 529, "Overloaded")


async def _reset(reply: _Reply) -> None:
    reply.hang_up()


async def _torn(reply: _Reply) -> None:
    await reply.begin()
    await reply.events(reply.half())
    reply.hang_up()


async def _cut_in_an_event(reply: _Reply) -> None:
    await reply.begin()
    *before, last = reply.half()
    await reply.events([*before, last[: len(last) // 2]])
    reply.writer.close()


async def _no_end(reply: _Reply) -> None:
    await reply.begin()
    await reply.events(reply.stream.body)
    await reply.finish()


async def _nothing(reply: _Reply) -> None:
    await reply.begin()
    await reply.finish()


async def _malformed_json(reply: _Reply) -> None:
    await reply.begin()
    await reply.events([*reply.half(), b'data: {"broken": \n\n'])
    await reply.finish()


async def _malformed_document(reply: _Reply) -> None:
    await reply.document(200, b"{malformed json: <<<")


async def _error_event(reply: _Reply) -> None:
    await reply.begin()
    await reply.events([*reply.half(), reply.stream.error])
    await reply.finish()


async def _silent(reply: _Reply) -> None:
    await asyncio.sleep(reply.stall_seconds)
    reply.hang_up()


async def _stalled(reply: _Reply) -> None:
    await reply.begin()
    await reply.events(reply.half())
    await asyncio.sleep(reply.stall_seconds)
    reply.hang_up()


async def _slow(reply: _Reply) -> None:
    await reply.begin()
    with contextlib.suppress(ConnectionError):
        await reply.events(reply.whole, pause=reply.stall_seconds / 100)
    await reply.finish()


FAULTS: dict[str, Callable[[_Reply], Awaitable[None]]] = {
    "rate limited": _rate_limited,
    "rate limited in words": _rate_limited_in_words,
    "server error": _server_error,
    "bad gateway": _bad_gateway,
    "unavailable": _unavailable,
    "overloaded": _overloaded,
    "reset": _reset,
    "torn": _torn,
    "cut in an event": _cut_in_an_event,
    "no end": _no_end,
    "nothing": _nothing,
    "malformed json": _malformed_json,
    "malformed document": _malformed_document,
    "error event": _error_event,
    "silent": _silent,
    "stalled": _stalled,
    "slow": _slow,
}
"""The ways to fail, by name; "slow" is only slow, its answer is good."""
