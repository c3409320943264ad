"""What people see of compactions."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pi_term.ai.context import Context
from pi_term.ai.faults import Fault
from pi_term.ai.messages import Usage, UserMessage, text_of
from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import Fail, Part, Reply, Say, ScriptedModel, Wait
from pi_term.tui.widgets.transcript import Transcript

SETTINGS: dict[str, Any] = {"compaction.keepRecentTokens": 100, "retry.baseDelayMs": 10}
LONG = "word " * 200
BUSY = Fail("x", Fault("transient", "529 overloaded"))


class Model(ScriptedModel):
    """Answers requests for a summary from `summaries`, all others from `turns`."""

    def __init__(self, turns: Sequence[Sequence[Part] | Reply] = (), window: int = 100_000) -> None:
        super().__init__(answer=self._next, context_window=window, max_tokens=4_000)
        self.turns = list(turns)
        self.summaries: list[Sequence[Part] | Reply] = []

    def _next(self, context: Context) -> Sequence[Part] | Reply:
        if "<conversation>" in str(context.messages):
            return self.summaries.pop(0) if self.summaries else [Say("## Goal\n\nthe gist of it")]
        return self.turns.pop(0) if self.turns else [Say("an answer")]


async def talk(driver: AppDriver, turns: int = 2) -> None:
    """A few turns that are worth to be compacted."""
    for number in range(turns):
        await driver.send(f"question {number}")
        await driver.settle()


def long_turns(count: int = 2) -> list[Sequence[Part] | Reply]:
    return [[Say(f"{LONG} end {number}")] for number in range(count)]


async def test_a_compaction_is_a_block_that_opens(tmp_path: Path) -> None:
    """B-036: until a fresh answer arrives, nothing is said of how full the context is."""
    with Model(long_turns()) as model:
        async with run_app(model, tmp_path, settings=SETTINGS) as driver:
            await talk(driver)
            gate = asyncio.Event()
            model.summaries = [[Wait(gate), Say("## Goal\n\nthe gist of it")]]
            await driver.send("/compact keep ZX-9")
            screen = await driver.wait_for("compacting…")
            assert "esc to cancel" in screen
            gate.set()
            screen = await driver.wait_for("◆ Earlier conversation, summarised (")
            assert "end 1" in screen
            assert "· the last 2 messages stay" in screen
            assert "the gist" not in screen
            await driver.wait_for("?/100k")
            await driver.wait_for(lambda text: "compacting" not in text)
            assert "ZX-9" in str(model.contexts[-1].messages)
            y = next(y for y, row in enumerate(driver.text().splitlines()) if "◆" in row)
            await driver.pilot.click(Transcript, offset=(5, y))
            await driver.wait_for("the gist of it")
            await driver.send("and now?")
            await driver.settle()
            assert "?/100k" not in driver.text()


async def test_a_compaction_tells_the_same_when_the_session_is_opened_again(tmp_path: Path) -> None:
    def label(screen: str) -> str:
        return next((row.strip(" ▐") for row in screen.splitlines() if "◆" in row), "")

    with Model(long_turns()) as model:
        async with run_app(model, tmp_path, settings=SETTINGS) as driver:
            await talk(driver)
            await driver.send("/compact")
            told = label(await driver.wait_for("tokens) · the last 2 messages stay"))
            assert re.search(r"\([\d,]+ → [\d,]+ tokens\)", told)
            await driver.send("and now?")
            await driver.settle()
            await driver.send("/new")
            await driver.wait_for("This is a new session")
            await driver.press("alt+r")
            await driver.wait_for("and now?")
            await driver.press("enter")
            await driver.wait_for(lambda text: label(text) == told)


async def test_nothing_to_compact_is_said_with_the_reason(tmp_path: Path) -> None:
    with Model() as model:
        async with run_app(model, tmp_path, size=(120, 40)) as driver:
            await driver.press("alt+c")
            await driver.wait_for("Nothing to compact: nothing was said yet.")
            assert not driver.app.main.status.working
            await talk(driver, 1)
            await driver.press("alt+c")
            screen = await driver.wait_for("Nothing to compact yet: the conversation has about")
            assert "the latest 20,000 always stay" in screen


async def test_right_after_a_compaction_there_is_nothing_to_compact(tmp_path: Path) -> None:
    with Model(long_turns()) as model:
        async with run_app(model, tmp_path, size=(120, 40), settings=SETTINGS) as driver:
            await talk(driver)
            await driver.send("/compact")
            await driver.wait_for("◆")
            await driver.send("/compact")
            await driver.wait_for("there is only the last summary before it.")


async def test_a_summary_that_fails_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    """B-037."""
    with Model(long_turns()) as model:
        async with run_app(model, tmp_path, settings=SETTINGS) as driver:
            await talk(driver)
            model.summaries = [[Fail("x", Fault("auth", "401 bad key"))]]
            await driver.type("draft")
            await driver.press("alt+c")
            screen = await driver.wait_for("401 bad key")
            assert screen.count("401 bad key") == 1
            assert "end 1" in screen
            assert driver.app.main.editor.text == "draft"
            await driver.wait_for(lambda text: "compacting" not in text)


async def test_escape_cancels_a_compaction_and_brings_the_queue_back(tmp_path: Path) -> None:
    """B-048."""
    with Model(long_turns()) as model:
        async with run_app(model, tmp_path, settings=SETTINGS) as driver:
            await talk(driver)
            model.summaries = [[Wait(asyncio.Event())]]
            await driver.send("/compact")
            await driver.wait_for("compacting…")
            await driver.send("sent meanwhile")
            await driver.type("later")
            await driver.press("alt+enter")
            screen = await driver.wait_for("follow-up: later")
            assert "steer: sent meanwhile" in screen
            await driver.press("escape")
            await driver.settle()
            assert driver.app.main.editor.text == "sent meanwhile\n\nlater"
            assert "◆" not in driver.text()
            await driver.wait_for("Cancelled.")


async def test_what_is_sent_during_a_compaction_is_delivered_after_it(tmp_path: Path) -> None:
    """B-048."""
    with Model(long_turns()) as model:
        async with run_app(model, tmp_path, settings=SETTINGS) as driver:
            await talk(driver)
            gate = asyncio.Event()
            model.summaries = [[Wait(gate), Say("the gist")]]
            await driver.send("/compact")
            await driver.wait_for("compacting…")
            await driver.send("sent meanwhile")
            await driver.wait_for("steer: sent meanwhile")
            gate.set()
            screen = await driver.wait_for(lambda text: "▌ sent meanwhile" in text and "an answer" in text)
            assert screen.index("◆") < screen.index("▌ sent meanwhile")
            assert screen.count("sent meanwhile") == 1
            await driver.settle()
            said = [m for m in driver.session.agent.state.messages if isinstance(m, UserMessage)]
            assert text_of(said[-1].content) == "sent meanwhile"


async def test_a_summary_request_that_fails_in_passing_is_made_again(tmp_path: Path) -> None:
    with Model(long_turns()) as model:
        async with run_app(model, tmp_path, settings={**SETTINGS, "retry.baseDelayMs": 60_000}) as driver:
            await talk(driver)
            model.summaries = [[BUSY]]
            await driver.send("/compact")
            await driver.wait_for("retrying in 1 min 0 s (1/3): 529 overloaded · esc to cancel")
            await driver.press("escape")
            await driver.wait_for("Cancelled.")
            assert not driver.app.main.status.working


async def test_a_full_context_is_compacted_by_itself(tmp_path: Path) -> None:
    full = Reply([Say("word " * 50)], usage=Usage(input=90_000, output=10, total_tokens=90_010))
    with Model([*long_turns(1), full, [Say("goes on")]]) as model:
        async with run_app(model, tmp_path, settings=SETTINGS) as driver:
            gate = asyncio.Event()
            model.summaries = [[Wait(gate), Say("the gist")]]
            await driver.send("question 0")
            await driver.settle()
            await driver.send("question 1")
            screen = await driver.wait_for("compacting…")
            assert "the context is nearly full" in screen
            gate.set()
            await driver.settle()
            assert "◆ Earlier conversation, summarised (90," in driver.text()


async def test_a_call_that_did_not_fit_is_made_again_after_a_compaction(tmp_path: Path) -> None:
    """The answer that failed is marked as one that was tried again."""
    too_long = Fail("x", Fault("overflow", "400 prompt is too long"))
    with Model([*long_turns(), [too_long], [Say("it fits now")]]) as model:
        async with run_app(model, tmp_path, settings=SETTINGS) as driver:
            await talk(driver)
            await driver.send("more")
            await driver.settle()
            screen = driver.text()
            places = [
                screen.index(each)
                for each in ("↻ failed, tried again: 400 prompt", "◆ Earlier", "it fits now")
            ]
            assert places == sorted(places)
            assert "✗" not in screen


async def test_when_compacting_does_not_help_it_is_said(tmp_path: Path) -> None:
    """B-034."""
    too_long = Fail("x", Fault("overflow", "400 prompt is too long"))
    with Model([*long_turns(), [too_long], [too_long]]) as model:
        async with run_app(model, tmp_path, settings=SETTINGS) as driver:
            await talk(driver)
            await driver.send("more")
            await driver.settle()
            screen = driver.text()
            assert "✗ 400 prompt is too long" in screen
            assert "Compacting did not help" in screen
            assert not driver.app.main.status.working


async def test_escape_during_a_compaction_before_a_prompt_ends_both(tmp_path: Path) -> None:
    full = Reply([Say("word " * 50)], usage=Usage(input=79_000, output=10, total_tokens=79_010))
    with Model([*long_turns(1), full, [Say("goes on")]]) as model:
        async with run_app(model, tmp_path, settings=SETTINGS) as driver:
            model.summaries = [[Wait(asyncio.Event())]]
            await driver.send("question 0")
            await driver.settle()
            await driver.send("question 1")
            await driver.settle()
            assert "compacting" not in driver.text()
            state = driver.session.agent.state
            state.model = replace(state.model, context_window=90_000)
            await driver.send("question 2")
            await driver.wait_for("compacting…")
            await driver.send("queued")
            await driver.wait_for("steer: queued")
            await driver.press("escape")
            await driver.settle()
            screen = driver.text()
            assert "▌ question 2" in screen
            assert driver.app.main.editor.text == "queued"
            assert not driver.app.main.status.working
            assert "◆" not in screen
