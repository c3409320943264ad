"""Logging in and out, whatever face the program wears."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_term.ai.catalog import ModelRegistry, OAuthCredential, SignInUi
from pi_term.ai.catalog.local import LocalServer
from pi_term.ai.catalog.local_answers import LocalModel
from pi_term.base import json
from pi_term.base.errors import PiTermError
from pi_term.base.paths import AppPaths
from pi_term.coding.credentials import FileCredentialStore
from pi_term.coding.logins import Logins

OLLAMA = LocalServer("ollama", 11434, (LocalModel("qwen", context_window=32_768),))


class Flow:
    """A sign-in that asks for a code."""

    id = "anthropic"

    async def login(self, ui: SignInUi) -> OAuthCredential:
        ui.notify("Open https://auth.example/go")
        code = await ui.input("The code")
        if code != "4711":
            raise ValueError(f"bad code {code}")
        return OAuthCredential("access-token-1", "refresh-token-1", 4_000_000_000_000)

    async def refresh(self, credential: OAuthCredential) -> OAuthCredential:
        return credential


class Answers:
    """A person who knows the code, or another."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.heard: list[str] = []

    async def input(self, title: str, placeholder: str = "") -> str | None:
        return self.code

    def notify(self, message: str) -> None:
        self.heard.append(message)


def logins_in(home: Path, env: dict[str, str] | None = None) -> Logins:
    paths = AppPaths(home, home, home, home)
    store = FileCredentialStore(paths.auth_file)
    registry = ModelRegistry(paths.models_file, credentials=store, env=env or {})
    return Logins(registry, store, paths, lambda: None)


async def test_a_key_makes_the_models_of_its_provider_available(tmp_path: Path) -> None:
    logins = logins_in(tmp_path, {"GROQ_API_KEY": "k"})
    assert {each.provider_id for each in logins.choices()} >= {"anthropic", "openai", "groq"}
    assert logins.state("groq") == "GROQ_API_KEY"
    assert logins.find("OpenAI").state == ""
    await logins.put_key("openai", " sk-1 ")
    assert logins.state("openai") == "a stored key"
    assert any(model.provider == "openai" for model in logins.registry.available())
    assert [(each.provider_id, each.key) for each in logins.stored()] == [("openai", True)]
    assert await logins.forget("openai")
    assert (logins.stored(), logins.state("openai")) == ([], "")


async def test_a_name_that_nobody_has_is_not_repeated(tmp_path: Path) -> None:
    logins = logins_in(tmp_path)
    with pytest.raises(PiTermError) as caught:
        logins.find("sk-secret")
    assert "sk-secret" not in caught.value.text()
    with pytest.raises(PiTermError, match="no provider") as caught:
        logins.find("antropic")
    assert "anthropic" in caught.value.hint


async def test_who_signs_in_is_signed_in(tmp_path: Path) -> None:
    logins = logins_in(tmp_path)
    logins.registry.add_sign_in(Flow())
    assert logins.find("anthropic").sign_in
    with pytest.raises(PiTermError, match="The sign-in failed: bad code 1"):
        await logins.sign_in("anthropic", Answers("1"))
    assert logins.stored() == []
    person = Answers("4711")
    await logins.sign_in("anthropic", person)
    assert person.heard == ["Open https://auth.example/go"]
    assert logins.state("anthropic") == "signed in"
    assert await logins.registry.resolve_key("anthropic") == "access-token-1"


async def test_a_server_of_this_machine_is_described_beside_what_is_there(tmp_path: Path) -> None:
    file = tmp_path / "models.json"
    mine = '{\n  // mine\n  "providers": {"x": {"baseUrl": "http://x/v1", "api": "openai-completions"}}\n}\n'
    file.write_text(mine)
    logins = logins_in(tmp_path)
    await logins.add_server(OLLAMA)
    model = logins.registry.get("ollama", "qwen")
    assert model is not None
    assert (model.base_url, model.context_window) == ("http://127.0.0.1:11434/v1", 32_768)
    assert logins.registry.has_auth("ollama")
    assert "// mine" in file.read_text()
    assert '"x": {"baseUrl"' in file.read_text()


async def test_a_server_that_is_described_already_gets_its_models_only(tmp_path: Path) -> None:
    mine = {"ollama": {"baseUrl": "http://127.0.0.1:9/v1", "api": "openai-completions", "apiKey": "mine"}}
    (tmp_path / "models.json").write_text(json.dumps_str({"providers": mine}))
    logins = logins_in(tmp_path)
    await logins.add_server(OLLAMA)
    model = logins.registry.get("ollama", "qwen")
    assert model is not None
    assert model.base_url == "http://127.0.0.1:9/v1"


async def test_offline_nobody_is_asked_about_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_OFFLINE", "1")
    assert await logins_in(tmp_path).refusal_of("openai", "sk-1") is None
