from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.catalog import CredentialStore
from pi_term.coding.credentials import FileCredentialStore


def put(path: Path, content: Any, mode: int = 0o600) -> None:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    path.chmod(mode)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "auth.json"


def test_keys_are_read_as_pi_stores_them(file: Path) -> None:
    put(
        file,
        {
            "anthropic": {"type": "api_key", "key": "$K"},
            "cf": {"type": "api_key", "key": "k", "env": {"ACCOUNT": "a"}},
            "chatgpt": {"type": "oauth", "access": "x", "refresh": "y", "expires": 1},
        },
    )
    store: CredentialStore = FileCredentialStore(file)
    found = store.get("anthropic")
    assert found is not None
    assert found.key == "$K"
    cloud = store.get("cf")
    assert cloud is not None
    assert cloud.env == {"ACCOUNT": "a"}
    assert "ACCOUNT" not in repr(cloud)
    assert store.get("chatgpt") is None
    assert store.get("nosuch") is None


def test_a_changed_file_is_noticed_and_a_missing_one_is_empty(file: Path) -> None:
    store = FileCredentialStore(file)
    assert store.get("p") is None
    put(file, {"p": {"type": "api_key", "key": "one"}})
    first = store.get("p")
    put(file, {"p": {"type": "api_key", "key": "another"}})
    second = store.get("p")
    assert first is not None
    assert second is not None
    assert (first.key, second.key) == ("one", "another")
    file.unlink()
    assert store.get("p") is None


def test_an_unchanged_file_is_read_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(file, {"p": {"type": "api_key", "key": "one"}})
    store = FileCredentialStore(file)
    store.get("p")
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail("read again"))
    assert store.get("p") is not None


def test_bad_content_is_reported_without_its_secrets(file: Path) -> None:
    put(file, '{"a": "sk-secret-1",\n "b": {"type": "api_key", "key": 5},\n "c": {"key": "good"}}')
    store = FileCredentialStore(file)
    good = store.get("c")
    assert good is not None
    assert good.key == "good"
    assert [(problem.line, problem.key) for problem in store.diagnostics] == [(1, "a"), (2, "b.key")]
    put(file, '{"a": "sk-secret-1"')
    assert store.get("c") is None
    assert store.diagnostics[0].severity == "error"
    assert "sk-secret" not in " ".join(problem.text() for problem in store.diagnostics)


def test_a_file_that_others_can_read_is_warned_of(file: Path) -> None:
    put(file, {"p": {"type": "api_key", "key": "k"}}, 0o644)
    store = FileCredentialStore(file)
    assert store.get("p") is not None
    assert "can be read by others" in store.diagnostics[0].text()
    file.chmod(0o600)
    store.get("p")
    assert store.diagnostics == []
