"""What the mouse does in the transcript of the whole program."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import Say, ScriptedModel, Think
from pi_term.tui import clipboard
from pi_term.tui.widgets.transcript import Transcript

ANSWER = "Some words to select, " + "and more " * 12 + "\n\n```py\nx = 1\n```\n"


async def click(driver: AppDriver, text: str, column: int, times: int = 1) -> None:
    """Click in the row that shows `text`."""
    row = next(y for y, line in enumerate(driver.text().split("\n")) if text in line)
    await driver.pilot.click(Transcript, offset=(column, row), times=times)
    await driver.pilot.pause()


@pytest.mark.parametrize("at_once", [True, False])
async def test_clicks(still: Path, monkeypatch: pytest.MonkeyPatch, at_once: bool) -> None:
    copied: list[str] = []
    monkeypatch.setattr(clipboard, "copy_text", lambda app, text: not copied.append(text))
    replies = [[Think("A thought of\n\ntwo lines."), Say("One.")], [Think("Another."), Say(ANSWER)]]
    settings = {"fullscreenCopyOnSelect": at_once}
    with ScriptedModel(replies, reasoning=True) as script:
        async with run_app(script, still, thinking="high", settings=settings) as driver:
            for text in ("first", "second"):
                await driver.send(text)
                await driver.settle()

            await click(driver, "A thought of", 8)
            assert "A thought of" in driver.text(), "a click on its text hides it not"
            await click(driver, "A thought of", 0)
            await driver.wait_for("Thought (5 words)")
            assert "Another." in driver.text()
            await click(driver, "Thought (5 words)", 10)
            await driver.wait_for("A thought of")
            await click(driver, "Another.", 0)
            await driver.wait_for("Thought (1 word)")
            await driver.press("ctrl+t")
            await driver.wait_for("Thought (5 words)")
            await driver.press("ctrl+t")
            await driver.wait_for("Another.")

            await click(driver, "copy ──", 90)
            assert copied == ["x = 1"]
            await click(driver, "Some words", 8, times=2)
            assert driver.app.main.transcript.selected_text() == "words"
            assert copied[1:] == (["words"] if at_once else [])
            await click(driver, "Some words", 8, times=3)
            whole = ANSWER.split("\n")[0].rstrip()
            assert driver.app.main.transcript.selected_text() == whole
            assert copied[-1] == (whole if at_once else "x = 1")
            if not at_once:
                await driver.press("ctrl+x")
                assert copied[-1] == whole, "with a selection, this key copies it"
                await driver.press("ctrl+x")
                assert copied[-1] == ANSWER
