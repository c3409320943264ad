"""A task with a tool call against an independent mock of the model APIs."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.messages import Message, TextContent, ToolResultMessage, UserMessage
from pi_term.ai.models import Model
from pi_term.ai.registry import stream_model
from pi_term.ai.tools import Tool
from pi_term.ai.wire import http

pytestmark = pytest.mark.node

READ = Tool("read", "Reads a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
USAGE = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
REASONED = {"content": "Forty-two.", "reasoning": "Six times seven."}
FIXTURES = {
    "fixtures": [
        {
            "match": {"userMessage": "read package", "hasToolResult": False},
            "response": {
                "usage": USAGE,
                "toolCalls": [{"id": "call_pkg", "name": "read", "arguments": '{"path":"package.json"}'}],
            },
        },
        {
            "match": {"userMessage": "read package", "hasToolResult": True},
            "response": {"usage": USAGE, "content": "It depends on **left-pad**."},
        },
        {"match": {"userMessage": "please think"}, "response": {**REASONED, "usage": USAGE}},
    ]
}


@pytest.fixture
async def aimock(tmp_path: Path) -> AsyncIterator[str]:
    program = os.environ.get("AIMOCK_BIN")
    if not program:
        pytest.skip("AIMOCK_BIN is not set: the reference installation is missing")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    fixtures = tmp_path / "fixtures.json"
    fixtures.write_text(json.dumps(FIXTURES))
    path = os.pathsep.join([os.environ.get("NODE_DIR", ""), os.environ["PATH"]])
    process = await asyncio.create_subprocess_exec(
        *(program, "-p", str(port), "-f", str(fixtures)),
        env={**os.environ, "PATH": path},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(60):
            while not await listening(port):
                await asyncio.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        await http.aclose()
        process.kill()
        await process.wait()


async def listening(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


async def journal(url: str) -> list[dict[str, Any]]:
    import httpx2

    async with httpx2.AsyncClient() as client:
        entries: list[dict[str, Any]] = (await client.get(f"{url}/__aimock/journal")).json()
    return entries


WIRES = {
    "openai-completions": "/v1",
    "openai-responses": "/v1",
    "anthropic-messages": "",
    "google-generative-ai": "/v1beta",
}


@pytest.mark.parametrize(("api", "suffix"), WIRES.items())
async def test_a_task_with_a_tool_call(aimock: str, api: str, suffix: str) -> None:
    model = Model("mock", "mock", api, base_url=aimock + suffix, reasoning=True)
    history: list[Message] = [UserMessage("please read package and tell deps")]
    asked = await stream_model(
        model, Context("Be brief.", history, [READ]), StreamOptions(api_key="k")
    ).result()
    assert asked.error_message is None
    assert asked.stop_reason == "toolUse"
    (call,) = asked.tool_calls
    assert (call.name, call.arguments) == ("read", {"path": "package.json"})
    assert asked.usage.total_tokens == 107

    history += [asked, ToolResultMessage(call.id, "read", [TextContent('{"dependencies":{"left-pad":"1"}}')])]
    told = await stream_model(
        model, Context("Be brief.", history, [READ]), StreamOptions(api_key="k")
    ).result()
    assert (told.stop_reason, told.text) == ("stop", "It depends on **left-pad**.")
    sent = json.dumps((await journal(aimock))[-1])
    assert "left-pad" in sent
    # Google's calls have no ids, they are matched by their order.
    assert api == "google-generative-ai" or call.id.partition("|")[0] in sent


@pytest.mark.parametrize(("api", "suffix"), WIRES.items())
async def test_thoughts_come_before_the_answer_and_go_back(aimock: str, api: str, suffix: str) -> None:
    model = Model("mock", "mock", api, base_url=aimock + suffix, reasoning=True)
    history: list[Message] = [UserMessage("please think")]
    options = StreamOptions(api_key="k", thinking="medium", session_id="s")
    first = await stream_model(model, Context("", history), options).result()
    assert first.error_message is None
    assert [part.type for part in first.content] == ["thinking", "text"]
    assert first.content[0].thinking == "Six times seven."  # type: ignore[union-attr]
    history += [first, UserMessage("please think")]
    again = await stream_model(model, Context("", history), options).result()
    assert again.text == "Forty-two."
