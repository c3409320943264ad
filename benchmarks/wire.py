"""What one streamed answer costs below the interface: CPU seconds of this process.

A server in a process of its own streams 5,000 small events, 500 a second and then all at once, and a
tool call of 200 KB in pieces of 20 characters, to the adapter of each API.

    python benchmarks/wire.py [API ...]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator

from pi_term.ai import Context, Model, StreamOptions, UserMessage, stream_model

EVENTS, RATE, CALL_BYTES, PIECE = 5_000, 500, 200_000, 20
TEXT = "twenty characters ok"
APIS = ("openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai")


def completions(pieces: list[str], *, call: bool) -> Iterator[dict[str, object]]:
    base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    for number, piece in enumerate(pieces):
        delta: dict[str, object] = {"content": piece}
        if call:
            function = {"name": "write", "arguments": piece} if number == 0 else {"arguments": piece}
            delta = {
                "tool_calls": [
                    {"index": 0, **({"id": "call_1"} if number == 0 else {}), "function": function}
                ]
            }
        yield {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if call else "stop"}]}


def anthropic(pieces: list[str], *, call: bool) -> Iterator[dict[str, object]]:
    yield {"type": "message_start", "message": {"id": "m", "model": "m", "usage": {"input_tokens": 1}}}
    block = (
        {"type": "tool_use", "id": "toolu_1", "name": "write", "input": {}}
        if call
        else {"type": "text", "text": ""}
    )
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    for piece in pieces:
        delta = (
            {"type": "input_json_delta", "partial_json": piece}
            if call
            else {"type": "text_delta", "text": piece}
        )
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def responses(pieces: list[str], *, call: bool) -> Iterator[dict[str, object]]:
    yield {"type": "response.created", "response": {"id": "r", "status": "in_progress"}}
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "write", "arguments": ""}
    if not call:
        item = {"type": "message", "id": "msg_1", "role": "assistant", "content": []}  # type: ignore[dict-item]
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    kind = "function_call_arguments" if call else "output_text"
    for piece in pieces:
        yield {
            "type": f"response.{kind}.delta",
            "item_id": item["id"],
            "output_index": 0,
            "content_index": 0,
            "delta": piece,
        }
    whole = (
        {**item, "arguments": "".join(pieces)}
        if call
        else {**item, "content": [{"type": "output_text", "text": "".join(pieces)}]}
    )
    yield {"type": "response.output_item.done", "output_index": 0, "item": whole}
    yield {"type": "response.completed", "response": {"id": "r", "status": "completed"}}


def gemini(pieces: list[str], *, call: bool) -> Iterator[dict[str, object]]:
    if call:  # Gemini sends a call whole
        pieces, parts = [], [{"functionCall": {"name": "write", "args": json.loads("".join(pieces))}}]
        yield {"candidates": [{"content": {"role": "model", "parts": parts}}]}
    for piece in pieces:
        yield {"candidates": [{"content": {"role": "model", "parts": [{"text": piece}]}}]}
    yield {"candidates": [{"finishReason": "STOP"}]}


STREAMS = dict(zip(APIS, (completions, responses, anthropic, gemini), strict=True))


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The server's side of one request: its path says which API, its body how."""
    head = await reader.readuntil(b"\r\n\r\n")
    size = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    body = json.loads(await reader.readexactly(size))
    path = head.split()[1].decode()
    api = next(
        api
        for api, mark in zip(APIS, ("chat", "responses", "messages", "Content"), strict=True)
        if mark in path
    )
    kind = next(kind for kind in ("paced", "burst", "call") if f"[{kind}]" in json.dumps(body))
    if kind == "call":
        text = json.dumps({"path": "a", "content": "line of text\n" * (CALL_BYTES // 13)})
        pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    else:
        pieces = [TEXT] * EVENTS
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
    began = time.monotonic()
    for number, event in enumerate(STREAMS[api](pieces, call=kind == "call")):
        name = f"event: {event['type']}\n" if "type" in event else ""
        writer.write(f"{name}data: {json.dumps(event)}\n\n".encode())
        if kind == "paced":
            await asyncio.sleep(max(0.0, began + number / RATE - time.monotonic()))
        await writer.drain()
    writer.close()


async def serve() -> None:
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


async def measure(port: int, api: str, kind: str) -> tuple[float, float]:
    """CPU and wall seconds of one answer."""
    base = f"http://127.0.0.1:{port}" + ("/v1" if api.startswith("openai") else "")
    model = Model("m", "bench", api, base_url=base)
    cpu, wall = time.process_time(), time.perf_counter()
    stream = stream_model(model, Context(messages=[UserMessage(f"[{kind}]")]), StreamOptions(api_key="k"))
    async for _ in stream:
        pass
    message = await stream.result()
    assert message.error_message is None, message.error_message
    return time.process_time() - cpu, time.perf_counter() - wall


async def compare(apis: list[str], port: int, runs: int) -> None:
    for api in apis:
        await measure(port, api, "burst")  # imports
        for kind in ("paced", "burst", "call"):
            figures = sorted([await measure(port, api, kind) for _ in range(1 if kind == "paced" else runs)])
            cpu, wall = figures[len(figures) // 2]
            print(f"{api:22} {kind:6} {cpu * 1000:8.1f} ms CPU {wall:7.2f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("apis", nargs="*", default=APIS)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve())
        return
    with subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            asyncio.run(compare(list(given.apis), int(server.stdout.readline()), given.runs))
        finally:
            server.kill()


if __name__ == "__main__":
    main()
