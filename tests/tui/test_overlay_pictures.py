"""The screens over the main one: the big ones in all sizes, the others at 100x30 dark; and all themes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import Call, Say, ScriptedModel, Think, until

SIZES = [(60, 20), (100, 30), (200, 50)]
LOOKS = [(size, "dark") for size in SIZES] + [((100, 30), "light")]

# Action, what is typed there, what shows that it is there. What is typed keeps the pictures as they are
# when an action or a setting is added.
BIG = {
    "palette": ("app.palette", "session tree", "→ Session tree"),
    "models": ("app.model.select", "sonnet 4-6", "no key yet"),
    "settings": ("app.settings", "compaction", "→ compaction.enabled"),
    "theme": ("app.theme", "dark", "+ added"),
}
SMALL = {
    "thinking": ("app.thinking.select", "", "for everyday work"),
    "scoped": ("app.model.scoped", "", "ctrl+s keeps it"),
    "hotkeys": ("app.hotkeys", "previous model", "alt+p"),
    "trust": ("app.trust", "", "Trust is no sandbox"),
    "keymap": ("app.keymap", "pi", "→ pi"),
}
ANSWER = 'It prints a **greeting**: `greet(name)`.\n\n```python\nreturn f"Hello, {name}!"  # as before\n```'


async def look_at(driver: AppDriver, screen: tuple[str, str, str]) -> str:
    """The picture of a screen, which is closed again."""
    action, typed, shown = screen
    driver.app.main.dispatch(action)
    await driver.wait_for("esc closes")
    await driver.paste(typed)
    await driver.wait_for(shown)
    if action == "app.theme":
        await until(lambda: driver.app.theme_colours.name == typed, pause=0.01)
    await driver.pilot.pause(0.1)
    picture = driver.picture()
    await driver.press("escape")
    await driver.wait_for(lambda text: driver.app.screen is driver.app.main)
    return picture


@pytest.mark.parametrize(("size", "theme"), LOOKS, ids=["60x20", "100x30", "200x50", "light"])
async def test_big_screens(still: Path, picture: Any, size: tuple[int, int], theme: str) -> None:
    with ScriptedModel(reasoning=True) as script:
        settings = {"compaction.keepRecentTokens": 10_000, "theme": theme}
        async with run_app(script, still, size=size, theme=theme, settings=settings) as driver:
            for name, screen in BIG.items():
                assert await look_at(driver, screen) == picture(name=name)


async def test_small_screens(still: Path, picture: Any) -> None:
    with ScriptedModel(reasoning=True) as script:
        async with run_app(script, still) as driver:
            driver.app.registry.add_provider(
                "test", {"models": [{"id": "second", "cost": {"input": 3, "output": 15}}]}
            )
            for name, screen in SMALL.items():
                assert await look_at(driver, screen) == picture(name=name)


@pytest.mark.parametrize("theme", ["high-contrast", "system", "system-light"])
async def test_the_main_screen_in_other_themes(still: Path, picture: Any, theme: str) -> None:
    (still / "work").mkdir()
    (still / "work" / "greet.py").write_text('def greet(name):\n    return "Hello"\n')
    edit = {"path": "greet.py", "edits": [{"oldText": '"Hello"', "newText": 'f"Hello, {name}!"'}]}
    replies = [
        [Think("They ask for a greeting."), Call("edit", edit), Call("read", {"path": "missing.py"})],
        [Say(ANSWER)],
    ]
    with ScriptedModel(replies, reasoning=True) as script:
        async with run_app(script, still, theme=theme, thinking="high") as driver:
            await driver.send("make it greet by name")
            await driver.settle()
            await driver.type("!ls")
            await driver.press("ctrl+home", "ctrl+end")
            await driver.pilot.pause(0.2)
            assert driver.picture() == picture
