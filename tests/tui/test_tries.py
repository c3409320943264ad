"""Answers that fail and are asked for again."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

from pi_term.ai.faults import Fault
from pi_term.ai.messages import UserMessage, text_of
from pi_term.coding.startup import StartRequest
from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import Fail, Say, ScriptedModel, Wait

LIMITED = Fail("x", Fault("transient", "429 rate limited"))
SLOW: dict[str, Any] = {"retry.baseDelayMs": 60_000}
FAST: dict[str, Any] = {"retry.baseDelayMs": 10, "retry.maxRetries": 2}


def prompts(driver: AppDriver) -> list[str]:
    return [text_of(m.content) for m in driver.session.agent.state.messages if isinstance(m, UserMessage)]


def seconds_left(screen: str) -> int | None:
    found = re.search(r"retrying in (\d+) s", screen)
    return int(found[1]) if found else None


async def test_the_wait_is_counted_down_and_the_prompt_goes_on(tmp_path: Path) -> None:
    again = Fail("x", Fault("transient", "429 rate limited", retry_after=3))
    gate = asyncio.Event()
    with ScriptedModel([[Say("Half of it"), again], [Say("All of it"), Wait(gate)]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("go")
            screen = await driver.wait_for(" (1/3): 429 rate limited · esc to cancel")
            first = seconds_left(screen)
            assert first is not None
            await driver.wait_for(lambda text: (left := seconds_left(text)) is not None and left < first)
            screen = await driver.wait_for("All of it")
            assert "working" in screen
            assert "retrying" not in screen
            assert "working 0 s" not in screen
            gate.set()
            await driver.settle()
            screen = driver.text()
            places = [screen.index(each) for each in ("Half of it", "↻ failed, tried again", "All of it")]
            assert places == sorted(places)
            assert "✗" not in screen


async def test_the_last_failure_is_an_error(tmp_path: Path) -> None:
    with ScriptedModel([[LIMITED]] * 3) as script:
        async with run_app(script, tmp_path, settings=FAST) as driver:
            await driver.send("go")
            await driver.settle()
            screen = driver.text()
            assert screen.count("↻ failed, tried again: 429 rate limited") == 2
            assert screen.count("✗ 429 rate limited") == 1
            assert "retrying" not in screen


async def test_escape_ends_the_wait_and_brings_the_queue_back(tmp_path: Path) -> None:
    """B-045: at once."""
    with ScriptedModel([[Say("Half of it"), LIMITED], [Say("fine")]]) as script:
        async with run_app(script, tmp_path, settings=SLOW) as driver:
            await driver.send("go")
            await driver.wait_for("retrying in 1 min 0 s")
            await driver.send("queued")
            await driver.wait_for("steer: queued")
            await driver.type("draft")
            await driver.press("escape")
            await driver.settle()
            screen = driver.text()
            assert "✗ 429 rate limited" in screen
            assert "tried again" not in screen
            assert "Half of it" in screen
            assert "steer:" not in screen
            assert driver.app.main.editor.text == "queued\n\ndraft"
            await driver.press("enter")
            await driver.settle()
            assert "fine" in driver.text()
            assert prompts(driver)[-1] == "queued\n\ndraft"


async def test_a_resumed_session_shows_tries_as_they_were_shown(tmp_path: Path) -> None:
    with ScriptedModel([[Say("Half"), LIMITED], [Say("Whole")], [LIMITED], [LIMITED], [LIMITED]]) as script:
        async with run_app(script, tmp_path, settings=FAST) as driver:
            await driver.send("go")
            await driver.settle()
            await driver.send("again")
            await driver.settle()
            live = driver.app.main.transcript.copy_text()
            marks = [row[:30] for row in driver.text().splitlines() if row.startswith(("↻", "✗"))]
            assert [row[0] for row in marks] == ["↻", "↻", "↻", "✗"]
            file, work = str(driver.session.file.path), driver.session.harness.cwd
        request = StartRequest(cwd=work, model=script.model.key, session=file)
        async with run_app(script, tmp_path, request=request) as driver:
            screen = await driver.wait_for("Whole")
            assert [row[:30] for row in screen.splitlines() if row.startswith(("↻", "✗"))] == marks
            assert driver.app.main.transcript.copy_text() == live


async def test_a_failure_that_does_not_pass_is_told_at_once(tmp_path: Path) -> None:
    with ScriptedModel([[Fail("x", Fault("auth", "401 bad key"))]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("go")
            await driver.settle()
            assert "✗ 401 bad key" in driver.text()
            assert len(script.contexts) == 1
