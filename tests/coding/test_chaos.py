"""A provider that fails a third of the requests in every way loses no turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_term.ai.messages import AssistantMessage, UserMessage, text_of
from pi_term.ai.scripted import Call, Say
from pi_term.base import json
from pi_term.base.paths import AppPaths
from pi_term.coding.session import SessionFile, build_context
from pi_term.coding.startup import Started, StartRequest, start_session
from pi_term.coding.ui_bridge import NullUi
from pi_term.testing.chaos_server import ChaosRequest, ChaosServer
from pi_term.testing.wire_streams import WirePart

SETTINGS: json.JsonObject = {
    "retry.maxRetries": 8,
    "retry.baseDelayMs": 1,
    "retry.maxAgentDelayMs": 10,
    "httpIdleTimeoutMs": 400,
}
PROMPTS = 8


def answer(request: ChaosRequest) -> list[WirePart]:
    """Every other good answer runs a command first."""
    if request.number % 2:
        return [Say("Let me look."), Call("bash", {"command": "echo ran"})]
    return [Say(f"Answer {request.number}.")]


async def started_on(server: ChaosServer, api: str, folder: Path) -> Started:
    work, home = folder / "work", folder / "home"
    work.mkdir()
    home.mkdir()
    provider = {
        "baseUrl": server.base_url(api),
        "api": api,
        "apiKey": "k",
        "models": [{"id": "m", "contextWindow": 200_000, "maxTokens": 4096}],
    }
    (home / "models.json").write_text(json.dumps_str({"providers": {"chaos": provider}}))
    request = StartRequest(cwd=work, model="chaos/m", settings=SETTINGS)
    return await start_session(request, AppPaths(home, home, home, home), NullUi())


@pytest.mark.parametrize(
    "api", ["openai-completions", "anthropic-messages", "openai-responses", "google-generative-ai"]
)
async def test_no_turn_is_lost(tmp_path: Path, api: str) -> None:
    async with ChaosServer(answer, rate=0.3, seed=len(api), stall_seconds=0.8) as server:
        started = await started_on(server, api, tmp_path)
        session = started.session
        for number in range(PROMPTS):
            await session.prompt(f"prompt {number}")
            last = session.agent.state.messages[-1]
            assert isinstance(last, AssistantMessage)
            assert last.stop_reason == "stop", last.error_message
            assert last.text.startswith("Answer")
        assert server.faults.total() > 3
        path = session.file.path
        await started.aclose()
    assert path is not None
    stored = SessionFile.open(path)
    assert stored.diagnostics == []
    seen = build_context(stored.tree).messages
    prompts = [text_of(message.content) for message in seen if isinstance(message, UserMessage)]
    assert prompts == [f"prompt {number}" for number in range(PROMPTS)]
    assert [message.to_json() for message in seen] == [
        message.to_json() for message in session.agent.state.messages
    ]
    stored.close()
