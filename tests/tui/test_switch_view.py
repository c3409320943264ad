"""What was switched stands in the transcript; what was told at the start goes with the first prompt."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from pi_term.coding.session import SessionFile
from pi_term.coding.startup import StartRequest
from pi_term.testing.app import run_app
from pi_term.testing.scripted import Call, Say, ScriptedModel, until


def rows(text: str) -> list[str]:
    """What was said and what was switched, from the top."""
    return [
        row.strip("▌ ·") for row in text.splitlines() if any(mark in row for mark in ("▌", "· ", "an an"))
    ]


async def test_a_switch_is_a_row_where_it_came_to_count(still: Path) -> None:
    replies = [
        [Say("an answer"), Call("bash", {"command": "while [ ! -e go ]; do sleep 0.01; done"})],
        [Say("an answer of another")],
    ]
    with ScriptedModel(replies, reasoning=True) as script:
        plain = replace(script.model, id="plain", reasoning=False)
        async with run_app(script, still, thinking="high") as driver:
            session = driver.session
            await session.set_model(plain)
            await session.set_model(script.model)
            await driver.send("begin")
            await driver.wait_for("bash")
            await session.set_model(plain)
            await session.set_thinking_level("low")
            await session.set_model(script.model)
            assert "Thinking: low" not in driver.text(), "the turn under way goes on as it began"
            (still / "work" / "go").touch()
            await driver.wait_for("of another")
            await driver.settle()
            for level in ("medium", "off", "high"):
                await session.set_thinking_level(level)  # type: ignore[arg-type]
            shown = await driver.wait_for("Thinking: high")
            wanted = [
                "begin",
                "an answer",
                "Model: test/scripted · thinking low",
                "an answer of another",
                "Thinking: high",
            ]
            assert [row for row in rows(shown) if row in wanted] == wanted
            assert shown.count("Model: ") + shown.count("Thinking: ") == 2
            path = session.file.path
            assert path is not None
            await session.switcher.open(SessionFile.open(path))
            await until(lambda: driver.session.file.path == path)
            again = await driver.wait_for("Thinking: high")
            assert [row for row in rows(again) if row in wanted] == wanted


async def test_what_the_start_told_goes_with_the_first_prompt(still: Path) -> None:
    with ScriptedModel([[Say("hello")]]) as script:
        work = still / "work"
        work.mkdir()
        request = StartRequest(cwd=work, model=script.model.key, session_id="mine-1")
        async with run_app(script, still, request=request) as driver:
            driver.app.notice("that matters", "warning")
            await driver.wait_for("There is no session mine-1 here yet")
            await driver.send("first")
            await driver.wait_for("hello")
            shown = await driver.wait_for(lambda text: "no session" not in text)
            assert "that matters" in shown
            driver.app.notice("of later")
            await driver.send("second")
            await asyncio.wait_for(driver.session.wait_settled(), 30)
            await driver.wait_for("of later")
