"""The context lens on the screen."""

from __future__ import annotations

import json
from pathlib import Path

from pi_term.ai.messages import text_of
from pi_term.testing.app import run_app
from pi_term.testing.scripted import Call, Say, ScriptedModel


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
