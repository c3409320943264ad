"""What arrives in one go is drawn in pieces, so that keys are answered in between."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pi_term.testing.app import run_app
from pi_term.testing.scripted import Say, ScriptedModel
from pi_term.tui import session_view
from pi_term.tui.widgets.transcript import Transcript


async def test_a_burst_is_drawn_in_pieces(still: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    text = "Some **words** of an answer.\n\n" * 2_000
    with ScriptedModel([[Say(text + "The end.")]]) as script:
        async with run_app(script, still) as driver:
            task = asyncio.create_task(others())
            await driver.send("all at once")
            await driver.wait_for("The end.")
            task.cancel()
            assert len(drawn) >= len(text) // session_view._PIECE_CHARS
            assert len(set(drawn)) == len(drawn), "others had their turn between any two pieces"
            await driver.settle()
