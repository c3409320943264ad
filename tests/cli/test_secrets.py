"""A stored key goes to its provider, and nowhere else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

KEY = "sk-test-123456"
PROGRAM = [str(Path(sys.executable).with_name("pi-term"))]


@dataclass
class Parrot:
    """Refuses every request and repeats its headers."""

    port: int = 0
    got: list[str] = field(default_factory=list)
    seen_in_processes: list[str] = field(default_factory=list)


@pytest.fixture
def parrot() -> Iterator[Parrot]:
    told = Parrot()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            told.got.append(self.headers.get("authorization", ""))
            told.seen_in_processes += [line for line in command_lines() if KEY in line]
            said = f"bad key in {dict(self.headers)}"
            self.send_response(401)
            self.end_headers()
            self.wfile.write(json.dumps({"error": {"message": said}}).encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    told.port = server.server_port
    yield told
    server.shutdown()
    thread.join()
    server.server_close()


def command_lines() -> list[str]:
    lines: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            lines.append((process / "cmdline").read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return lines


@pytest.mark.parametrize("mode", ["stored", "command"])
def test_a_refused_key_is_shown_nowhere(parrot: Parrot, clean_environment: Path, mode: str) -> None:
    home = clean_environment / "pi-term"
    home.mkdir()
    local = {"baseUrl": f"http://127.0.0.1:{parrot.port}/v1", "api": "openai-completions"}
    described = {"mine": {**local, "models": [{"id": "m"}]}}
    (home / "models.json").write_text(json.dumps({"providers": described}))
    (home / "key").write_text(KEY)
    if mode == "stored":
        login = [*PROGRAM, "auth", "login", "mine"]
        subprocess.run(login, input=f"{KEY}\n", text=True, check=True, capture_output=True)
    else:
        entry = {"mine": {"type": "api_key", "key": f"!cat {home / 'key'}"}}
        (home / "auth.json").write_text(json.dumps(entry))
        (home / "auth.json").chmod(0o600)
    done = subprocess.run(
        [*PROGRAM, "--debug", "--model", "mine/m", "-p", "hello"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=clean_environment,
        env={**os.environ, "PI_TERM_LOG": "debug"},
        timeout=60,
    )
    assert done.returncode == 1
    assert parrot.got[0] == f"Bearer {KEY}"
    assert "401" in done.stderr
    assert "[redacted]" in done.stderr
    assert KEY not in done.stdout + done.stderr
    written = [path for path in clean_environment.rglob("*") if path.is_file()]
    assert any(path.suffix == ".log" for path in written)
    holders = {path.name for path in written if KEY.encode() in path.read_bytes()}
    assert holders == ({"auth.json", "key"} if mode == "stored" else {"key"})
    assert parrot.seen_in_processes == []
