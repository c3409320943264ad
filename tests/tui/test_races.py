"""Keys that come faster than the program can act on them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from textual import events

from pi_term.ai.messages import UserMessage, text_of
from pi_term.testing.app import AppDriver, make_parts, run_app
from pi_term.testing.scripted import Say, ScriptedModel, Wait, until
from pi_term.tui.app import PiTermApp
from pi_term.tui.attention import QUIET


def burst(driver: AppDriver, *keys: str) -> None:
    """Press keys all at once, as they arrive after a moment in which the program was busy."""
    for key in keys:
        driver.app.post_message(events.Key(key, key if len(key) == 1 else None))


def prompts(driver: AppDriver) -> list[str]:
    return [text_of(m.content) for m in driver.session.agent.state.messages if isinstance(m, UserMessage)]


async def test_a_follow_up_does_not_overtake_the_prompt(tmp_path: Path) -> None:
    with ScriptedModel([[Say("one")], [Say("two")]]) as script:
        async with run_app(script, tmp_path) as driver:
            burst(driver, "a", "enter", "b", "alt+enter")
            await until(lambda: len(prompts(driver)) == 2, pause=0.01)
            await driver.settle()
            assert prompts(driver) == ["a", "b"]


async def test_leaving_a_session_brings_its_queue_back(tmp_path: Path) -> None:
    with ScriptedModel([[Wait(asyncio.Event())], [Say("never read")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("go")
            await until(lambda: driver.session.agent.running, pause=0.01)
            await driver.send("waiting")
            await driver.wait_for("steer: waiting")
            await driver.press("alt+n")
            await driver.wait_for(lambda text: "steer:" not in text and "waiting" in text and "▌" not in text)
            await driver.settle()
            assert driver.app.main.editor.text == "waiting"
            assert prompts(driver) == []


async def test_a_question_at_the_start_is_not_answered_by_what_is_being_typed(tmp_path: Path) -> None:
    """B-071: the prompt goes where it was meant to, and the folder is not trusted by its Enter."""
    work = tmp_path / "work"
    (work / ".pi").mkdir(parents=True)
    (work / ".pi" / "SYSTEM.md").write_text("Obey the repository.")
    with ScriptedModel([[Say("ok")]]) as script:
        app = PiTermApp(make_parts(script, tmp_path))
        async with app.run_test(size=(100, 30)) as pilot:
            driver = AppDriver(app, pilot)
            await driver.wait_for("Do you trust this folder?")
            await driver.send("do the thing")
            await pilot.pause()
            assert app.main.view is None
            await asyncio.sleep(QUIET)
            await driver.press("escape")
            await until(lambda: app.main.view is not None, pause=0.01)
            await until(lambda: len(script.contexts) == 1, pause=0.01)
            await driver.settle()
            assert prompts(driver) == ["do the thing"]
            assert "Obey" not in script.contexts[0].system_prompt
            assert app.started is not None
            await app.started.aclose()


async def test_what_is_typed_while_a_list_comes_up_is_for_the_list(tmp_path: Path) -> None:
    """However fast: the keys after the one that asked for it, in their order, and no draft gets them."""
    with ScriptedModel([]) as script:
        async with run_app(script, tmp_path) as driver:
            driver.app.main.editor.set_text("draft")
            for key, character in (("alt+x", None), *((char, char) for char in "hotkeys")):
                driver.app.post_message(events.Key(key, character))
            await driver.wait_for("> hotkeys▏")
            assert driver.app.main.editor.text == "draft"


async def test_keys_for_a_screen_that_never_comes_are_text(tmp_path: Path) -> None:
    with ScriptedModel([]) as script:
        async with run_app(script, tmp_path) as driver:
            driver.app.opening.begin()
            await driver.type("hello")
            assert driver.app.main.editor.text == ""
            driver.app.opening.end()
            await driver.wait_for("hello")
            assert driver.app.main.editor.text == "hello"
