"""The network under the HTTP client: spaced reads, and the way to each host.

A model that streams 500 small events a second would wake the program 500 times a second, and each time
a whole stack of layers has to run for a few bytes. Reads of a lasting trickle are therefore spaced: the
kernel collects meanwhile, and one wake-up takes it all. Spacing happens at the socket, below TLS, since
TLS hands out one small record at a time whatever has arrived.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import ssl
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio
import anyio.abc
import httpcore2
import httpx2
from anyio.streams.tls import TLSAttribute, TLSStream

from pi_term.ai.wire.certificates import Authorities, authorities_named_by, tls_context
from pi_term.ai.wire.proxy import PROXY_EXTENSION, proxy_for, without_credentials

SPACING_SECONDS = 0.025
# So many small reads come unspaced, so that neither a handshake nor the first words of an answer wait.
_FREE_READS = 12
# A read of this size paid for its wake-up; in a flood nothing is gained by waiting.
_LARGE_READ = 16 * 1024
_KEEPALIVE_SECONDS = 30.0
_PROXY_KINDS = ("http", "https", "socks5", "socks5h")


class Pace:
    """Decides how long to wait before the next read: an allowance of small reads that refills slowly."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._allowance = float(_FREE_READS)
        self._counted_at = clock()

    def wait_seconds(self) -> float:
        """Seconds to wait before reading on; 0 while there is allowance left."""
        now = self._clock()
        earned = (now - self._counted_at) / SPACING_SECONDS
        self._allowance = min(float(_FREE_READS), self._allowance + earned)
        self._counted_at = now
        return max(0.0, 1.0 - self._allowance) * SPACING_SECONDS

    def took(self, size: int) -> None:
        """A read gave `size` bytes."""
        if size < _LARGE_READ:
            self._allowance -= 1.0
        else:
            self._allowance = max(self._allowance, 1.0)


class _SpacedBytes(anyio.abc.ByteStream):
    """A socket whose small reads are spaced."""

    def __init__(self, inner: anyio.abc.ByteStream) -> None:
        self._inner = inner
        self._pace = Pace()

    async def receive(self, max_bytes: int = 65536) -> bytes:
        wait = self._pace.wait_seconds()
        if wait > 0:
            await asyncio.sleep(wait)
        data = await self._inner.receive(max_bytes)
        self._pace.took(len(data))
        return data

    async def send(self, item: bytes) -> None:
        await self._inner.send(item)

    async def send_eof(self) -> None:
        await self._inner.send_eof()

    async def aclose(self) -> None:
        await self._inner.aclose()

    @property
    def extra_attributes(self) -> Mapping[Any, Callable[[], Any]]:
        return self._inner.extra_attributes


class _Stream(httpcore2.AsyncNetworkStream):
    """What the HTTP layer reads from and writes to."""

    def __init__(self, stream: anyio.abc.ByteStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _errors_as(httpcore2.ReadTimeout, httpcore2.ReadError), anyio.fail_after(timeout):
            try:
                return await self._stream.receive(max_bytes)
            except anyio.EndOfStream:
                return b""

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if buffer:
            with _errors_as(httpcore2.WriteTimeout, httpcore2.WriteError), anyio.fail_after(timeout):
                await self._stream.send(buffer)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        try:
            with _errors_as(httpcore2.ConnectTimeout, httpcore2.ConnectError), anyio.fail_after(timeout):
                wrapped = await TLSStream.wrap(
                    self._stream,
                    ssl_context=ssl_context,
                    hostname=server_hostname,
                    standard_compatible=False,
                    server_side=False,
                )
        except BaseException:
            await self.aclose()
            raise
        return _Stream(wrapped)

    def get_extra_info(self, info: str) -> Any:
        if info == "ssl_object":
            return self._stream.extra(TLSAttribute.ssl_object, None)
        if info == "socket":
            return self._stream.extra(anyio.abc.SocketAttribute.raw_socket, None)
        if info == "is_readable":
            return _is_readable(self._stream.extra(anyio.abc.SocketAttribute.raw_socket, None))
        return None


class SpacedBackend(httpcore2.AsyncNetworkBackend):
    """Opens connections whose reads are spaced."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        with _errors_as(httpcore2.ConnectTimeout, httpcore2.ConnectError), anyio.fail_after(timeout):
            stream = await anyio.connect_tcp(host, port, local_host=local_address)
        for option in socket_options or ():
            stream.extra(anyio.abc.SocketAttribute.raw_socket).setsockopt(*option)
        return _Stream(_SpacedBytes(stream))

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@contextlib.contextmanager
def _errors_as(timeout: type[Exception], broken: type[Exception]) -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise timeout(str(error)) from error
    except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream) as error:
        raise broken(_words(error)) from error


def _words(error: BaseException) -> str:
    """What the system said: the reason is inside when several addresses were tried."""
    inner = error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error.__cause__
    return _words(inner) if inner is not None else str(error) or type(error).__name__


def _is_readable(raw: Any) -> bool:
    """Whether an idle connection has something to read, which can only mean that the peer closed it."""
    if raw is None or raw.fileno() < 0:
        return True
    poll = select.poll()
    poll.register(raw.fileno(), select.POLLIN)
    return bool(poll.poll(0))


class RoutingTransport(httpx2.AsyncBaseTransport):
    """Sends each request directly or through a proxy, as its own setting and the environment say then."""

    def __init__(self) -> None:
        self._pools: dict[tuple[str | None, Authorities], httpcore2.AsyncConnectionPool] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        proxy = proxy_for(url.scheme, url.host, port, os.environ, request.extensions.get(PROXY_EXTENSION))
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        with _httpx_errors(proxy):
            response = await self._pool(proxy).handle_async_request(
                httpcore2.Request(
                    method=request.method,
                    url=httpcore2.URL(
                        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                    ),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        return httpx2.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_Body(response.stream),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()

    def _pool(self, proxy: str | None) -> httpcore2.AsyncConnectionPool:
        authorities = authorities_named_by(os.environ)
        pool = self._pools.get((proxy, authorities))
        if pool is None:
            context = tls_context(authorities)
            pool = self._pools[proxy, authorities] = httpcore2.AsyncConnectionPool(
                ssl_context=context,
                proxy=_proxy_object(proxy, context) if proxy else None,
                max_connections=None,
                keepalive_expiry=_KEEPALIVE_SECONDS,
                network_backend=SpacedBackend(),
            )
        return pool


def _proxy_object(url: str, context: ssl.SSLContext) -> httpcore2.Proxy:
    parts = urlsplit(url)
    if parts.scheme not in _PROXY_KINDS or not parts.hostname:
        raise httpcore2.ProxyError("this is no address of a proxy")
    auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return httpcore2.Proxy(
        without_credentials(url), auth=auth, ssl_context=context if parts.scheme == "https" else None
    )


class _Body(httpx2.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream: AsyncIterable[bytes] = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _httpx_errors(None):
            async for part in self._stream:
                yield part

    async def aclose(self) -> None:
        close = getattr(self._stream, "aclose", None)
        if close is not None:
            await close()


@contextlib.contextmanager
def _httpx_errors(proxy: str | None) -> Iterator[None]:
    """Turn the lower library's exceptions into those of the same name above; name a proxy that failed."""
    try:
        yield
    except (httpcore2.ProxyError, httpcore2.ConnectError, httpcore2.ConnectTimeout, ImportError) as error:
        if proxy is not None:
            words = str(error) or type(error).__name__
            raise httpx2.ProxyError(f"{without_credentials(proxy)}: {words}") from error
        if isinstance(error, ImportError):
            raise
        raise _namesake(error) from error
    except (
        httpcore2.TimeoutException,
        httpcore2.NetworkError,
        httpcore2.ProtocolError,
        httpcore2.UnsupportedProtocol,
    ) as error:
        raise _namesake(error) from error


def _namesake(error: Exception) -> httpx2.TransportError:
    kind: type[httpx2.TransportError] = getattr(httpx2, type(error).__name__)
    return kind(str(error))
