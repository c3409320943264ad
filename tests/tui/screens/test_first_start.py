"""The first start: what shall answer is asked, and no typed key is taken for an answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.catalog import local as local_servers
from pi_term.ai.catalog.local import LocalServer
from pi_term.ai.catalog.local_answers import LocalModel
from pi_term.base.paths import AppPaths
from pi_term.cli.args import parse
from pi_term.cli.first_start import is_set_up
from pi_term.cli.interactive import _parts
from pi_term.coding.settings.store import SettingsStore
from pi_term.testing.app import AppDriver
from pi_term.testing.scripted import until
from pi_term.tui import attention
from pi_term.tui.app import PiTermApp

QUESTION = "What shall answer?"
MODELS = (
    '{"providers": {"mock": {"baseUrl": "http://127.0.0.1:1/v1", "api": "openai-completions",'
    ' "apiKey": "k", "models": [{"id": "mock-chat"}]}}}'
)


@pytest.fixture(autouse=True)
def servers(monkeypatch: pytest.MonkeyPatch, still: Path) -> list[LocalServer]:
    """The model servers of this machine; the program works in a folder of its own."""
    running: list[LocalServer] = []

    async def find() -> list[LocalServer]:
        return running

    monkeypatch.setattr(local_servers, "find_local_servers", find)
    monkeypatch.setattr(attention, "QUIET", 0.0)  # what is no letter is an answer at once
    monkeypatch.setattr(attention, "PAUSE", 0.0)
    monkeypatch.setenv("PI_TERM_HOME", str(still / "home"))
    (still / "work").mkdir()
    monkeypatch.chdir(still / "work")
    return running


@asynccontextmanager
async def started(*argv: str) -> AsyncIterator[AppDriver]:
    """The program as the command line makes it."""
    app = PiTermApp(_parts(parse(argv), AppPaths.from_env()))
    async with app.run_test(size=(100, 30)) as pilot:
        try:
            yield AppDriver(app, pilot)
        finally:
            if app.started is not None:
                await app.started.aclose()


async def is_there(driver: AppDriver) -> None:
    """Wait for the session."""
    await until(lambda: driver.app.main.view is not None, pause=0.01)
    await driver.wait_for(lambda text: QUESTION not in text)


async def test_who_closes_the_question_keeps_what_was_written(picture: Any) -> None:
    async with started("explain this") as driver:
        await driver.wait_for(lambda text: QUESTION in text and "1/2…" not in text)
        assert driver.picture() == picture
        await driver.type("and fix it")  # a first prompt, not an answer
        assert QUESTION in driver.text()
        await driver.press("escape")
        await is_there(driver)
        text = await driver.wait_for("No model is set up.")
        assert "/login" in text
        assert "explain this" in text
        assert "and fix it" in text
        assert driver.session.model.provider == "demo"
        assert driver.session.agent.state.messages == []


async def test_what_is_in_pi_is_taken_over_and_offered_once(still: Path) -> None:
    pi = still / ".pi" / "agent"
    (pi / "themes").mkdir(parents=True)
    (pi / "themes" / "mine.json").write_text("{}")
    async with started() as driver:
        await driver.wait_for("Take over from Pi")
        await driver.press("enter")
        await driver.wait_for("There is no key among it.")  # and the question is there again
        assert "Take over" not in driver.text().split(QUESTION)[1]
    (pi / "models.json").write_text(MODELS)
    async with started() as driver:
        await driver.wait_for(QUESTION)
        assert "Take over from Pi" not in driver.text()
    (still / "home" / "pi-import-offered").unlink()
    async with started() as driver:
        await driver.wait_for("~/.pi/agent: themes")
        await driver.press("enter")
        await is_there(driver)
        await driver.wait_for("Taken over from Pi: 1 model.")
        assert driver.session.model.key == "mock/mock-chat"


async def test_where_a_model_is_set_up_the_import_is_told_once_and_nothing_asked(still: Path) -> None:
    for folder in (still / "home", still / ".pi" / "agent"):
        folder.mkdir(parents=True)
        (folder / "models.json").write_text(MODELS)
    async with started() as driver:
        await is_there(driver)
        await driver.wait_for("pi-term import-pi takes over what you have in Pi")
        assert driver.session.model.key == "mock/mock-chat"
    async with started() as driver:
        await is_there(driver)
        assert "import-pi" not in driver.text()


async def test_a_server_of_this_machine_or_a_pasted_key(
    servers: list[LocalServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PI_OFFLINE", "1")
    servers.append(LocalServer("ollama", 11434, (LocalModel("qwen"),)))
    async with started() as driver:
        await driver.wait_for("Ollama on this machine")
        await driver.press("enter")
        await driver.wait_for("Log in to")
        await driver.press("escape")
        await driver.wait_for(QUESTION)
        await driver.wait_for("Ollama on this machine")
        await driver.press("up", "enter")
        await is_there(driver)
        assert driver.session.model.key == "ollama/qwen"


def set_up_by(home: Path, env: dict[str, str]) -> bool:
    paths = AppPaths(home, home, home, home)
    return is_set_up(paths, SettingsStore.load(paths), env)


@pytest.mark.parametrize(
    ("file", "text", "env", "found"),
    [
        ("settings.json", '{"theme": "light"}', {}, False),
        ("settings.json", '{"defaultModel": "gone"}', {}, True),
        ("models.json", MODELS, {}, True),
        ("models.json", "{broken", {}, True),
        ("auth.json", "{}", {}, False),
        ("auth.json", '{"openai": {"type": "api_key", "key": "k"}}', {}, True),
        ("settings.json", "{}", {"OPENAI_API_KEY": "k"}, True),
        ("settings.json", "{}", {"OPENAI_API_KEY": " ", "HOME": "/h"}, False),
    ],
)
def test_nobody_is_asked_where_something_is_set_up(
    tmp_path: Path, file: str, text: str, env: dict[str, str], found: bool
) -> None:
    home = tmp_path / "set-up"
    home.mkdir()
    (home / file).write_text(text)
    assert set_up_by(home, env) is found


async def test_a_model_whose_key_is_gone_is_told_and_the_demo_holds_its_place(still: Path) -> None:
    (still / "home").mkdir()
    (still / "home" / "settings.json").write_text('{"defaultProvider": "openai", "defaultModel": "gpt-5"}')
    async with started("go on") as driver:
        await is_there(driver)
        text = await driver.wait_for("There is no key for openai/gpt-5.")
        assert "go on" in text
        assert driver.session.agent.state.messages == []
