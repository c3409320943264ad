"""A tiny HTTP server on loopback whose answers the test writes byte by byte."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from pi_term.ai.wire import http

SSE_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


@dataclass
class Exchange:
    """One request as it arrived, and the way to answer it."""

    line: str
    headers: dict[str, str]
    body: bytes
    writer: asyncio.StreamWriter
    gone: asyncio.Event

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def chunk(self, data: bytes) -> None:
        await self.send(b"%x\r\n%s\r\n" % (len(data), data))

    async def events(self, *events: bytes, end: bool = True) -> None:
        """A whole event stream."""
        await self.send(SSE_HEAD)
        for event in events:
            await self.chunk(event)
        if end:
            await self.send(b"0\r\n\r\n")

    async def document(self, status: int, body: bytes, **headers: str) -> None:
        extra = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        head = f"HTTP/1.1 {status} X\r\n{extra}content-length: {len(body)}\r\n\r\n"
        await self.send(head.encode() + body)


Answer = Callable[[Exchange], Awaitable[None]]


@dataclass
class Server:
    url: str
    port: int
    exchanges: list[Exchange] = field(default_factory=list)
    connections: int = 0


@contextlib.asynccontextmanager
async def serving(answer: Answer, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    running: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        task = asyncio.current_task()
        assert task is not None
        running.add(task)
        try:
            while (exchange := await _read_request(reader, writer)) is not None:
                server.exchanges.append(exchange)
                watcher = asyncio.create_task(_watch(reader, exchange.gone))
                try:
                    await answer(exchange)
                finally:
                    watcher.cancel()
                    await asyncio.wait([watcher])
                if writer.is_closing():
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client left, as some tests have it
        finally:
            running.discard(task)
            writer.close()

    listener = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    port = listener.sockets[0].getsockname()[1]
    server = Server(f"{'https' if tls else 'http'}://localhost:{port}", port)
    try:
        yield server
    finally:
        await http.aclose()
        listener.close()
        for task in list(running):
            task.cancel()
        if running:
            await asyncio.wait(running)


async def _watch(reader: asyncio.StreamReader, gone: asyncio.Event) -> None:
    while not reader.at_eof():
        await asyncio.sleep(0.002)
    gone.set()


async def _read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Exchange | None:
    line = (await reader.readline()).decode("latin-1").strip()
    if not line:
        return None
    headers: dict[str, str] = {}
    while (header := (await reader.readline()).decode("latin-1").strip()) != "":
        name, _, value = header.partition(":")
        headers[name.lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Exchange(line, headers, body, writer, asyncio.Event())


@pytest.fixture
def serve() -> Callable[..., contextlib.AbstractAsyncContextManager[Server]]:
    """`async with serve(answer) as server`: answers every request by calling `answer(exchange)`."""
    return serving
