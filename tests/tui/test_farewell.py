"""What the terminal shows when the program has ended."""

from __future__ import annotations

from pathlib import Path

from pi_term.testing.app import run_app
from pi_term.testing.scripted import Say, ScriptedModel
from pi_term.tui.farewell import transcript_text


async def test_what_was_said_is_left_in_order_and_in_readable_colours(tmp_path: Path) -> None:
    with ScriptedModel([[Say("First answer.")], [Say("Second answer.")]]) as script:
        async with run_app(script, tmp_path) as driver:
            for prompt in ("one", "two"):
                await driver.send(prompt)
                await driver.settle()
            coloured = transcript_text(driver.app)
            driver.app.parts.light = True
            plain = transcript_text(driver.app)
    rows = [row.lstrip("▌ ").rstrip() for row in plain.splitlines()]
    assert [row for row in rows if row] == ["one", "First answer.", "two", "Second answer."]
    assert "\x1b[" in coloured
    assert "\x1b" not in plain
