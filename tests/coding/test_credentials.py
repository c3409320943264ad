from __future__ import annotations

import asyncio
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.catalog import ApiKeyCredential, Credential, CredentialStore, OAuthCredential
from pi_term.base.errors import PiTermError
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
            "chatgpt": {"type": "oauth", "access": "x", "refresh": "y", "expires": 1, "accountId": "me"},
            "other": {"type": "device", "token": "z"},
        },
    )
    store: CredentialStore = FileCredentialStore(file)
    found = store.get("anthropic")
    assert found == ApiKeyCredential("$K")
    cloud = store.get("cf")
    assert cloud == ApiKeyCredential("k", {"ACCOUNT": "a"})
    assert "ACCOUNT" not in repr(cloud)
    signed_in = store.get("chatgpt")
    assert signed_in == OAuthCredential("x", "y", 1, {"accountId": "me"})
    assert "me" not in repr(signed_in)
    assert store.get("other") is None
    assert store.get("nosuch") is None


def test_a_changed_file_is_noticed_and_a_missing_one_is_empty(file: Path) -> None:
    store = FileCredentialStore(file)
    assert store.get("p") is None
    put(file, {"p": {"type": "api_key", "key": "one"}})
    first = store.get("p")
    put(file, {"p": {"type": "api_key", "key": "another"}})
    second = store.get("p")
    assert (first, second) == (ApiKeyCredential("one"), ApiKeyCredential("another"))
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
    assert store.get("c") == ApiKeyCredential("good")
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


# --- changes


def text_of(path: Path) -> str:
    return path.read_text()


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def giving(credential: Credential | None) -> Any:
    async def change(current: Credential | None) -> Credential | None:
        return credential

    return change


async def test_a_key_is_stored_for_its_owner_only(tmp_path: Path) -> None:
    """Whatever the umask says, and at no moment wider."""
    file = tmp_path / "new" / "deep" / "auth.json"
    store = FileCredentialStore(file)
    before = os.umask(0)
    try:
        await store.change("p", giving(ApiKeyCredential("sk-1", {"A": "b"})))
    finally:
        os.umask(before)
    modes = {path.name: mode_of(path) for path in (file, *file.parents[:2])}
    assert modes == {"auth.json": 0o600, "deep": 0o700, "new": 0o700}
    assert json.loads(text_of(file)) == {"p": {"type": "api_key", "key": "sk-1", "env": {"A": "b"}}}
    assert all(mode_of(path) == 0o600 for path in file.parent.iterdir())
    assert store.get("p") == ApiKeyCredential("sk-1", {"A": "b"})
    assert store.providers() == ["p"]


async def test_a_file_that_others_can_read_is_closed_by_a_change(file: Path) -> None:
    put(file, {}, 0o644)
    await FileCredentialStore(file).change("p", giving(ApiKeyCredential("k")))
    assert mode_of(file) == 0o600


async def test_a_change_touches_one_entry_only(file: Path) -> None:
    text = """{
  // mine
  "b":   {"type": "api_key", "key": "$B_KEY", "note": 1},
  "odd": [1, 2],
  "a": {"type": "oauth", "access": "x", "refresh": "y", "expires": 1.0}
}
"""
    put(file, text)
    store = FileCredentialStore(file)
    await store.change("a", giving(OAuthCredential("x2", "y2", 2, {"accountId": "me"})))
    before, _, _ = text.partition('"a"')
    changed = text_of(file)
    assert changed.startswith(before)
    assert json.loads("{" + changed[changed.index('"a"') :]) == {
        "a": {"type": "oauth", "accountId": "me", "access": "x2", "refresh": "y2", "expires": 2}
    }
    await store.change("a", giving(None))
    left = json.loads(text_of(file))
    assert left == {"b": {"type": "api_key", "key": "$B_KEY", "note": 1}, "odd": [1, 2]}


async def test_a_change_that_changes_nothing_writes_nothing(file: Path) -> None:
    text = '{"p": {"key": "k"}}'
    put(file, text)
    store = FileCredentialStore(file)

    async def same(current: Credential | None) -> Credential | None:
        return current

    assert await store.change("p", same) == ApiKeyCredential("k")
    assert await store.change("q", same) is None
    assert text_of(file) == text


async def test_a_broken_file_is_left_as_it_is(file: Path) -> None:
    put(file, '{"p": {"key": "sk-secret"')
    with pytest.raises(PiTermError) as caught:
        await FileCredentialStore(file).change("p", giving(ApiKeyCredential("k")))
    assert caught.value.code == "broken_file"
    assert "sk-secret" not in caught.value.text()
    assert text_of(file) == '{"p": {"key": "sk-secret"'


async def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PiTermError) as caught:
        await FileCredentialStore(tmp_path / "file" / "auth.json").put_key("p", "k")
    assert caught.value.code == "unwritable"


async def test_keys_are_put_and_forgotten(file: Path) -> None:
    put(file, {"p": {"type": "api_key", "key": "old", "env": {"ACCOUNT": "a"}}})
    store = FileCredentialStore(file)
    await store.put_key("p", " $new!\n")
    assert store.get("p") == ApiKeyCredential("$$new!", {"ACCOUNT": "a"})
    with pytest.raises(PiTermError, match="no key"):
        await store.put_key("p", "two words\x00")
    assert [await store.forget("p"), await store.forget("p")] == [True, False]
    assert store.providers() == []


async def test_what_raises_changes_nothing(file: Path) -> None:
    put(file, {"p": {"key": "k"}})

    async def fails(current: Credential | None) -> Credential | None:
        raise ValueError("no")

    store = FileCredentialStore(file)
    with pytest.raises(ValueError, match="no"):
        await store.change("p", fails)
    assert store.get("p") == ApiKeyCredential("k")
    await store.change("p", giving(ApiKeyCredential("k2")))


async def test_a_change_takes_only_so_long(file: Path) -> None:
    async def hangs(current: Credential | None) -> Credential | None:
        await asyncio.Event().wait()
        return current

    store = FileCredentialStore(file, change_seconds=0.05)
    with pytest.raises(PiTermError) as caught:
        await store.change("p", hangs)
    assert caught.value.code == "auth_timeout"
    await store.change("p", giving(ApiKeyCredential("k")))


async def test_a_change_goes_on_when_its_caller_is_called_off(file: Path) -> None:
    """A token that was traded in must be stored, though the user pressed Escape."""
    begun, go = asyncio.Event(), asyncio.Event()

    async def slow(current: Credential | None) -> Credential | None:
        begun.set()
        await go.wait()
        return OAuthCredential("new", "new", 1)

    store = FileCredentialStore(file)
    caller = asyncio.create_task(store.change("p", slow))
    await begun.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    go.set()
    await store.aclose()
    assert store.get("p") == OAuthCredential("new", "new", 1)


async def test_changes_of_two_stores_come_one_after_the_other(file: Path) -> None:
    link = file.with_name("link.json")
    link.symlink_to(file)
    inside = 0

    async def grow(current: Credential | None) -> Credential | None:
        nonlocal inside
        inside += 1
        assert inside == 1
        await asyncio.sleep(0.001)
        inside -= 1
        count = int(current.key or 0) if isinstance(current, ApiKeyCredential) else 0
        return ApiKeyCredential(str(count + 1))

    stores = [FileCredentialStore(file), FileCredentialStore(link)]
    await asyncio.gather(*(stores[number % 2].change("p", grow) for number in range(6)))
    assert stores[1].get("p") == ApiKeyCredential("6")
    assert link.is_symlink()
