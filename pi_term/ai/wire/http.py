"""One request to a model server, answered by a stream of events.

The HTTP library is imported with the first request, and one client serves each event loop. Whatever
goes wrong is raised as `ProviderError`; cancelling the reader closes the connection at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from pi_term.ai.faults import Fault, ProviderError, torn
from pi_term.ai.wire.proxy import PROXY_EXTENSION
from pi_term.ai.wire.sse import SseError, SseEvent, SseParser
from pi_term.base.dataclass import dataclass
from pi_term.base.turns import give_way
from pi_term.version import __version__

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 20.0
_TURN = 0.004  # seconds of an answer that came at once that are worked through before others have a turn
_WAITED = 0.001  # seconds from which on a wait for bytes was one, in which others had theirs
_WRITE_SECONDS = 60.0
_ERROR_BODY_SECONDS = 10.0
_LONGEST_ERROR_BODY = 64 * 1024
_DRAIN_SECONDS = 0.05

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx2.AsyncClient] = WeakKeyDictionary()
_transport: httpx2.AsyncBaseTransport | None = None


@dataclass(frozen=True, slots=True)
class Post:
    """A request.

    `answer_seconds` bounds the wait for the answer to begin, `idle_seconds` the wait for its next bytes.
    `proxy` counts instead of the environment's. `on_response` gets the status and the headers.
    """

    url: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    idle_seconds: float | None = None
    answer_seconds: float | None = None
    proxy: str | None = field(default=None, repr=False)
    on_response: Callable[[int, Mapping[str, str]], Awaitable[None]] | None = None


class _Silence(Exception):
    """The server sent nothing for `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


def preload() -> None:
    """Load what the first request needs ahead of it; may be called in a thread."""
    import anyio._backends._asyncio  # noqa: F401 - what the HTTP library waits with

    import pi_term.ai.wire.network  # noqa: F401
    from pi_term.ai.wire.certificates import authorities_named_by, tls_context

    with contextlib.suppress(ProviderError):  # told when it matters
        tls_context(authorities_named_by(os.environ))


async def post_events(post: Post) -> AsyncGenerator[SseEvent, None]:
    """Send the request and give the events of the answer as they come.

    Close the iterator (`contextlib.aclosing`) when leaving it early. Raises `ProviderError`.
    """
    import httpx2

    response: httpx2.Response | None = None
    try:
        async with _at_most(post.answer_seconds or post.idle_seconds):
            response = await _client().send(_request(post), stream=True)
        if post.on_response is not None:
            await post.on_response(response.status_code, response.headers)
        pieces = response.aiter_bytes()
        piece = await _first_piece(response, pieces, post.idle_seconds)
        parser = SseParser()
        turn = time.perf_counter() + _TURN
        try:
            with _Patience(post.idle_seconds) as patience:
                while piece is not None:
                    for event in parser.feed(piece):
                        yield event
                        if time.perf_counter() > turn:
                            # What came in one go is read without waiting; others have their turn.
                            await give_way()
                            turn = time.perf_counter() + _TURN
                    piece = await patience.next(pieces)
                    if patience.waited > _WAITED:
                        turn = time.perf_counter() + _TURN
            for event in parser.finish():
                yield event
        except GeneratorExit:
            await _drain(pieces)
            raise
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, _Silence) as error:
        raise ProviderError(_fault_of_exception(error, post)) from error
    except SseError as error:
        raise torn(f"was broken off: {error}") from error
    finally:
        if response is not None:
            await response.aclose()


async def get(
    url: str, headers: Mapping[str, str], seconds: float, proxy: str | None = None
) -> tuple[int, Mapping[str, str], bytes]:
    """Status, headers and the beginning of what is at `url`, within `seconds`. Raises `ProviderError`."""
    import httpx2

    asked = Post(url, b"", headers, proxy=proxy)
    try:
        async with _at_most(seconds):
            response = await _client().send(_request(asked, "GET"), stream=True)
            try:
                body = bytearray()
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) > _LONGEST_ERROR_BODY:
                        break
            finally:
                await response.aclose()
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, _Silence) as error:
        raise ProviderError(_fault_of_exception(error, asked)) from error
    return response.status_code, response.headers, bytes(body)


async def aclose() -> None:
    """Close the client of the running loop and its idle connections."""
    client = _clients.pop(asyncio.get_running_loop(), None)
    if client is not None:
        await client.aclose()


@contextlib.contextmanager
def use_transport(transport: httpx2.AsyncBaseTransport) -> Iterator[None]:
    """Answer all requests from `transport` (say, `httpx2.MockTransport`) instead of the network."""
    global _transport
    before, _transport = _transport, transport
    try:
        yield
    finally:
        _transport = before


def _client() -> httpx2.AsyncClient:
    import httpx2

    if _transport is not None:
        return httpx2.AsyncClient(transport=_transport, trust_env=False)
    loop = asyncio.get_running_loop()
    client = _clients.get(loop)
    if client is None:
        from pi_term.ai.wire.network import RoutingTransport

        # The environment is not trusted: it could lend credentials of a .netrc to a model server.
        client = _clients[loop] = httpx2.AsyncClient(transport=RoutingTransport(), trust_env=False)
    return client


def _request(post: Post, method: str = "POST") -> httpx2.Request:
    import httpx2

    timeout = httpx2.Timeout(connect=CONNECT_SECONDS, read=None, write=_WRITE_SECONDS, pool=None)
    extensions = {"timeout": timeout.as_dict(), PROXY_EXTENSION: post.proxy}
    return httpx2.Request(
        method, post.url, headers=_headers(post.headers), content=post.body, extensions=extensions
    )


@contextlib.asynccontextmanager
async def _at_most(seconds: float | None) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds) as bound:
            yield
    except TimeoutError:
        if seconds is None or not bound.expired():
            raise
        raise _Silence(seconds) from None


class _Patience:
    """Bounds each of many waits for the next bytes by `seconds`.

    One timer looks after them all: an answer comes in thousands of pieces, most of which are there already.
    """

    def __init__(self, seconds: float | None) -> None:
        self.waited = 0.0  # seconds that the last wait took
        self._seconds = seconds
        self._since: float | None = None  # when the present wait began
        self._exhausted = False
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[Any] | None = None  # that waits, or waited last

    def __enter__(self) -> Self:
        if self._seconds is not None:
            self._look_in(self._seconds)
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()

    async def next(self, pieces: AsyncIterator[bytes]) -> bytes | None:
        """The next piece, None at the end. Raises `_Silence`."""
        task = self._task = asyncio.current_task()  # each piece may be asked for by another one
        assert task is not None
        cancelling = task.cancelling()
        began = self._since = time.monotonic()
        try:
            return await anext(pieces, None)
        except asyncio.CancelledError:
            if not self._exhausted or task.uncancel() > cancelling:
                raise
            raise _Silence(self._seconds or 0) from None
        finally:
            self._since = None
            self.waited = time.monotonic() - began

    def _look_in(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        assert self._seconds is not None
        waited = 0.0 if self._since is None else time.monotonic() - self._since
        if waited < self._seconds:
            self._look_in(self._seconds - waited)
        elif self._task is not None:
            self._exhausted = True
            self._task.cancel()


def _headers(extra: Mapping[str, str]) -> dict[str, str]:
    headers = {
        "accept": "text/event-stream",
        # A compressed stream arrives in blocks, late.
        "accept-encoding": "identity",
        "content-type": "application/json",
        "user-agent": f"pi-term/{__version__}",
    }
    for name, value in extra.items():
        if not (name.isascii() and value.isascii() and (name + value).isprintable() and name.strip()):
            # The value may be a key, so the message leaves it out.
            message = f"The value of the header {name!r} holds characters that a header cannot carry."
            raise ProviderError(Fault("bad_request", message))
        headers[name.strip().lower()] = value.strip()
    return headers


async def _first_piece(
    response: httpx2.Response, pieces: AsyncIterator[bytes], idle_seconds: float | None
) -> bytes | None:
    """The beginning of the event stream; raises when the server answered with something else."""
    if response.status_code != 200:
        raise await _refusal(response, pieces, b"")
    async with _at_most(idle_seconds):
        piece = await anext(pieces, None)
    if piece is not None and piece.lstrip()[:1] in (b"{", b"[", b"<"):
        # No event stream begins so: this is a document.
        raise await _refusal(response, pieces, piece)
    return piece


async def _refusal(response: httpx2.Response, pieces: AsyncIterator[bytes], begun: bytes) -> ProviderError:
    from pi_term.ai.wire.refusals import fault_of_response

    body = bytearray(begun)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_ERROR_BODY_SECONDS):
            async for piece in pieces:
                body += piece
                if len(body) > _LONGEST_ERROR_BODY:
                    break
    return ProviderError(fault_of_response(response.status_code, response.headers, bytes(body)))


async def _drain(pieces: AsyncIterator[bytes]) -> None:
    """Read the rest of an answer whose end marker was seen, so that its connection can be used again.

    A server that keeps the answer open is not waited for.
    """
    import httpx2

    with contextlib.suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in pieces:
                pass


def _fault_of_exception(error: Exception, post: Post) -> Fault:
    import httpx2

    if isinstance(error, (httpx2.InvalidURL, httpx2.UnsupportedProtocol)):
        return Fault("bad_request", f"{post.url!r} is no usable address: {error}")
    host = httpx2.URL(post.url).netloc.decode("ascii", "replace")
    if isinstance(error, httpx2.ProxyError):
        return Fault("network", f"The proxy failed: {error}")
    if isinstance(error, httpx2.ConnectTimeout):
        return Fault("network", f"{host} did not answer within {CONNECT_SECONDS:g} s.")
    if isinstance(error, _Silence):
        return Fault("network", f"{host} sent nothing for {error.seconds:g} s (timeout).")
    if isinstance(error, httpx2.TimeoutException):
        return Fault("network", f"{host} took nothing for {_WRITE_SECONDS:g} s (timeout).")
    if isinstance(error, httpx2.ConnectError):
        return _fault_of_connecting(host, str(error))
    if isinstance(error, httpx2.LocalProtocolError):
        return Fault("bad_request", f"The request could not be sent: {error}")
    if isinstance(error, httpx2.DecodingError):
        return Fault("transient", f"The answer of {host} could not be unpacked: {error}")
    return Fault("network", f"The connection to {host} was closed before the answer was complete: {error}")


def _fault_of_connecting(host: str, words: str) -> Fault:
    # Only OpenSSL's words are left to tell. A certificate that was refused will be refused again.
    if "CERTIFICATE_VERIFY_FAILED" in words:
        advice = "For an authority of your own, set NODE_EXTRA_CA_CERTS or SSL_CERT_FILE to its file."
        return Fault("bad_request", f"Cannot connect to {host}: {words} {advice}")
    return Fault("network", f"Cannot connect to {host}: {words}")
