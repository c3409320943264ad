"""The image of the whole program in a container."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx2
import pytest

from pi_term.ai.catalog import ModelRegistry

PROJECT = Path(__file__).parent.parent.parent
FILE = PROJECT / "examples" / "container" / "Dockerfile"


def copied() -> list[str]:
    """What the image takes of the project."""
    lines = re.findall(r"^COPY (.+)$", FILE.read_text(), re.MULTILINE)
    return [source for line in lines for source in line.split()[:-1]]


def has_docker() -> bool:
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, check=False, timeout=60).returncode == 0


def test_the_image_takes_all_that_an_installation_needs() -> None:
    sources = copied()
    assert all((PROJECT / source).exists() for source in sources)
    built = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    wheel = built["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = [built["project"]["readme"], *built["project"]["license-files"], *wheel["packages"]]
    assert {"pyproject.toml", *needed, *wheel["force-include"]} <= set(sources)


def test_the_image_starts_the_program_and_installs_extras_that_there_are() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    text = FILE.read_text()
    entry = re.search(r'^ENTRYPOINT \["(.+)"\]$', text, re.MULTILINE)
    assert entry is not None
    assert entry[1] in project["scripts"]
    assert f"/bin/{entry[1]} " in text
    extras = re.search(r"'\.\[(.+)\]'", text)
    assert extras is not None
    assert set(extras[1].split(",")) <= set(project["optional-dependencies"])
    version = re.search(r"^FROM python:(\d+\.\d+)-", text, re.MULTILINE)
    assert version is not None
    assert f"Programming Language :: Python :: {version[1]}" in project["classifiers"]


@pytest.mark.skipif(not has_docker(), reason="no docker daemon runs here")
def test_the_image_is_built_and_works(tmp_path: Path) -> None:
    build = ["docker", "build", "--quiet", "--file", str(FILE), str(PROJECT)]
    built = subprocess.run(build, capture_output=True, text=True, check=False, timeout=900)
    assert built.returncode == 0, built.stderr
    run = ["docker", "run", "--rm", "-v", f"{tmp_path}:/work", built.stdout.strip()]
    task = [*run, "--demo", "-p", "run echo inside > made; pwd"]
    done = subprocess.run(task, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "/work" in done.stdout
    assert (tmp_path / "made").read_text() == "inside\n"


class Upstream(BaseHTTPRequestHandler):
    """A provider that waits in the middle of its answer until the beginning has arrived."""

    calls: list[tuple[str, dict[str, str], bytes]] = []
    arrived = threading.Event()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.calls.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b"data: one\n\n")
        assert self.arrived.wait(30)
        self.wfile.write(b"data: two\n\n")

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def test_the_gateway_adds_the_key_and_passes_on_calls_of_a_model_as_they_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = importlib.util.spec_from_file_location("gateway", FILE.with_name("gateway.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module.Gateway, "log_message", lambda *args: None)
    with served(Upstream) as upstream, served(module.Gateway) as gateway:
        monkeypatch.setenv("UPSTREAM", upstream)
        monkeypatch.setenv("UPSTREAM_KEY", "real")
        given = {"x-api-key": "none", "anthropic-version": "1"}
        url = f"{gateway}/v1/messages?beta=true"
        with httpx2.stream("POST", url, content=b"{}", headers=given, timeout=30) as answer:
            pieces = answer.iter_bytes()
            assert next(pieces) == b"data: one\n\n"
            Upstream.arrived.set()
            assert b"".join(pieces) == b"data: two\n\n"
        path, headers, body = Upstream.calls.pop()
        assert (path, body) == ("/v1/messages?beta=true", b"{}")
        assert (headers["x-api-key"], headers["anthropic-version"]) == ("real", "1")
        bearer = httpx2.post(
            f"{gateway}/v1/responses", content=b"{}", headers={"authorization": "Bearer none"}
        )
        assert bearer.status_code == 200
        assert Upstream.calls.pop()[1]["authorization"] == "Bearer real"
        for path in ("/v1/files", "/v1/messages/../files", "/"):
            assert httpx2.post(f"{gateway}{path}", content=b"{}").status_code == 403
        assert not Upstream.calls


def test_what_is_composed_belongs_together() -> None:
    yaml = pytest.importorskip("yaml")
    folder = FILE.parent
    composed = yaml.safe_load(folder.joinpath("compose.yaml").read_text())
    agent, gateway = composed["services"]["agent"], composed["services"]["gateway"]
    for service in (agent, gateway):
        context = (folder / service["build"]["context"]).resolve()
        assert context / service["build"]["dockerfile"] == FILE
        files = [each.split(":")[0] for each in service["volumes"] if each.startswith("./")]
        assert files
        assert all((folder / each).is_file() for each in files)
    assert agent["networks"] == ["inside"]
    assert composed["networks"]["inside"] == {"internal": True}
    assert "environment" not in agent
    known = ModelRegistry(folder / "models.json")
    assert not known.diagnostics
    address = known.find("anthropic/claude-opus-5").model.base_url
    assert address == f"http://gateway:{gateway['entrypoint'][-1]}"
    assert json.loads((folder / "models.json").read_text())["providers"]["anthropic"]["apiKey"]
