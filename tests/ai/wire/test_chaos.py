"""Servers that fail in every way: whatever happens, a call ends in a message."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.messages import AssistantMessage, TextContent, ThinkingContent, ToolCall, UserMessage
from pi_term.ai.registry import stream_model
from pi_term.ai.scripted import Call, Say, Think
from pi_term.testing.chaos_server import FAULTS, ChaosRequest, ChaosServer
from pi_term.testing.wire_streams import WirePart

APIS = ["openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai"]
PARTS: list[WirePart] = [
    Think("I should look at it. " * 3),
    Say("Let me see — ü 🤔. " * 4),
    Call("read", {"path": "a.txt", "text": "ü 🤔 \n"}),
    Call("bash", {"command": "ls"}),
]


def answer(request: ChaosRequest) -> Sequence[WirePart]:
    return PARTS


async def call(server: ChaosServer, api: str, idle_ms: int = 20_000) -> tuple[AssistantMessage, list[str]]:
    options = StreamOptions(api_key="k", idle_timeout_ms=idle_ms, thinking="low")
    stream = stream_model(server.model(api), Context("", [UserMessage("go")]), options)
    kinds = [event.type async for event in stream]
    return await stream.result(), kinds


def shape(message: AssistantMessage) -> list[object]:
    out: list[object] = []
    for part in message.content:
        if isinstance(part, TextContent):
            out.append(part.text)
        elif isinstance(part, ThinkingContent):
            out.append(("thought", part.thinking))
        elif isinstance(part, ToolCall):
            out.append((part.name, part.arguments))
    return out


WHOLE = [
    ("thought", "I should look at it. " * 3),
    "Let me see — ü 🤔. " * 4,
    ("read", {"path": "a.txt", "text": "ü 🤔 \n"}),
    ("bash", {"command": "ls"}),
]


@pytest.mark.parametrize("api", APIS)
async def test_each_fault_becomes_a_message_that_may_be_retried(api: str) -> None:
    for fault in FAULTS:
        idle_ms = 50 if fault in ("silent", "stalled") else 20_000
        async with ChaosServer(answer, rate=1, faults=[fault], stall_seconds=0.5) as server:
            message, kinds = await call(server, api, idle_ms)
        assert [request.fault for request in server.requests] == [fault]
        if fault == "slow":
            assert shape(message) == WHOLE
            continue
        assert kinds[-1] == "error", fault
        assert (message.stop_reason, kinds.count("done")) == ("error", 0)
        assert message.fault is not None
        assert message.fault.retryable, (fault, message.fault)
        assert message.error_message
        if fault.startswith("rate limited"):
            assert message.fault.retry_after == pytest.approx(0.01)


@pytest.mark.parametrize("api", APIS)
async def test_of_many_calls_each_ends_and_good_answers_are_whole(api: str) -> None:
    async with ChaosServer(answer, rate=0.3, seed=7, stall_seconds=0.3) as server:
        for _ in range(40):
            message, kinds = await call(server, api, idle_ms=100)
            assert kinds.count("done") + kinds.count("error") == 1
            assert kinds[-1] in ("done", "error")
            if kinds[-1] == "done":
                assert (message.stop_reason, shape(message)) == ("toolUse", WHOLE)
                assert message.usage.total_tokens == 107
            else:
                assert message.fault is not None
                assert message.fault.retryable
    failed = sum(count for kind, count in server.faults.items() if kind != "slow")
    assert failed > 5
    assert len(server.requests) == 40
