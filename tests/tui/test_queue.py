"""What waits is edited, deleted, reordered and promoted; held meanwhile, and delivered once."""

from __future__ import annotations

import asyncio
from pathlib import Path

from textual.events import Paste

from pi_term.ai.messages import ImageContent, TextContent, UserMessage, text_of
from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import Reply, Say, ScriptedModel, Wait, until
from pi_term.tui.queue_desk import rewritten


def waiting(driver: AppDriver) -> list[str]:
    return [f"{each.label}: {each.text}" for each in driver.app.main.queue_desk.waiting()]


def said(driver: AppDriver) -> list[str]:
    messages = driver.session.agent.state.messages
    return [text_of(each.content) for each in messages if isinstance(each, UserMessage)]


async def fill(driver: AppDriver, *, steer: tuple[str, ...] = (), follow: tuple[str, ...] = ()) -> None:
    """Begin a run, and let messages wait behind it."""
    await driver.send("begin")
    await driver.wait_for("working")
    for text in steer:
        await driver.send(text)
    for text in follow:
        await driver.type(text)
        await driver.press("alt+enter")
    await driver.wait_for((*follow, *steer)[0])


async def test_the_queue_is_edited_by_keys_and_held_meanwhile(tmp_path: Path) -> None:
    """Steering comes back from nowhere, follow-ups are promoted, and a draft stays what it was."""
    gate = asyncio.Event()
    with ScriptedModel([Reply([Wait(gate), Say("first answer")])], answer=lambda _: [Say("more")]) as script:
        async with run_app(script, tmp_path) as driver:
            await fill(driver, steer=("one", "two"), follow=("three", "four"))
            await driver.type("draft")
            await driver.press("alt+e")
            screen = await driver.wait_for("Held until esc  enter edits")
            assert "→ steer: one" in screen
            await driver.press("down", "alt+up")
            assert waiting(driver) == ["steer: two", "steer: one", "follow-up: three", "follow-up: four"]
            await driver.press("down", "down", "tab")  # four would be the next, three becomes a steering one
            assert waiting(driver) == ["steer: two", "steer: one", "steer: three", "follow-up: four"]
            await driver.press("shift+down")
            assert waiting(driver)[2:] == ["follow-up: three", "follow-up: four"]
            await driver.press("up", "delete")
            assert waiting(driver) == ["steer: two", "follow-up: three", "follow-up: four"]
            await driver.press("up", "up", "enter")
            await driver.wait_for("Waiting steer")
            gate.set()  # the run ends, since what waits is held
            await driver.session.wait_settled()
            assert said(driver) == ["begin"]
            await driver.type("!")
            await driver.press("enter")
            await driver.wait_for("→ steer: two!")
            assert said(driver) == ["begin"]
            await driver.press("escape")
            await until(lambda: len(said(driver)) == 4)
            await driver.settle()
            assert said(driver) == ["begin", "two!", "three", "four"]
            assert driver.app.main.editor.text == "draft"


async def test_the_queue_is_edited_by_mouse(tmp_path: Path) -> None:
    gate = asyncio.Event()
    with ScriptedModel([Reply([Wait(gate), Say("first answer")])], answer=lambda _: [Say("more")]) as script:
        async with run_app(script, tmp_path) as driver:
            await fill(driver, steer=("one", "two"), follow=("three",))
            await click(driver, "steer: two")
            await driver.wait_for("→ steer: two")
            await click(driver, "▲")
            assert waiting(driver) == ["steer: two", "steer: one", "follow-up: three"]
            await click(driver, "follow-up: three")
            await driver.wait_for("→ follow-up: three")
            await click(driver, "⇄")
            assert waiting(driver)[2] == "steer: three"
            await click(driver, "delete  ▲")
            assert waiting(driver) == ["steer: two", "steer: one"]
            await click(driver, "edit  delete")
            await driver.wait_for("Waiting steer")
            await driver.press("escape")
            await driver.wait_for("→ steer: one")
            await driver.type("x")  # what is typed is for the editor, and lets what waits go on
            assert driver.app.main.editor.text == "x"
            gate.set()
            await until(lambda: len(said(driver)) == 3)
            await driver.settle()
            assert said(driver) == ["begin", "two", "one"]


async def test_with_nothing_left_the_editor_has_the_keys_again(tmp_path: Path) -> None:
    gate = asyncio.Event()
    with ScriptedModel([Reply([Wait(gate), Say("first answer")])]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.press("alt+e")
            await driver.wait_for("Nothing waits.")
            await fill(driver, steer=("one",))
            await driver.press("alt+e")
            await driver.wait_for("Held until")
            await driver.press("backspace")
            await driver.type("next")
            assert driver.app.main.editor.text == "next"
            assert not driver.session.agent.steering.held
            gate.set()
            await driver.settle()


async def test_a_paste_goes_to_the_editor(tmp_path: Path) -> None:
    gate = asyncio.Event()
    with ScriptedModel([Reply([Wait(gate), Say("first answer")])]) as script:
        async with run_app(script, tmp_path) as driver:
            await fill(driver, steer=("one",))
            await driver.press("alt+e")
            await driver.wait_for("Held until")
            driver.app.post_message(Paste("pasted words"))
            await driver.wait_for("pasted words")
            assert driver.app.main.editor.text == "pasted words"
            gate.set()
            await driver.settle()


def test_images_stay_with_a_message_that_is_rewritten() -> None:
    image = ImageContent(data="aGk=", mime_type="image/png")
    message = rewritten(UserMessage([TextContent("old"), image]), "new")
    assert message.content == [TextContent("new"), image]
    assert rewritten(message, "none", []).content == [TextContent("none")]


async def click(driver: AppDriver, text: str) -> None:
    """Click on the first character of a text on the screen."""
    rows = driver.text().splitlines()
    y = next(number for number, row in enumerate(rows) if text in row)
    await driver.pilot.click(offset=(rows[y].index(text), y))
