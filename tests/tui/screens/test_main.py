from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pi_term.testing.app import run_app
from pi_term.testing.scripted import Say, ScriptedModel, Wait


@pytest.mark.parametrize("height", [3, 4, 5, 7, 9])
async def test_of_few_rows_the_editor_keeps_its_own(tmp_path: Path, height: int) -> None:
    with ScriptedModel([[Say("going"), Wait(asyncio.Event())]]) as script:
        async with run_app(script, tmp_path, size=(40, height)) as driver:
            await driver.type("hello")
            await driver.wait_for("\n hello")
            await driver.press("enter")
            for text in ("one", "two", "three"):
                await driver.send(text)
            await driver.type("draft")
            await driver.wait_for("\n draft")
