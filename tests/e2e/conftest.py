"""The installed program and, where Node is, the real Pi and a mock model server."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PROGRAM = [str(Path(sys.executable).with_name("pi-term"))]


@dataclass
class Reference:
    """The mock server, and folders with the same models.json for pi-term and Pi."""

    port: int
    home: Path
    work: Path

    def journal(self) -> list[dict[str, Any]]:
        """The requests that the server got."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/__aimock/journal") as answer:
            return list(json.load(answer))

    def environment(self) -> dict[str, str]:
        """For either program; the clean environment of the test is the base."""
        path = os.pathsep.join([os.environ["NODE_DIR"], os.environ["PATH"]])
        return {
            **os.environ,
            "PATH": path,
            "PI_OFFLINE": "1",
            "PI_CODING_AGENT_DIR": str(self.home),
            "PI_TERM_HOME": str(self.home),
        }

    def pi_term(self, *args: str, **more: Any) -> subprocess.CompletedProcess[str]:
        """Run pi-term."""
        return self._run([*PROGRAM, *args], **more)

    def pi(self, *args: str, **more: Any) -> subprocess.CompletedProcess[str]:
        """Run the real Pi."""
        return self._run([os.environ["PI_BIN"], *args], **more)

    def sessions(self) -> list[Path]:
        """All session files, the oldest first."""
        return sorted((self.home / "sessions").glob("*/*.jsonl"), key=lambda path: path.name)

    def _run(self, argv: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
        given = {"stdin": subprocess.DEVNULL, **more}
        return subprocess.run(
            argv, cwd=self.work, env=self.environment(), capture_output=True, text=True, timeout=120, **given
        )


CALL = {"toolCalls": [{"name": "read", "arguments": '{"path":"package.json"}'}]}
FIXTURES = {
    "fixtures": [
        {
            # The mock server's own reason for the end of a call is none that Gemini knows.
            "match": {"model": "mock-gemini", "userMessage": "read package", "hasToolResult": False},
            "response": {**CALL, "finishReason": "stop"},
        },
        {
            "match": {"userMessage": "read package", "hasToolResult": False},
            "response": CALL,
        },
        {
            "match": {"userMessage": "read package", "hasToolResult": True},
            "response": {"content": "It depends on **left-pad**."},
        },
        {"match": {"userMessage": "and now"}, "response": {"content": "Now I know more."}},
        {
            "match": {"userMessage": "take your time", "hasToolResult": False},
            "response": {"toolCalls": [{"name": "bash", "arguments": '{"command":"sleep 600"}'}]},
        },
    ]
}


def models_json(port: int) -> dict[str, Any]:
    """All wire formats on one server."""
    base = f"http://127.0.0.1:{port}"
    return {
        "providers": {
            "mock": {
                "baseUrl": f"{base}/v1",
                "api": "openai-completions",
                "apiKey": "k",
                "models": [{"id": "mock-chat", "contextWindow": 128000, "maxTokens": 4096}],
            },
            "mocka": {
                "baseUrl": base,
                "api": "anthropic-messages",
                "apiKey": "k",
                "models": [
                    {"id": "mock-claude", "contextWindow": 200000, "maxTokens": 4096, "reasoning": True}
                ],
            },
            "mockr": {
                "baseUrl": f"{base}/v1",
                "api": "openai-responses",
                "apiKey": "k",
                "models": [{"id": "mock-gpt", "contextWindow": 200000, "maxTokens": 4096, "reasoning": True}],
            },
            "mockg": {
                "baseUrl": f"{base}/v1beta",
                "api": "google-generative-ai",
                "apiKey": "k",
                "models": [
                    {"id": "mock-gemini", "contextWindow": 200000, "maxTokens": 4096, "reasoning": True}
                ],
            },
        }
    }


@pytest.fixture
def reference(tmp_path: Path) -> Iterator[Reference]:
    missing = [name for name in ("AIMOCK_BIN", "NODE_DIR", "PI_BIN") if name not in os.environ]
    if missing:
        pytest.skip(f"needs the reference installation: {', '.join(missing)} not set")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home, work = tmp_path / "agent", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    (home / "models.json").write_text(json.dumps(models_json(port)))
    (work / "package.json").write_text('{"dependencies": {"left-pad": "1"}}\n')
    fixtures = tmp_path / "fixtures.json"
    fixtures.write_text(json.dumps(FIXTURES))
    path = os.pathsep.join([os.environ["NODE_DIR"], os.environ["PATH"]])
    server = subprocess.Popen(
        [os.environ["AIMOCK_BIN"], "-p", str(port), "-f", str(fixtures)],
        env={**os.environ, "PATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port)
        yield Reference(port, home, work)
    finally:
        server.terminate()
        server.wait(20)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError("the mock server did not start")
