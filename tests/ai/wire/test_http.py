from __future__ import annotations

import asyncio
import json
import shutil
import ssl
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.faults import ProviderError
from pi_term.ai.wire.http import Post, post_events
from pi_term.ai.wire.sse import SseEvent


async def collect(
    url: str, *, idle: float | None = 20, headers: dict[str, str] | None = None
) -> list[SseEvent]:
    post = Post(f"{url}/v1/chat/completions", b'{"model":"m"}', headers or {}, idle)
    async with aclosing(post_events(post)) as events:
        return [event async for event in events]


async def fault_of(url: str, **more: Any) -> Any:
    with pytest.raises(ProviderError) as caught:
        await collect(url, **more)
    return caught.value.fault


async def test_sends_the_request_and_gives_the_events(serve: Any) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: on", b"e\n\ndata: t", b"wo\n\n")

    async with serve(answer) as server:
        events = await collect(server.url, headers={"Authorization": "Bearer key"})
    assert [event.data for event in events] == [b"one", b"two"]
    request = server.exchanges[0]
    assert request.line == "POST /v1/chat/completions HTTP/1.1"
    assert request.headers["authorization"] == "Bearer key"
    assert request.headers["content-type"] == "application/json"
    assert json.loads(request.body) == {"model": "m"}


async def test_events_come_while_the_server_still_writes(serve: Any) -> None:
    seen = asyncio.Event()

    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: first\n\n", end=False)
        await seen.wait()
        await exchange.chunk(b"data: second\n\n")
        await exchange.send(b"0\r\n\r\n")

    async with serve(answer) as server:
        got = []
        async with aclosing(post_events(Post(server.url, b"", {}, 20))) as events:
            async for event in events:
                got.append(event.data)
                seen.set()
    assert got == [b"first", b"second"]


async def test_a_cancelled_reader_closes_the_connection_at_once(serve: Any) -> None:
    begun = asyncio.Event()

    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: first\n\n", end=False)
        begun.set()
        await exchange.gone.wait()

    async with serve(answer) as server:
        reading = asyncio.create_task(collect(server.url))
        await begun.wait()
        await asyncio.sleep(0)
        reading.cancel()
        await asyncio.wait([reading])
        assert reading.cancelled()
        async with asyncio.timeout(20):
            await server.exchanges[0].gone.wait()


async def test_leaving_after_the_last_event_keeps_the_connection_for_the_next_request(serve: Any) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: [DONE]\n\n")

    async with serve(answer) as server:
        for _ in range(3):
            async with aclosing(post_events(Post(server.url, b"", {}, 20))) as events:
                async for _event in events:
                    break
        assert len(server.exchanges) == 3
        assert server.connections == 1


async def test_a_server_that_never_closes_does_not_hold_the_reader(serve: Any) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: [DONE]\n\n", end=False)
        await exchange.gone.wait()

    async with serve(answer) as server, asyncio.timeout(20):
        async with aclosing(post_events(Post(server.url, b"", {}, None))) as events:
            async for _event in events:
                break
        await server.exchanges[0].gone.wait()


async def test_a_torn_stream_is_a_fault_and_what_came_was_given(serve: Any) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: one\n\n", b"data: tw", end=False)
        exchange.writer.close()

    async with serve(answer) as server:
        got: list[bytes] = []

        async def read() -> None:
            async with aclosing(post_events(Post(server.url, b"", {}, 20))) as events:
                async for event in events:
                    got.append(event.data)  # noqa: PERF401 - what came before the fault counts

        with pytest.raises(ProviderError) as caught:
            await read()
    assert got == [b"one"]
    assert caught.value.fault.kind == "network"
    assert caught.value.fault.retryable
    assert "closed" in caught.value.fault.message


async def test_a_silent_server_is_given_up(serve: Any) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: one\n\n", end=False)
        await exchange.gone.wait()

    async with serve(answer) as server:
        fault = await fault_of(server.url, idle=0.05)
    assert fault.kind == "network"
    assert "timeout" in fault.message


async def test_a_reader_that_takes_its_time_is_no_silence_of_the_server(serve: Any) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: one\n\ndata: two\n\n", end=False)
        await exchange.gone.wait()

    async with serve(answer) as server:
        got = []
        with pytest.raises(ProviderError, match="timeout"):
            async with aclosing(post_events(Post(server.url, b"", {}, idle_seconds=0.05))) as events:
                async for event in events:
                    got.append(event.data)
                    await asyncio.sleep(0.15)
    assert got == [b"one", b"two"]


async def test_silence_is_noticed_where_each_event_is_asked_for_by_a_task_of_its_own(serve: Any) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: one\n\n", end=False)
        await exchange.gone.wait()

    async with serve(answer) as server, aclosing(post_events(Post(server.url, b"", {}, 0.05))) as events:

        async def next_event() -> bytes:
            return (await anext(events)).data

        assert await asyncio.create_task(next_event()) == b"one"
        with pytest.raises(ProviderError, match="timeout"):
            await asyncio.create_task(next_event())


async def test_being_called_off_while_waiting_is_no_silence_either(serve: Any) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: one\n\n", end=False)
        await exchange.gone.wait()

    async with serve(answer) as server:
        got = asyncio.Event()

        async def read() -> None:
            async with aclosing(post_events(Post(server.url, b"", {}, idle_seconds=20))) as events:
                async for _ in events:
                    got.set()

        task = asyncio.create_task(read())
        await got.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_server_that_does_not_begin_to_answer_is_given_up_by_a_time_out_of_its_own(
    serve: Any,
) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.gone.wait()

    async with serve(answer) as server:
        post = Post(server.url, b"", {}, idle_seconds=None, answer_seconds=0.05)
        with pytest.raises(ProviderError, match="timeout") as caught:
            async with aclosing(post_events(post)) as events:
                await anext(events)
    assert caught.value.fault.kind == "network"


async def test_the_time_out_for_the_beginning_does_not_bound_the_rest(serve: Any) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: one\n\n", end=False)
        await asyncio.sleep(1.1)
        await exchange.chunk(b"data: two\n\n")
        await exchange.send(b"0\r\n\r\n")

    async with serve(answer) as server:
        post = Post(server.url, b"", {}, idle_seconds=20, answer_seconds=1)
        async with aclosing(post_events(post)) as events:
            assert [event.data async for event in events] == [b"one", b"two"]


async def test_a_refusal_tells_status_words_and_wait(serve: Any) -> None:
    async def answer(exchange: Any) -> None:
        body = json.dumps({"error": {"message": "slow down", "type": "rate_limit_error"}}).encode()
        await exchange.document(429, body, retry_after="7")

    async with serve(answer) as server:
        fault = await fault_of(server.url)
    assert (fault.kind, fault.status, fault.retry_after) == ("transient", 429, 7.0)
    assert "429" in fault.message
    assert "slow down" in fault.message


@pytest.mark.parametrize(
    ("body", "words"),
    [(b'{"error": {"message": "no such model"}}', "no such model"), (b"<html>hello</html>", "hello")],
)
async def test_a_document_instead_of_a_stream_is_a_fault(serve: Any, body: bytes, words: str) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.document(200, body)

    async with serve(answer) as server:
        fault = await fault_of(server.url)
    assert words in fault.message
    assert not fault.retryable


async def test_a_document_that_is_broken_off_is_tried_again(serve: Any) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.document(200, b'{"error": {"mess')

    async with serve(answer) as server:
        fault = await fault_of(server.url)
    assert fault.retryable
    assert "broken off" in fault.message


async def test_nobody_listens() -> None:
    fault = await fault_of("http://127.0.0.1:1")
    assert fault.kind == "network"
    assert "127.0.0.1:1" in fault.message


@pytest.mark.parametrize("url", ["", "nonsense", "ftp://host", "http://[::1"])
async def test_an_unusable_address_is_named(url: str) -> None:
    fault = await fault_of(url)
    assert fault.kind == "bad_request"


async def test_a_key_that_no_header_can_carry_is_not_shown() -> None:
    fault = await fault_of("http://127.0.0.1:1", headers={"authorization": "Bearer secret\nkey"})
    assert "authorization" in fault.message
    assert "secret" not in fault.message


async def test_the_proxy_of_the_environment_is_used_and_named_when_it_fails(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: x\n\n")

    async with serve(answer) as server:
        monkeypatch.setenv("http_proxy", f"http://user:pw@127.0.0.1:{server.port}")
        assert len(await collect("http://models.test")) == 1
        assert server.exchanges[0].line.startswith("POST http://models.test/v1/chat/completions")
        assert "proxy-authorization" in server.exchanges[0].headers

        monkeypatch.setenv("http_proxy", "http://user:pw@127.0.0.1:1")
        assert len(await collect(server.url)) == 1, "this machine is reached directly"
        fault = await fault_of("http://models.test")
    assert fault.kind == "network"
    assert "http://127.0.0.1:1" in fault.message
    assert "pw" not in fault.message


async def test_a_configured_proxy_counts_before_the_environment(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: x\n\n")

    async def ask(url: str, proxy: str) -> int:
        async with aclosing(post_events(Post(url, b"", {}, 20, proxy=proxy))) as events:
            return len([event async for event in events])

    async with serve(answer) as server:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        monkeypatch.setenv("NO_PROXY", "models.direct.test")
        assert await ask("http://models.test", f"127.0.0.1:{server.port}") == 1
        assert server.exchanges[0].line.startswith("POST http://models.test")
        assert await ask(server.url, "http://127.0.0.1:1") == 1, "this machine is reached directly"
        with pytest.raises(ProviderError, match="Cannot connect"):
            await ask("http://models.direct.test", f"127.0.0.1:{server.port}")
        for odd in ("ftp://127.0.0.1:1", "http://", "socks5://127.0.0.1:1"):
            with pytest.raises(ProviderError, match="proxy"):
                await ask("http://models.test", odd)


def test_each_event_loop_has_a_client_of_its_own(serve: Any) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: x\n\n")

    async def once() -> int:
        async with serve(answer) as server:
            return len(await collect(server.url))

    assert [asyncio.run(once()), asyncio.run(once())] == [1, 1]


# --- TLS ----------------------------------------------------------------------------------------------


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, ssl.SSLContext]:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the openssl program to make a certificate")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = f"""{openssl} req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes
        -keyout {key} -out {cert} -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"""
    subprocess.run(command.split(), check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return cert, context


async def test_a_stream_over_tls_arrives_whole(
    serve: Any, certificate: tuple[Path, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(exchange: Any) -> None:
        # Each write is a TLS record of its own, as from a server that flushes every event.
        await exchange.events(*(b"data: %d\n\n" % number for number in range(300)))

    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    async with serve(answer, certificate[1]) as server:
        events = await collect(server.url)
    assert [int(event.data) for event in events] == list(range(300))


async def test_an_authority_of_ones_own_can_be_added(
    serve: Any, certificate: tuple[Path, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: x\n\n")

    async with serve(answer, certificate[1]) as server:
        monkeypatch.setenv("NODE_EXTRA_CA_CERTS", "/no/such/file.pem")
        assert "NODE_EXTRA_CA_CERTS" in (await fault_of(server.url)).message
        monkeypatch.setenv("NODE_EXTRA_CA_CERTS", str(certificate[0]))
        assert len(await collect(server.url)) == 1


async def test_a_certificate_file_that_is_of_no_use_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    fault = await fault_of("https://localhost:1")
    assert fault.kind == "bad_request"
    assert "missing.pem" in fault.message


async def test_an_untrusted_certificate_is_not_tried_again(
    serve: Any, certificate: tuple[Path, ssl.SSLContext]
) -> None:
    async def answer(exchange: Any) -> None:
        await exchange.events(b"data: x\n\n")

    async with serve(answer, certificate[1]) as server:
        fault = await fault_of(server.url)
    assert not fault.retryable
    assert "certificate" in fault.message.lower()


def test_adapters_load_no_http_library_before_the_first_request() -> None:
    program = (
        "import sys\n"
        "from pi_term.ai.wire import openai_completions, openai_responses\n"
        "from pi_term.ai.wire import anthropic_messages, google_generative_ai\n"
        "heavy = ('httpx2', 'httpcore2', 'anyio', 'openai', 'anthropic')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert found.strip() == "[]"
