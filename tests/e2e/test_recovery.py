"""The user's shell, a provider that refuses at first, a compaction, the tree: in a pseudo-terminal."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from pi_term.testing.terminal import TerminalProgram

PROGRAM = [str(Path(sys.executable).with_name("pi-term"))]
ESCAPE = b"\x1b"
ANSWER = "the whole answer " * 40


class Server(ThreadingHTTPServer):
    """Speaks chat completions; the first request is one too many."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[dict[str, Any]] = []


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        self.server.bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        if len(self.server.bodies) == 1:
            body = b'{"error": {"message": "rate limited", "type": "rate_limit_error"}}'
            self.send_response(429)
            self.send_header("retry-after", "2")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        summary = "<conversation>" in json.dumps(self.server.bodies[-1])
        text = "## Goal\n\nthe gist of it" if summary else ANSWER
        chunks = [
            {"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        ]
        stream = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(stream)))
        self.end_headers()
        self.wfile.write(stream.encode())

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join(10)


@pytest.fixture
def program(tmp_path: Path, server: Server) -> Iterator[TerminalProgram]:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    provider = {
        "baseUrl": f"http://127.0.0.1:{server.server_address[1]}/v1",
        "api": "openai-completions",
        "apiKey": "k",
        "models": [{"id": "mock-chat", "contextWindow": 100_000, "maxTokens": 4096}],
    }
    (home / "models.json").write_text(json.dumps({"providers": {"mock": provider}}))
    (home / "settings.json").write_text(json.dumps({"compaction": {"keepRecentTokens": 50}}))
    env = {**os.environ, "PI_TERM_HOME": str(home)}
    with TerminalProgram([*PROGRAM, "--model", "mock/mock-chat"], cwd=work, env=env) as running:
        running.wait_for("Ask, or tell what to do")
        yield running


def test_a_day_with_a_busy_provider(program: TerminalProgram, server: Server, tmp_path: Path) -> None:
    program.send("!echo from''shell\r")
    program.wait_for("  fromshell\n")
    program.wait_for(lambda screen: "running" not in screen)
    program.send("hello\r")
    screen = program.wait_for("retrying in")
    assert "(1/3)" in screen
    assert "rate limited" in screen
    screen = program.wait_for(lambda text: "the whole answer" in text and "working" not in text)
    assert "↻ failed, tried again" in screen
    assert "echo from''shell" in json.dumps(server.bodies[0])
    program.send("and more\r")
    program.wait_for(lambda text: "▌ and more" in text and len(server.bodies) == 3 and "working" not in text)
    program.send("/compact\r")
    program.wait_for("◆ Earlier conversation, summarised")
    program.wait_for("?/100k")
    program.send(ESCAPE + ESCAPE)
    program.wait_for("Session Tree (")
    program.wait_for("compaction: Goal the gist of it")
    program.wait_for("! echo from''shell")
    program.send(ESCAPE)
    program.wait_for("Ask, or tell what to do")
    (file,) = (tmp_path / "home" / "sessions").glob("*/*.jsonl")
    entries = [json.loads(line) for line in file.read_text().splitlines()]
    kinds = [entry.get("message", {}).get("role", entry["type"]) for entry in entries]
    assert [kind for kind in kinds if kind in ("bashExecution", "context_edit", "compaction")] == [
        "bashExecution", "context_edit", "compaction",
    ]  # fmt: skip
