from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.catalog import ApiKeyCredential, ModelRegistry, Secret
from pi_term.ai.models import Model
from pi_term.base.errors import PiTermError
from pi_term.base.log import redact

CHAT = {"apiKey": "file-key", "models": [{"id": "chat"}]}


def model_of(registry: ModelRegistry, provider: str = "oai") -> Model:
    return next(model for model in registry.models() if model.provider == provider)


async def key_of(registry: ModelRegistry, provider: str = "oai") -> str | None:
    return (await registry.resolve_request_auth(model_of(registry, provider))).api_key


def hosted(registry: ModelRegistry, provider: str = "anthropic") -> Model:
    return registry.find(f"{provider}/some-model").model


async def test_the_order_of_key_sources(make_registry: Any) -> None:
    stored = ApiKeyCredential("stored-key")
    entry = {"anthropic": {"apiKey": "file-key", "baseUrl": "https://x", "api": "anthropic-messages"}}
    env = {"ANTHROPIC_API_KEY": " env-key\n"}
    registry = make_registry(entry)
    assert await auth_key(registry) == "file-key"
    registry = make_registry(entry, env)
    assert await auth_key(registry) == "env-key"
    registry = make_registry(entry, env, anthropic=stored)
    assert await auth_key(registry) == "stored-key"
    registry.set_key("anthropic", "flag-key ")
    assert await auth_key(registry) == "flag-key"


async def auth_key(registry: ModelRegistry) -> str | None:
    return (await registry.resolve_request_auth(hosted(registry))).api_key


@pytest.mark.parametrize(
    ("raw", "sent"),
    [
        ("PATH", "PATH"),
        ("ABC123", "ABC123"),
        ("$MY_KEY", "mine"),
        ("${MY_KEY}x", "minex"),
        ("trailing\n", "trailing"),
        ("!echo from-command", "from-command"),
    ],
)
async def test_a_key_is_sent_as_it_was_meant(make_registry: Any, raw: str, sent: str) -> None:
    env = {"MY_KEY": "mine", "PATH": "/usr/bin:/bin", "ABC123": "no"}
    registry = make_registry({"oai": {**CHAT, "apiKey": raw}}, env)
    assert await key_of(registry) == sent
    assert registry.has_auth("oai")
    assert await key_of(make_registry({"oai": CHAT}, env, oai=ApiKeyCredential(raw))) == sent


async def test_a_missing_variable_is_named_and_the_model_not_offered(make_registry: Any) -> None:
    registry = make_registry({"oai": {**CHAT, "apiKey": "$MISSING"}, "b": CHAT})
    assert [model.key for model in registry.available()] == ["b/chat"]
    with pytest.raises(PiTermError) as caught:
        await key_of(registry)
    assert caught.value.code == "no_key"
    assert "MISSING" in caught.value.message
    assert "oai" in caught.value.message


@pytest.mark.parametrize("provider", ["oai", "anthropic"])
async def test_no_key_at_all_says_what_to_do(make_registry: Any, provider: str) -> None:
    registry = make_registry({"oai": {"models": [{"id": "chat"}]}})
    model = model_of(registry) if provider == "oai" else hosted(registry)
    with pytest.raises(PiTermError) as caught:
        await registry.resolve_request_auth(model)
    assert caught.value.code == "no_key"
    assert provider in caught.value.message
    wanted = "models.json" if provider == "oai" else "ANTHROPIC_API_KEY"
    assert wanted in caught.value.hint


async def test_keys_are_looked_up_anew_for_each_request(make_registry: Any, tmp_path: Path) -> None:
    env: dict[str, str] = {"PATH": "/usr/bin:/bin", "FILE": str(tmp_path / "key"), "K": "one"}
    registry = make_registry({"oai": {**CHAT, "apiKey": "$K"}, "cmd": {**CHAT, "apiKey": "!cat $FILE"}}, env)
    (tmp_path / "key").write_text("first")
    assert [await key_of(registry), await key_of(registry, "cmd")] == ["one", "first"]
    env["K"] = "two"
    (tmp_path / "key").write_text("second")
    assert [await key_of(registry), await key_of(registry, "cmd")] == ["two", "second"]


async def test_a_stored_command_runs_once(make_registry: Any, tmp_path: Path) -> None:
    env = {"PATH": "/usr/bin:/bin", "LOG": str(tmp_path / "log")}
    registry = make_registry({"oai": CHAT}, env, oai=ApiKeyCredential("!echo x >> $LOG; echo key"))
    assert registry.has_auth("oai")
    assert not (tmp_path / "log").exists()
    assert [await key_of(registry), await key_of(registry)] == ["key", "key"]
    assert (tmp_path / "log").read_text() == "x\n"


async def test_a_credential_brings_its_own_environment(make_registry: Any) -> None:
    stored = ApiKeyCredential("$ACCOUNT-key", {"ACCOUNT": "a1"})
    entry = {**CHAT, "headers": {"X-Account": "$ACCOUNT"}}
    registry = make_registry({"oai": entry}, {"ACCOUNT": "other"}, oai=stored)
    auth = await registry.resolve_request_auth(model_of(registry))
    assert (auth.api_key, auth.headers) == ("a1-key", {"X-Account": "a1"})


async def test_headers_are_resolved_and_an_auth_header_is_made(make_registry: Any) -> None:
    entry = {**CHAT, "authHeader": True, "headers": {"X-Team": "red", "X-Token": "$T"}}
    registry = make_registry({"oai": entry}, {"T": "t0ken"})
    headers = (await registry.resolve_request_auth(model_of(registry))).headers
    assert headers == {"X-Team": "red", "X-Token": "t0ken", "Authorization": "Bearer file-key"}
    with pytest.raises(PiTermError) as caught:
        await key_of(make_registry({"oai": entry}))
    assert caught.value.code == "bad_header"
    assert "X-Token" in caught.value.message
    own = {**entry, "headers": {"authorization": "Basic x"}}
    registry = make_registry({"oai": own})
    assert (await registry.resolve_request_auth(model_of(registry))).headers == {"authorization": "Basic x"}


async def test_a_header_that_is_named_like_a_secret_is_one(make_registry: Any) -> None:
    """B-069: an error that echoes it shows nothing of it."""
    entry = {**CHAT, "headers": {"X-Gateway-Secret": "wide-open-sesame", "X-Team": "violet-team"}}
    registry = make_registry({"oai": entry})
    headers = (await registry.resolve_request_auth(model_of(registry))).headers
    assert headers == entry["headers"]
    assert redact("got wide-open-sesame of violet-team") == "got [redacted] of violet-team"


async def test_a_header_with_a_key_is_enough(make_registry: Any) -> None:
    registry = make_registry({"oai": {"models": [{"id": "m"}], "headers": {"X-Api-Key": "$K"}}}, {"K": "v"})
    assert registry.has_auth("oai")
    auth = await registry.resolve_request_auth(model_of(registry))
    assert (auth.api_key, auth.headers) == (None, {"X-Api-Key": "v"})


@pytest.mark.parametrize("bad", ["sk-1\nX-Evil: 1", "sk-“quoted”", "a\x1bb"])
async def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(
    make_registry: Any, bad: str
) -> None:
    registry = make_registry({"oai": {**CHAT, "apiKey": bad}})
    with pytest.raises(PiTermError) as caught:
        await key_of(registry)
    assert "sk-" not in caught.value.text()
    registry.set_key("oai", bad)
    with pytest.raises(PiTermError):
        await key_of(registry)


async def test_keys_do_not_show_themselves(make_registry: Any, caplog: pytest.LogCaptureFixture) -> None:
    registry = make_registry({"oai": {**CHAT, "headers": {"X-T": "$T"}}}, {"T": "hidden-token"})
    auth = await registry.resolve_request_auth(model_of(registry))
    for shown in (repr(auth), repr(auth.api_key), repr(registry.providers), repr(dict(auth.headers))):
        assert "file-key" not in shown
        assert "hidden-token" not in shown
    logging.getLogger("test").warning("sent %r", auth.api_key)
    assert "file-key" not in caplog.text
    assert redact("echo: file-key, hidden-token") == "echo: [redacted], [redacted]"
    assert Secret("a") + "b" == "ab"


async def test_the_demo_is_offered_only_when_asked_for(make_registry: Any) -> None:
    registry = make_registry({"oai": CHAT})
    assert [model.key for model in registry.available()] == ["oai/chat"]
    demo = registry.find("demo/demo").model
    assert (demo.api, demo.provider) == ("demo", "demo")
    assert (await registry.resolve_request_auth(demo)).api_key is None
    assert [model.key for model in make_registry(demo=True).available()] == ["demo/demo"]


def test_get_knows_listed_models_only(make_registry: Any) -> None:
    registry = make_registry({"oai": CHAT})
    found = registry.get("oai", "chat")
    assert found is not None
    assert registry.get("oai", "nosuch") is None
    assert registry.get("nosuch", "chat") is None


async def test_a_model_of_a_vanished_provider_is_an_error(make_registry: Any) -> None:
    with pytest.raises(PiTermError) as caught:
        await make_registry().resolve_request_auth(Model("m", "gone", "x"))
    assert caught.value.code == "unknown_provider"


async def test_reload_reads_the_file_again(tmp_path: Path) -> None:
    file = tmp_path / "models.json"
    file.write_bytes(
        b'\xef\xbb\xbf{"providers": {"p": {"baseUrl": "u", "api": "a", "models": [{"id": "m"}]}}}'
    )
    registry = ModelRegistry(file, env={})
    assert registry.get("p", "m") is not None
    file.write_text('{"providers": ')
    registry.reload()
    assert registry.get("p", "m") is None
    assert "anthropic" in registry.providers
    assert registry.diagnostics[0].file == file
    file.unlink()
    registry.reload()
    assert registry.diagnostics == []
