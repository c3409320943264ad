"""Keys that come faster than a screen over the main one can close."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import Say, ScriptedModel, until
from pi_term.tui.screens import main_actions

COMMANDS = (
    "/tree", "/resume", "/fork", "/rewind", "/session", "/settings", "/model", "/scoped-models", "/thinking",
    "/theme", "/keymap", "/hotkeys", "/context", "/changes", "/changelog", "/login", "/trust", "/import",
)  # fmt: skip


def burst(driver: AppDriver, *keys: str) -> None:
    for key in keys:
        driver.app.post_message(events.Key(key, key if len(key) == 1 else None))


async def opened(driver: AppDriver) -> None:
    await until(lambda: driver.app.screen is not driver.app.main, pause=0.01)
    await driver.pilot.pause()


async def test_escape_twice_closes_one_screen_and_the_next_key_is_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main_actions, "_DOUBLE", 0)  # two of them do not open the tree here
    with ScriptedModel([[Say("hi")]], reasoning=True) as script:
        async with run_app(script, tmp_path) as driver:
            app = driver.app
            await driver.send("hello")
            await driver.settle()
            for command in COMMANDS:
                await driver.send(command)
                await opened(driver)
                burst(driver, "escape", "escape", "x")
                await until(lambda: app.main.editor.text == "x", pause=0.01)
                assert app.screen is app.main, command
                app.main.editor.set_text("")


async def test_the_program_is_suspended_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedModel([[Say("hi")]], reasoning=True) as script:
        async with run_app(script, tmp_path) as driver:
            app, suspended = driver.app, list[str]()
            monkeypatch.setattr(app, "action_suspend_process", lambda: suspended.append(""))
            await driver.send("hello")
            await driver.settle()
            for command in COMMANDS:
                await driver.send(command)
                await opened(driver)
                await driver.press("ctrl+z")
                assert len(suspended) == 1, command
                suspended.clear()
                assert app.screen is not app.main, command
                burst(driver, "escape")
                await until(lambda: app.screen is app.main, pause=0.01)
            await driver.press("alt+m", "ctrl+z")
            assert len(suspended) == 1
            await driver.wait_for("Select ·")


async def test_enter_twice_chooses_once(tmp_path: Path) -> None:
    with ScriptedModel([[Say("hi")]], reasoning=True) as script:
        async with run_app(script, tmp_path) as driver:
            app = driver.app
            await driver.send("/thinking")
            await opened(driver)
            burst(driver, "enter", "enter", "x")
            await until(lambda: app.main.editor.text == "x", pause=0.01)
            assert app.screen is app.main


@pytest.mark.parametrize("keys", [("escape", "escape"), ("escape", "escape", "escape")])
async def test_a_question_over_a_screen_closes_before_it(tmp_path: Path, keys: tuple[str, ...]) -> None:
    """What is too much for the question is for the screen below, which can be opened again afterwards."""
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            app = driver.app
            await driver.send("/settings")
            await opened(driver)
            await driver.type("defaultTools")
            await driver.press("enter")
            await until(lambda: len(app.screen_stack) == 3, pause=0.01)
            burst(driver, *keys)
            await until(lambda: app.screen is app.main, pause=0.01)
            await driver.send("/session")
            await opened(driver)
            await driver.wait_for("By model")
