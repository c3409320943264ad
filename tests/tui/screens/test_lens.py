"""The context lens on the screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.messages import text_of
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.lens import Block, CacheView, ContextView
from pi_term.testing.app import run_app
from pi_term.testing.scripted import Call, Say, ScriptedModel
from pi_term.tui.screens import lens


async def test_a_message_is_left_out_and_the_rest_is_shown(tmp_path: Path) -> None:
    replies = [[Say("I look."), Call("bash", {"command": "echo found"})], [Say("There.")], [Say("Fine.")]]
    with ScriptedModel(replies) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("where is it?")
            await driver.settle()
            await driver.type("draft")
            await driver.press("alt+i")
            screen = await driver.wait_for("what follows is new")
            for title in ("read  ", "preamble", "You  where is it?", "Result of bash  found"):
                assert title in screen
            await driver.type("where")
            await driver.wait_for("1/1")
            await driver.press("enter")
            await driver.wait_for("taken out of the model's view")
            await driver.press("escape", "escape")
            await driver.wait_for("draft")
            assert driver.app.main.editor.text == "draft"
            await driver.press("enter")
            await driver.settle()
            asked = [text_of(each.content) for each in script.contexts[-1].messages]
            assert "where is it?" not in asked
            assert asked[-1] == "draft"


async def test_it_is_written_as_json(tmp_path: Path) -> None:
    with ScriptedModel([[Say("hi")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("hello")
            await driver.settle()
            await driver.send("/context")
            await driver.wait_for("what follows is new")
            await driver.press("ctrl+s")
            await driver.wait_for("Written to")
            (path,) = (tmp_path / "work").glob("context-*.json")
            titles = [block["title"] for block in json.loads(path.read_text())["blocks"]]
            assert titles[-2:] == ["You", "Assistant"]


BLOCKS = [
    Block("tool", "read", "Read a file.", 124, cached=True),
    Block("prompt", "preamble", "You are the coding agent of pi-term.", 50, cached=True),
    Block("summarized", "Earlier conversation", "40 earlier messages.", 30_000, "left_out", "compacted"),
    Block("message", "Summary of what came before", "## Goal", 900, cached=True),
    Block("message", "You", "look at [b]this[/b] \x1b[31m", 2_300, entry_id="a", editable=True, cached=True),
    Block("message", "Result of bash", "(left out)", 12, "changed", "an edit put this in its place"),
    Block("message", "Assistant", "no", 400, "left_out", "taken out of the model's view", "b", True),
    Block("message", "You", "go on", 2, entry_id="c", editable=True),
]


@pytest.mark.parametrize("size", [(60, 20), (130, 30)], ids=["60x20", "130x30"])
async def test_how_it_looks(
    still: Path, picture: Any, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    async def look(session: AgentSession) -> ContextView:
        return ContextView(session.model, BLOCKS, CacheView("what follows is new"))

    monkeypatch.setattr(lens, "look", look)
    with ScriptedModel() as script:
        async with run_app(script, still, size=size) as driver:
            await driver.press("alt+i")
            await driver.wait_for("what follows is new")
            await driver.press(*["down"] * 4)
            await driver.wait_for("go on" if size[1] < 30 else "[b]this[/b]")
            await driver.pilot.pause(0.2)
            assert driver.picture() == picture
