"""Lists to choose from: long ones, and ones that fill while they are open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from textual.events import MouseScrollDown

from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import ScriptedModel
from pi_term.tui.choices import Choice

MANY = 20_000


async def test_a_long_list_is_searched_beside_the_keys_and_enter_waits_for_it(tmp_path: Path) -> None:
    choices = [Choice(str(place), f"row {place:05}") for place in range(MANY)]
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            asked = choose(driver, choices)
            await driver.wait_for("→ row 00000")
            await driver.type("19731")
            await driver.press("enter")
            async with asyncio.timeout(60):
                assert await asked == "19731"


async def test_a_list_fills_while_it_is_open_and_the_selection_stays(tmp_path: Path) -> None:
    gates = [asyncio.Event() for _ in range(3)]

    async def more() -> AsyncIterator[Sequence[Choice]]:
        for number, gate in enumerate(gates):
            await gate.wait()
            yield [Choice(f"{number}{letter}", f"row {number} {letter}") for letter in "abc"]

    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            asked = choose(driver, [], more=more())
            await driver.wait_for("looking…")
            gates[0].set()
            await driver.wait_for("→ row 0 a")
            await driver.press("down")
            gates[1].set()
            screen = await driver.wait_for("2/6…")
            assert "→ row 0 b" in screen
            await driver.type("b")
            await driver.wait_for(lambda text: "row 1 b" in text and "> b" in text)
            gates[2].set()
            await driver.wait_for("row 2 b")
            await driver.wait_for(lambda text: "…" not in text.splitlines()[-2])
            await driver.press("enter")
            assert await asked == "0b"


async def test_an_empty_list_says_so(tmp_path: Path) -> None:
    async def more() -> AsyncIterator[Sequence[Choice]]:
        for nothing in ():
            yield nothing

    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            asked = choose(driver, [], more=more())
            await driver.wait_for("there is nothing")
            await driver.press("enter", "escape")
            assert await asked is None


async def test_a_list_is_used_with_the_mouse_and_its_query_edited(tmp_path: Path) -> None:
    choices = [Choice(str(place), f"row {place:02}") for place in range(40)]
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            asked = choose(driver, choices)
            await driver.wait_for("→ row 00")
            await driver.type("row 3 nothing")
            await driver.wait_for("nothing matches")
            await driver.press("ctrl+w")
            await driver.wait_for("→ row 30")
            await driver.press("ctrl+u")
            screen = await driver.wait_for("→ row 00")
            row = next(y for y, line in enumerate(screen.splitlines()) if "row 04" in line)
            driver.app.screen.post_message(scroll_down(5, row))
            await driver.wait_for("→ row 01")
            await driver.pilot.click(offset=(5, row))
            assert await asked == "4"


def scroll_down(x: int, y: int) -> MouseScrollDown:
    return MouseScrollDown(None, x, y, 0, 0, 0, False, False, False, x, y)


def choose(
    driver: AppDriver,
    choices: Sequence[Choice],
    at: int = 0,
    more: AsyncIterator[Sequence[Choice]] | None = None,
) -> asyncio.Task[str | None]:
    return asyncio.create_task(driver.app.bridge.choose("Which?", choices, at=at, more=more))
