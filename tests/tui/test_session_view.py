"""What arrives in one go is taken in pieces, so that keys are answered, and drawn where it is seen."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest

from pi_term.render.markdown.stream import MarkdownStream
from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import Say, ScriptedModel
from pi_term.tui import session_view
from pi_term.tui.widgets.transcript import Transcript


async def test_a_burst_that_is_one_block_is_drawn_in_pieces(
    still: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    turns = 0
    prepare = Transcript.prepare

    def counted(transcript: Transcript) -> None:
        drawn.append(turns)
        prepare(transcript)

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    monkeypatch.setattr(Transcript, "prepare", counted)
    text = "- Some **words** of an answer.\n" * 2_000
    with ScriptedModel([[Say(text + "\nThe end.")]]) as script:
        async with run_app(script, still) as driver:
            task = asyncio.create_task(others())
            await driver.send("all at once")
            await driver.wait_for("The end.")
            task.cancel()
            assert len(drawn) >= len(text) // session_view._PIECE_CHARS - 1
            assert len(set(drawn)) == len(drawn), "others had their turn between any two pieces"
            await driver.settle()


async def test_what_nobody_saw_is_drawn_when_it_is_looked_at(
    still: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: set[int] = set()
    lines = MarkdownStream.lines

    def noted(stream: MarkdownStream, *args: object) -> object:
        drawn.add(id(stream))
        return lines(stream, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(MarkdownStream, "lines", noted)
    words = [f"Paragraph {number} of **many**.\n\n" + "More words. " * 40 for number in range(200)]
    text = "\n\n".join(words)
    with ScriptedModel([[Say(text + "\n\nThe end.")]]) as script:
        async with run_app(script, still) as driver:
            await driver.send("all at once")
            await driver.wait_for("The end.")
            await driver.settle()
            assert len(drawn) < 40, "of more than sixty sections"
            await reads_up_to_the_top(driver)
            assert driver.app.main.transcript.copy_text().endswith(text + "\n\nThe end.")


async def reads_up_to_the_top(driver: AppDriver) -> None:
    """Scroll up row by row; every paragraph comes once, in its order, and nothing beside them."""
    transcript = driver.app.main.transcript
    transcript.go_top()
    await driver.wait_for("Paragraph 0")
    rows = [line.text.strip() for item in transcript._items for line in transcript._store.peek(item)]
    heads = [row for row in rows if row.startswith("Paragraph")]
    assert heads == [f"Paragraph {number} of many." for number in range(200)]
    empty = [at for at, row in enumerate(rows) if not row]
    assert all(after - before > 1 for before, after in pairwise(empty))
