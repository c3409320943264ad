"""Several programs with one sign-in whose refresh token works once (a local authorisation server)."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

# One program: waits for the starting signal, then resolves the key for a request and prints it.
PROGRAM = """
import asyncio, json, sys, time, urllib.request
from pathlib import Path
from pi_term.ai.catalog import ModelRegistry, OAuthCredential
from pi_term.base.errors import PiTermError
from pi_term.coding.credentials import FileCredentialStore

file, server, start, seconds = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), float(sys.argv[4])

class Flow:
    id = "acme"
    async def login(self, ui):
        raise NotImplementedError
    async def refresh(self, credential):
        def ask():
            body = json.dumps({"refresh_token": credential.refresh}).encode()
            with urllib.request.urlopen(server, body) as answer:
                return json.load(answer)
        got = await asyncio.to_thread(ask)
        return OAuthCredential(got["access"], got["refresh"], got["expires"], credential.extra)

async def main():
    registry = ModelRegistry(credentials=FileCredentialStore(file, seconds), env={})
    registry.add_sign_in(Flow())
    described = {"baseUrl": "http://127.0.0.1:9", "api": "openai-completions", "models": [{"id": "m"}]}
    registry.add_provider("acme", described)
    print("ready", flush=True)
    while not start.exists():
        time.sleep(0.005)
    begun = time.monotonic()
    try:
        said = (await registry.resolve_request_auth(registry.get("acme", "m"))).api_key
    except PiTermError as error:
        said = error.text()
    print(json.dumps([said, time.monotonic() - begun]), flush=True)
    import os
    os._exit(0)  # a thread that waits for a hanging server keeps nobody

asyncio.run(main())
"""


@dataclass
class Authority:
    """Takes each refresh token once; the first `hanging` requests are never answered."""

    hanging: int = 0
    valid: str = "refresh-0"
    refused: int = 0
    asked: list[str] = field(default_factory=list)
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)
    ending: threading.Event = field(default_factory=threading.Event)

    def answer(self, token: str) -> tuple[int, dict[str, Any]]:
        with self.lock:
            self.asked.append(token)
            hang = len(self.asked) <= self.hanging
            if not hang and token == self.valid:
                number = len(self.asked)
                self.valid = f"refresh-{number}"
                expires = time.time_ns() // 1_000_000 + 3_600_000
                return 200, {"access": f"access-{number}", "refresh": self.valid, "expires": expires}
        if hang:
            self.ending.wait(60)
        self.refused += not hang
        return 400, {"error": "invalid_grant", "refresh_token": token}


@pytest.fixture
def authority() -> Iterator[Authority]:
    told = Authority()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, content = told.answer(body["refresh_token"])
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(content).encode())

        def log_message(self, *_: Any) -> None:
            pass

        def handle(self) -> None:
            with contextlib.suppress(OSError):  # a program that gave up waiting
                super().handle()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    told.url = f"http://127.0.0.1:{server.server_port}/token"
    yield told
    told.ending.set()
    server.shutdown()
    thread.join()
    server.server_close()


def stored(tmp_path: Path) -> tuple[Path, Path]:
    """auth.json with an expired token, and a link to it in another folder."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    file, link = tmp_path / "one" / "auth.json", tmp_path / "two" / "auth.json"
    entry = {"type": "oauth", "access": "access-0", "refresh": "refresh-0", "expires": 1, "accountId": "me"}
    file.write_text(json.dumps({"acme": entry, "other": {"type": "api_key", "key": "k"}}))
    file.chmod(0o600)
    link.symlink_to(file)
    return file, link


def run_at_once(
    files: list[Path], authority: Authority, start: Path, seconds: float
) -> list[tuple[str, float]]:
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(file), authority.url, str(start), str(seconds)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for file in files
    ]
    try:
        for program in programs:
            assert program.stdout is not None
            assert program.stdout.readline() == "ready\n"
        start.touch()
        said = [program.communicate(timeout=60)[0] for program in programs]
    finally:
        for program in programs:
            program.kill()
            program.wait()
    return [tuple(json.loads(each)) for each in said]


def test_three_programs_renew_once_and_all_go_on(tmp_path: Path, authority: Authority) -> None:
    file, link = stored(tmp_path)
    said = run_at_once([file, link, file], authority, tmp_path / "start", 30)
    assert authority.asked == ["refresh-0"]
    assert [key for key, _ in said] == ["access-1"] * 3
    content = json.loads(file.read_text())
    assert content["acme"]["refresh"] == "refresh-1"
    assert content["acme"]["accountId"] == "me"
    assert content["other"] == {"type": "api_key", "key": "k"}
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_renewal_that_hangs_holds_the_others_up_for_its_time_only(
    tmp_path: Path, authority: Authority
) -> None:
    file, link = stored(tmp_path)
    authority.hanging = 1
    said = run_at_once([file, link, file], authority, tmp_path / "start", 1)
    keys = sorted(key for key, _ in said)
    assert keys[0].startswith("There is no API key for acme: The provider did not answer within 1 s.")
    assert keys[1:] == ["access-2", "access-2"]
    assert authority.asked == ["refresh-0", "refresh-0"]
    assert "refresh-0" not in " ".join(keys)
    assert max(seconds for _, seconds in said) < 20
    assert json.loads(file.read_text())["acme"]["refresh"] == "refresh-2"


def test_a_login_that_was_ended_elsewhere_is_told_and_kept(tmp_path: Path, authority: Authority) -> None:
    file, _ = stored(tmp_path)
    authority.valid = "another"
    ((said, _),) = run_at_once([file], authority, tmp_path / "start", 30)
    assert "could not be renewed" in said
    assert "pi-term auth login acme" in said
    assert "refresh-0" not in said
    assert json.loads(file.read_text())["acme"]["refresh"] == "refresh-0"
