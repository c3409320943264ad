"""Sign-ins and bearer tokens; API keys are in test_registry.py."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from pi_term.ai.catalog import (
    ApiKeyCredential,
    ChangeCredential,
    Credential,
    ModelRegistry,
    OAuthCredential,
    SignInUi,
)
from pi_term.ai.models import Model
from pi_term.base.clock import now_ms
from pi_term.base.errors import PiTermError
from pi_term.base.log import redact

CHAT = {"models": [{"id": "chat"}]}
HOUR = 3_600_000


class Flow:
    """A provider whose refresh tokens work once."""

    id = "oai"

    def __init__(self, fails: Exception | None = None) -> None:
        self.spent: list[str] = []
        self.fails = fails

    async def login(self, ui: SignInUi) -> OAuthCredential:
        ui.notify("Open https://sign.in/")
        code = await ui.input("Code")
        return OAuthCredential(f"access-{code}", "refresh-0", now_ms() + HOUR)

    async def refresh(self, credential: OAuthCredential) -> OAuthCredential:
        await asyncio.sleep(0)
        if self.fails is not None:
            raise self.fails
        assert credential.refresh not in self.spent
        self.spent.append(credential.refresh)
        number = len(self.spent)
        return OAuthCredential(
            f"access-{number}", f"refresh-{number}", now_ms() + HOUR, extra=credential.extra
        )


def signed_in(make_registry: Any, flow: Flow, **times: int) -> ModelRegistry:
    credential = OAuthCredential(
        "access-old", "refresh-old", now_ms() + times.get("left", -1), extra={"accountId": "me"}
    )
    registry: ModelRegistry = make_registry({"oai": CHAT}, {"OAI": "x"}, oai=credential)
    registry.add_sign_in(flow)
    return registry


async def key_of(registry: ModelRegistry) -> str | None:
    model = registry.get("oai", "chat")
    assert model is not None
    return (await registry.resolve_request_auth(model)).api_key


async def test_a_token_that_lasts_is_sent_as_it_is(make_registry: Any) -> None:
    flow = Flow()
    registry = signed_in(make_registry, flow, left=HOUR)
    assert [model.key for model in registry.available()] == ["oai/chat"]
    assert await key_of(registry) == "access-old"
    assert flow.spent == []


@pytest.mark.parametrize("left", [-HOUR, 0, 30_000])
async def test_one_that_ends_soon_is_renewed_and_stored_first(make_registry: Any, left: int) -> None:
    flow = Flow()
    registry = signed_in(make_registry, flow, left=left)
    assert await key_of(registry) == "access-1"
    assert await key_of(registry) == "access-1"
    assert flow.spent == ["refresh-old"]
    assert redact("access-1 refresh-1 access-old refresh-old").count("[redacted]") == 4


async def test_a_sign_in_that_nobody_can_renew_counts_for_nothing(make_registry: Any) -> None:
    credential = OAuthCredential("a", "r", now_ms() + HOUR)
    registry: ModelRegistry = make_registry({"oai": {**CHAT, "apiKey": "file-key"}}, oai=credential)
    assert await key_of(registry) == "file-key"
    assert make_registry({"oai": CHAT}, oai=credential).available() == []


async def test_a_key_for_this_run_goes_before_a_sign_in(make_registry: Any) -> None:
    registry = signed_in(make_registry, Flow())
    registry.set_key("oai", "flag-key")
    assert await key_of(registry) == "flag-key"


@pytest.mark.parametrize(
    "failure", [RuntimeError("refresh-old was refused"), PiTermError("denied", "The provider says no.")]
)
async def test_a_failed_renewal_says_what_to_do_and_no_token(
    make_registry: Any, failure: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(PiTermError) as caught:
        await key_of(signed_in(make_registry, Flow(failure)))
    assert caught.value.code == "no_key"
    assert "pi-term auth login oai" in caught.value.hint
    assert "refresh-old" not in caught.value.text() + caplog.text + repr(caught.value.__context__)


class LoggedOut:
    """A store whose entry another process takes out just before it is changed."""

    def get(self, provider: str) -> Credential | None:
        return OAuthCredential("access-old", "refresh-old", 0)

    async def change(self, provider: str, change: ChangeCredential) -> Credential | None:
        return await change(None)


async def test_logging_out_meanwhile_ends_it() -> None:
    flow = Flow()
    registry = ModelRegistry(credentials=LoggedOut(), env={})
    registry.add_provider("oai", {"baseUrl": "http://127.0.0.1:9", "api": "openai-completions", **CHAT})
    registry.add_sign_in(flow)
    with pytest.raises(PiTermError, match="ended meanwhile"):
        await key_of(registry)
    assert flow.spent == []


async def test_a_bearer_token_is_sent_as_such(make_registry: Any) -> None:
    env = {"ANTHROPIC_AUTH_TOKEN": " tok-1\n"}
    registry: ModelRegistry = make_registry(env=env)
    model = registry.find("anthropic/claude-opus-5").model
    auth = await registry.resolve_request_auth(model)
    assert (auth.api_key, auth.headers) == (None, {"Authorization": "Bearer tok-1"})
    assert "tok-1" not in repr(auth)
    both: ModelRegistry = make_registry(env={**env, "ANTHROPIC_API_KEY": "k"})
    auth = await both.resolve_request_auth(model)
    assert (auth.api_key, auth.headers) == ("k", {})
    env["ANTHROPIC_AUTH_TOKEN"] = "not\x00sendable"
    with pytest.raises(PiTermError) as caught:
        await registry.resolve_request_auth(model)
    assert "sendable" not in caught.value.text()


async def test_where_a_key_comes_from(make_registry: Any) -> None:
    providers = {
        "file": {**CHAT, "apiKey": "k"},
        "lacks": {**CHAT, "apiKey": "$MISSING"},
        "head": {**CHAT, "headers": {"Authorization": "Bearer x"}},
        "none": CHAT,
        "kept": CHAT,
    }
    registry: ModelRegistry = make_registry(providers, {"GROQ_API_KEY": "k"}, kept=ApiKeyCredential("k"))
    registry.set_key("mistral", "k")

    def told(provider: str) -> tuple[str, str] | None:
        source = registry.key_source(provider)
        return None if source is None else (source.kind, source.missing)

    assert told("file") == ("models.json", "")
    assert told("lacks") == ("models.json", "MISSING")
    assert told("head") == ("header", "")
    assert told("none") is None
    assert told("kept") == ("stored", "")
    assert told("groq") == ("environment", "")
    assert told("mistral") == ("run", "")
    assert told("nosuch") is None
    assert await registry.resolve_key("demo") is None


async def test_nothing_is_shared_between_providers(make_registry: Any) -> None:
    """A model of one provider is never sent the key of another."""
    registry: ModelRegistry = make_registry({"oai": CHAT}, {"ANTHROPIC_API_KEY": "secret"})
    with pytest.raises(PiTermError):
        await registry.resolve_request_auth(Model("claude-opus-5", "oai", "anthropic-messages"))
