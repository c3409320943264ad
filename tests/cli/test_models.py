from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from pi_term.ai.catalog import local
from pi_term.cli.main import main

SERVED = {"data": [{"id": "Qwen/Qwen3-8B", "owned_by": "vllm", "max_model_len": 40960}]}


@pytest.fixture
def home(clean_environment: Path) -> Path:
    home = clean_environment / "pi-term"
    home.mkdir()
    return home


def describe(home: Path, *models: dict[str, Any]) -> None:
    provider = {"baseUrl": "http://127.0.0.1:9", "api": "openai-completions", "apiKey": "k"}
    content = {"providers": {"mine": {**provider, "models": models}}}
    (home / "models.json").write_text(json.dumps(content))


def listed(capfd: pytest.CaptureFixture[str], *argv: str) -> list[list[str]]:
    assert main(["--list-models", *argv]) == 0
    return [line.split() for line in capfd.readouterr().out.splitlines()]


HEAD = ["provider", "model", "context", "max-out", "thinking", "images"]


def test_a_fresh_machine_is_told_what_to_do(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--list-models"]) == 0
    out = capfd.readouterr().out
    assert "pi-term auth login" in out
    assert str(home / "models.json") in out
    assert listed(capfd, "--demo")[1][:2] == ["demo", "demo"]


def test_a_model_in_a_line(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    full = {"reasoning": True, "input": ["text", "image"], "contextWindow": 1_000_000, "maxTokens": 4096}
    describe(home, {"id": "tiny", "contextWindow": 800, "maxTokens": 80}, {"id": "big\x1b[2J", **full})
    assert listed(capfd) == [
        HEAD,
        ["mine", "big", "1M", "4.1K", "yes", "yes"],
        ["mine", "tiny", "800", "80", "no", "no"],
    ]


def test_words_narrow_the_list(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    describe(home, {"id": "coder"}, {"id": "writer", "name": "Poet"})
    assert [row[1] for row in listed(capfd, "CODE")] == ["model", "coder"]
    assert [row[1] for row in listed(capfd, "poet")] == ["model", "writer"]
    assert main(["--list-models", "zork"]) == 0
    assert capfd.readouterr().out == 'No model matches "zork".\n'
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert ["anthropic", "claude-opus-5", "1M", "128K", "yes", "yes"] in listed(capfd, "claude", "opus")


def test_what_is_wrong_with_the_files_is_told(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    describe(home, {"id": "m", "api": "carrier-pigeon"}, {"id": "n", "contextWindow": "big"})
    (home / "auth.json").write_text('{"mine": 5}')
    (home / "auth.json").chmod(0o600)
    assert main(["--list-models"]) == 0
    out, err = capfd.readouterr()
    assert [line.split()[1] for line in out.splitlines()] == ["model", "m", "n"]
    told = err.splitlines()
    assert len(told) == 3
    assert 'models.0.api: no adapter speaks "carrier-pigeon"; known are ' in told[0]
    assert "models.1.contextWindow" in told[1]
    assert "auth.json:1: mine: must be an object" in told[2]


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(SERVED).encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setattr(local, "WELL_KNOWN", {server.server_port: local.ask_openai})
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def test_local_servers_are_asked_when_wished(
    home: Path, capfd: pytest.CaptureFixture[str], vllm: int
) -> None:
    describe(home, {"id": "m"})
    assert [row[1] for row in listed(capfd)] == ["model", "m"]
    rows = listed(capfd, "--local")
    assert [f"vllm-{vllm}", "Qwen/Qwen3-8B", "41.0K", "10.2K", "no", "no"] in rows


def test_no_local_server_is_said(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "WELL_KNOWN", {1: local.ask_openai})
    assert main(["--list-models", "--local"]) == 0
    assert "No model server answers" in capfd.readouterr().err
    assert main(["--local", "hello"]) == 1
    assert "--local goes with --list-models" in capfd.readouterr().err
