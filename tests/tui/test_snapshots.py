"""Whole screens. Look at a changed picture as you would at changed code."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import Call, Fail, Say, ScriptedModel, Think, Wait

SIZES = [(60, 20), (100, 30), (200, 50)]
THEMES = ["dark", "light"]

ANSWER = """\
It prints a greeting. Two things to know:

1. `greet` wants a **name**;
2. nobody checks it.

```python
def greet(name: str) -> str:
    return f"Hello, {name}!"  # as before
```

| function | lines |
|----------|------:|
| `greet`  |     2 |
"""


def conversation() -> ScriptedModel:
    edit = {"path": "greet.py", "edits": [{"oldText": '"Hello"', "newText": 'f"Hello, {name}!"'}]}
    return ScriptedModel(
        [
            [Think("They ask about greet.py. I read it first."), Call("read", {"path": "greet.py"})],
            [Say("It forgets the name."), Call("edit", edit), Call("read", {"path": "missing.py"})],
            [Say(ANSWER)],
        ],
        reasoning=True,
    )


def prepare(folder: Path) -> None:
    (folder / "work").mkdir()
    (folder / "work" / "greet.py").write_text('def greet(name):\n    return "Hello"\n')


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=["60x20", "100x30", "200x50"])
async def test_start(still: Path, picture: Any, size: tuple[int, int], theme: str) -> None:
    with ScriptedModel(reasoning=True) as script:
        async with run_app(script, still, size=size, theme=theme) as driver:
            assert driver.picture() == picture


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=["60x20", "100x30", "200x50"])
async def test_conversation(still: Path, picture: Any, size: tuple[int, int], theme: str) -> None:
    prepare(still)
    with conversation() as script:
        async with run_app(script, still, size=size, theme=theme, thinking="high") as driver:
            await driver.send("what does greet.py do?")
            await driver.settle()
            await look_through(driver)
            assert driver.picture() == picture


async def look_through(driver: AppDriver) -> None:
    """See everything once: of what was never seen, the scroll bar only guesses how long it is."""
    await driver.press("ctrl+home", *(["pagedown"] * 6), "ctrl+end")
    await driver.pilot.pause(0.2)


async def test_tools_open(still: Path, picture: Any) -> None:
    prepare(still)
    with conversation() as script:
        async with run_app(script, still) as driver:
            await driver.send("what does greet.py do?")
            await driver.settle()
            await driver.press("ctrl+o", "ctrl+t", "ctrl+home")
            await driver.wait_for("return f")
            await driver.pilot.pause(0.2)
            assert driver.picture() == picture


@pytest.mark.parametrize("theme", THEMES)
async def test_working_with_queues(still: Path, picture: Any, theme: str) -> None:
    gate = asyncio.Event()
    with ScriptedModel([[Say("Let me think about"), Wait(gate)]], reasoning=True) as script:
        async with run_app(script, still, theme=theme) as driver:
            await driver.send("how long is a piece of string?")
            await driver.wait_for("Let me think about")
            await driver.send("don't touch the public API")
            await driver.type("add a changelog")
            await driver.press("alt+enter")
            await driver.wait_for("add a changelog")
            await driver.type("half a thought")
            await driver.pilot.pause(0.2)
            assert driver.picture() == picture
            driver.session.abort()


async def test_interrupted_and_failed(still: Path, picture: Any) -> None:
    gate = asyncio.Event()
    replies = [[Say("Half an answer"), Wait(gate)], [Fail("429 rate limit: try again in 7 s")]]
    with ScriptedModel(replies) as script:
        async with run_app(script, still) as driver:
            await driver.send("one")
            await driver.wait_for("Half an answer")
            await driver.press("escape")
            await driver.settle()
            await driver.send("two")
            await driver.settle()
            assert driver.picture() == picture


async def test_commands_are_offered(still: Path, picture: Any) -> None:
    with ScriptedModel() as script:
        async with run_app(script, still) as driver:
            await driver.type("/")
            await driver.wait_for("/logout")
            await driver.pilot.pause(0.1)
            assert driver.picture() == picture


async def test_an_editor_with_much_text(still: Path, picture: Any) -> None:
    with ScriptedModel() as script:
        async with run_app(script, still) as driver:
            await fill(driver)
            assert driver.picture() == picture


async def fill(driver: AppDriver) -> None:
    """A draft of several lines with a folded paste and wide characters."""
    from textual.events import Paste

    await driver.type("first line\nsecond: ")
    driver.app.main.editor.post_message(Paste("\n".join(f"row {number}" for number in range(30))))
    await driver.pilot.pause()
    await driver.type("\nthird 日本語 é")
    await driver.pilot.pause(0.1)


async def test_a_question(still: Path, picture: Any) -> None:
    with ScriptedModel() as script:
        async with run_app(script, still) as driver:
            await driver.wait_for("scripted")
            answer = asyncio.create_task(
                driver.app.bridge.confirm("Trust this folder?", "It brings settings of its own.")
            )
            await driver.wait_for("Trust this folder?")
            await driver.pilot.pause(0.1)
            assert driver.picture() == picture
            await driver.press("escape")
            assert await answer is False


async def test_a_shell_command_is_being_written(still: Path, picture: Any) -> None:
    with ScriptedModel() as script:
        async with run_app(script, still) as driver:
            await driver.send("!!echo only for me")
            await driver.wait_for("  only for me")
            await driver.type("!git commit -m 'x")
            await driver.wait_for(lambda text: "running" not in text)
            await driver.pilot.pause(0.2)
            assert driver.picture() == picture
