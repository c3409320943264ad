"""Questions of the core, of tools and of extensions: one after the other, never into a word."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.events import Key, Paste
from textual.screen import ModalScreen
from textual.widgets import Static

from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import ScriptedModel, until
from pi_term.tui import attention as attention_module
from pi_term.tui.attention import PAUSE, QUIET, Attention


class Overlay(ModalScreen[str]):
    """What an extension may show."""

    def compose(self) -> ComposeResult:
        yield Static("an overlay of somebody else's")

    def on_key(self, event: Key) -> None:
        if event.key == "enter":
            self.dismiss("taken")


@pytest.fixture
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody types, so that no pause has to be long."""
    monkeypatch.setattr(attention_module, "PAUSE", 0.02)
    monkeypatch.setattr(attention_module, "QUIET", 0.01)


def ask(work: Any) -> asyncio.Task[Any]:
    return asyncio.create_task(work)


async def quiet(driver: AppDriver) -> None:
    """As long as a question takes to get the keys."""
    await asyncio.sleep(attention_module.QUIET)


@pytest.mark.usefixtures("brisk")
async def test_several_questions_are_asked_one_after_the_other(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            ui = driver.app.bridge.unasked
            first = ask(ui.select("Which first?", ["one", "two"]))
            second = ask(ui.confirm("Really second?", "It cannot be undone [/x]."))
            third = ask(driver.app.bridge.unasked.custom(Overlay()))
            screen = await driver.wait_for("Which first?")
            assert "Really second?" not in screen
            await quiet(driver)
            await driver.press("down", "enter")
            assert await first == "two"
            screen = await driver.wait_for("Really second?")
            assert "It cannot be undone [/x]." in screen
            await quiet(driver)
            await driver.press("enter")
            assert await second is True
            await driver.wait_for("an overlay")
            await quiet(driver)
            await driver.press("escape")  # the overlay has no use for it
            assert await third is None
            await driver.type("draft")
            assert driver.app.main.editor.text == "draft"


@pytest.mark.usefixtures("brisk")
async def test_texts_are_asked_for(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            ui = driver.app.bridge.unasked
            name = ask(ui.input("Your name?", "as on your passport"))
            await driver.wait_for("as on your passport")
            await quiet(driver)
            await driver.type("Ada")
            await driver.press("enter")
            assert await name == "Ada"
            text = ask(ui.editor("The commit message", "Fix\n\nit"))
            await driver.wait_for("The commit message")
            await quiet(driver)
            await driver.type("!")
            await driver.press("enter")
            assert await text == "Fix\n\nit!"


async def test_a_question_never_takes_a_key_of_a_word(tmp_path: Path) -> None:
    """It waits for a pause; what is typed in the moment in which it comes up still goes into the draft."""
    now = 100.0
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            driver.app.attention = Attention(lambda: now)
            await driver.type("half a wo")
            asked = ask(driver.app.bridge.unasked.confirm("Sure?", ""))
            screen = await driver.wait_for("A question waits for a pause.")
            assert "Sure?" not in screen
            now += PAUSE + 0.1
            await driver.wait_for("Sure?")
            for key in (*"rd", "enter"):
                driver.app.post_message(Key(key, key if len(key) == 1 else "\r"))
            await until(lambda: len(script.contexts) == 1, pause=0.01)  # it was sent, and not answered with
            assert not asked.done()
            now += QUIET + 0.1
            await driver.press("n", "enter")
            assert await asked is False
            await driver.settle()


@pytest.mark.usefixtures("brisk")
async def test_a_question_waits_for_what_the_person_has_opened(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            overlay = ask(driver.app.bridge.custom(Overlay))
            await driver.wait_for("an overlay")
            asked = ask(driver.app.bridge.unasked.select("Which?", ["one"]))
            await driver.press("enter")
            assert await overlay == "taken"
            await driver.wait_for("Which?")
            await quiet(driver)
            await driver.press("escape")
            assert await asked is None


@pytest.mark.usefixtures("brisk")
async def test_a_question_that_is_not_answered_in_time_goes_away(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            ui = driver.app.bridge.unasked
            asked = ask(ui.select("Which?", ["one"], timeout=50))
            screen = await driver.wait_for("Which? (")
            await driver.wait_for(lambda text: "Which? (" in text and text != screen)  # it counts
            await driver.press("escape")
            assert await asked is None
            named = ask(ui.input("Name?", timeout=40))
            await driver.wait_for("Name? (")
            await quiet(driver)
            await driver.press("escape")
            assert await named is None
            assert await ui.confirm("Sure?", "", timeout=0.01) is False
            await driver.wait_for(lambda text: "Sure?" not in text)


@pytest.mark.usefixtures("brisk")
async def test_a_question_nobody_waits_for_goes_away(tmp_path: Path) -> None:
    """A tool that is called off takes its question with it, and the next one can be asked."""
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            ui = driver.app.bridge.unasked
            called_off = ask(ui.confirm("Called off?", ""))
            await driver.wait_for("Called off?")
            called_off.cancel()
            await driver.wait_for(lambda text: "Called off?" not in text)
            again = ask(ui.confirm("Again?", ""))
            await driver.wait_for("Again?")
            await quiet(driver)
            await driver.press("enter")
            assert await again is True


def test_keys_belong_to_the_draft_until_there_was_a_pause() -> None:
    now = 100.0
    attention = Attention(lambda: now)
    letter, enter = Key("a", "a"), Key("enter", "\r")
    assert attention.paused
    assert not attention.diverts(letter)
    assert not attention.paused
    now += PAUSE + 0.01
    assert attention.paused
    with attention.question(letters_are_text=False):
        assert attention.diverts(letter)
        now += QUIET - 0.01
        assert attention.diverts(enter)
        now += QUIET
        assert not attention.diverts(enter)
        assert not attention.diverts(letter)
    with attention.question(letters_are_text=True):
        now += QUIET
        assert attention.diverts(letter)
        assert attention.diverts(enter)
        now += QUIET
        assert attention.diverts(Paste("text"))
        now += QUIET
        assert not attention.diverts(enter)
    assert not attention.diverts(letter)
    escape = Key("escape", "\x1b")
    with attention.question(letters_are_text=True):
        assert attention.diverts(escape), "it may have been meant for what was there before"
        now += QUIET
        assert attention.diverts(letter)
        assert not attention.diverts(escape)
