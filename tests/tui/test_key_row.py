"""Keys that are typed faster than the focus moves."""

from __future__ import annotations

from pathlib import Path

from textual import events

from pi_term.testing.app import run_app
from pi_term.testing.scripted import Say, ScriptedModel


async def test_no_key_is_lost_on_the_way_to_a_search_and_back(still: Path) -> None:
    with ScriptedModel([[Say("some words")]]) as script:
        async with run_app(script, still) as driver:
            await driver.send("say something")
            await driver.settle()
            # All at once, as a terminal sends what was typed while the program was busy.
            for key in ("a", "alt+s", *"words", "escape", "b", "alt+m", "escape", "c", "alt+s", "x"):
                driver.app.post_message(events.Key(key, key if len(key) == 1 else None))
            driver.app.post_message(events.Paste("yz"))
            await driver.wait_for("Search: xyz")
            await driver.wait_for("no matches")
            await driver.press("escape", "d")
            assert driver.app.main.editor.text == "abcd"
            assert driver.app.focused is driver.app.main.editor
