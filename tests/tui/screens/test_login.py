"""`/login` and `/logout` as their user sees them: no key is ever on the screen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pi_term.ai.catalog import OAuthCredential, SignInUi
from pi_term.ai.catalog import local as local_servers
from pi_term.ai.catalog.local import LocalServer
from pi_term.ai.catalog.local_answers import LocalModel
from pi_term.ai.wire import http
from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import ScriptedModel

ADDRESS = "https://auth.example/" + "x" * 120
BAD, GOOD = "sk-bad-123456", "sk-good-7890123"


class Provider:
    """Knows the good key only; `hold` keeps it from answering."""

    def __init__(self) -> None:
        self.hold = asyncio.Event()
        self.hold.set()

    async def answer(self, request: httpx2.Request) -> httpx2.Response:
        await self.hold.wait()
        if GOOD in request.headers["authorization"]:
            return httpx2.Response(200, content=b'{"data": []}')
        return httpx2.Response(401, content=b'{"error": {"message": "Incorrect API key: sk-bad-123456"}}')


@pytest.fixture
def provider() -> Iterator[Provider]:
    found = Provider()
    with http.use_transport(httpx2.MockTransport(found.answer)):
        yield found


@pytest.fixture(autouse=True)
def servers(monkeypatch: pytest.MonkeyPatch) -> list[LocalServer]:
    """The model servers of this machine."""
    running: list[LocalServer] = []

    async def find() -> list[LocalServer]:
        return running

    monkeypatch.setattr(local_servers, "find_local_servers", find)
    return running


def stored(folder: Path) -> dict[str, Any]:
    file = folder / "home" / "auth.json"
    return dict(json.loads(file.read_text())) if file.exists() else {}


async def paste(driver: AppDriver, text: str) -> None:
    from textual import events

    driver.app.screen.post_message(events.Paste(text))
    await driver.pilot.pause()


class Flow:
    """Knows who tells the code."""

    id = "anthropic"

    async def login(self, ui: SignInUi) -> OAuthCredential:
        ui.notify(f"Open {ADDRESS}")
        code = await ui.input("Paste the code that it shows", "code")
        if code != "4711":
            raise ValueError("that is not the code")
        return OAuthCredential("access-token-1", "refresh-token-1", 4_000_000_000_000)

    async def refresh(self, credential: OAuthCredential) -> OAuthCredential:
        return credential


async def test_logging_in_and_out(
    still: Path, provider: Provider, servers: list[LocalServer], picture: Any
) -> None:
    """All ways in one session, as each start takes its time."""
    with ScriptedModel() as model:
        async with run_app(model, still) as driver:
            await a_key_is_given_used_and_taken_away(driver, still, provider, picture)
            await a_refused_key_is_stored_when_somebody_insists(driver, still)
            await what_leads_nowhere_says_so(driver)
            await a_sign_in_shows_its_address_and_asks_for_its_code(driver, still, picture)
            servers.append(LocalServer("ollama", 11434, (LocalModel("qwen"), LocalModel("llama"))))
            await the_models_of_a_server_here_are_taken_where_there_was_none(driver, still)


async def a_key_is_given_used_and_taken_away(
    driver: AppDriver, folder: Path, provider: Provider, picture: Any
) -> None:
    await driver.type("draft")
    driver.app.main.dispatch("app.login")
    await driver.wait_for("Log in to")
    await paste(driver, "openai")
    await driver.wait_for("→ OpenAI")
    await driver.press("enter")
    await driver.wait_for("API key of OpenAI")
    await driver.type(BAD[:3])
    await paste(driver, BAD[3:])
    assert BAD[:3] not in await driver.wait_for("13 characters")
    provider.hold.clear()
    await driver.press("enter")
    await driver.wait_for("asking OpenAI whether it knows this key")
    provider.hold.set()
    text = await driver.wait_for("enter stores it all the same")
    assert "Incorrect API key: [redacted]" in text
    assert driver.picture() == picture
    assert stored(folder) == {}
    await driver.press("ctrl+u")
    await paste(driver, f" {GOOD[:6]}\n{GOOD[6:]} ")
    await driver.wait_for(f"{len(GOOD)} characters")
    await driver.press("enter")
    text = await driver.wait_for("OpenAI is ready: /model has its")
    assert "draft" in text
    assert GOOD not in text
    assert stored(folder) == {"openai": {"type": "api_key", "key": GOOD}}
    assert any(each.provider == "openai" for each in driver.app.registry.available())
    assert driver.session.model.provider == "test"  # it works: nobody asked for another
    await driver.press("ctrl+u")
    await driver.send("/logout openai")
    await driver.wait_for("Logged out from OpenAI.")
    assert stored(folder) == {}


async def a_refused_key_is_stored_when_somebody_insists(driver: AppDriver, folder: Path) -> None:
    driver.app.main.send("/login openai")
    await driver.wait_for("API key of OpenAI")
    await paste(driver, BAD)
    await driver.press("enter")
    await driver.wait_for("enter stores it all the same")
    await driver.press("enter")
    await driver.wait_for("OpenAI is ready")
    assert stored(folder)["openai"]["key"] == BAD
    driver.app.main.send("/logout openai")
    await driver.wait_for("Logged out from OpenAI.")


async def what_leads_nowhere_says_so(driver: AppDriver) -> None:
    driver.app.main.send("/logout")
    await driver.wait_for("Nothing is stored.")
    driver.app.main.send("/login opnai")
    await driver.wait_for("Did you mean openai?")
    driver.app.main.send("/login openai")
    await driver.wait_for("API key of OpenAI")
    await driver.press("escape")
    await driver.wait_for(lambda text: "API key" not in text)


async def a_sign_in_shows_its_address_and_asks_for_its_code(
    driver: AppDriver, folder: Path, picture: Any
) -> None:
    driver.app.registry.add_sign_in(Flow())
    driver.app.main.send("/login anthropic")
    await driver.wait_for("Paste a key")
    await driver.press("enter")
    await driver.wait_for("Paste the code that it shows")
    await driver.press("ctrl+x")
    await driver.wait_for("Address copied.")
    assert driver.app.clipboard == ADDRESS
    assert driver.picture() == picture
    await driver.send("1")
    await driver.wait_for("The sign-in failed: that is not the code")
    await driver.press("escape")
    driver.app.main.send("/login anthropic")
    await driver.wait_for("Paste a key")
    await driver.press("enter")
    await driver.wait_for("Paste the code that it shows")
    await driver.send("4711")
    await driver.wait_for("Anthropic is ready")
    assert stored(folder)["anthropic"]["type"] == "oauth"
    driver.app.main.send("/logout")
    await driver.wait_for("signed in")
    await driver.press("enter")
    await driver.wait_for("Logged out from Anthropic.")
    assert stored(folder) == {}


async def the_models_of_a_server_here_are_taken_where_there_was_none(driver: AppDriver, folder: Path) -> None:
    driver.app.registry.demo = True
    await driver.session.set_model(driver.app.registry.find("demo/demo").model)
    await driver.wait_for("Type tour")
    driver.app.main.send("/login")
    await driver.wait_for("Log in to")
    text = await driver.wait_for("What runs on this machine needs no key.")
    rows = [row.strip() for row in text.split("> ▏")[1].splitlines()[1:]]
    assert rows[0].startswith("Ollama on this machine  qwen, llama")
    assert rows[1].startswith("→ "), "who has the list before them stays where they are"
    await paste(driver, "ollama")
    await driver.wait_for("→ Ollama on this machine  qwen, llama")
    await driver.press("enter")
    text = await driver.wait_for("ollama is ready. Model: ollama/qwen")
    assert "Type tour" not in text
    assert "ollama" in (folder / "home" / "models.json").read_text()
