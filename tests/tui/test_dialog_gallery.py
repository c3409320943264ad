"""The questions of the core, of tools and extensions, as they look at 100x30."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pi_term.testing.app import run_app
from pi_term.testing.scripted import ScriptedModel
from pi_term.tui import attention
from pi_term.tui.screens.countdown import Countdown

FILES = [f"src/module_{number}.py" for number in range(12)]


async def test_dialogs(picture: Any, still: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "PAUSE", 0.02)
    monkeypatch.setattr(attention, "QUIET", 0.01)
    monkeypatch.setattr(Countdown, "text", property(lambda self: " (12 s)" if self._timeout else ""))
    with ScriptedModel() as script:
        async with run_app(script, still) as driver:
            ui = driver.app.bridge.unasked
            questions: list[tuple[Any, str]] = [
                (ui.confirm("Delete 3 files?", "They are not in git [/x].", timeout=900), "Delete 3"),
                (ui.select("Which file?", FILES), "Which file?"),
                (ui.input("The name of the branch?", "feature/…"), "The name"),
                (ui.editor("The commit message", "Fix the parser\n\n- and its tests"), "commit message"),
            ]
            for asked, shown in questions:
                task = asyncio.create_task(asked)
                await driver.wait_for(shown)
                await driver.pilot.pause()
                assert driver.picture() == picture
                await asyncio.sleep(attention.QUIET)
                await driver.press("escape")
                assert await task in (None, False)
