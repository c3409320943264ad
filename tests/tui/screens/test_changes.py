"""What the agent changed, on the screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pi_term.testing.app import run_app
from pi_term.testing.scripted import Call, Say, ScriptedModel

OLD = "".join(f"line {number}\n" for number in range(1, 31))
EDITS = [
    {"oldText": "line 3\n", "newText": "line three\n"},
    {"oldText": "line 25\n", "newText": "line 25\nline 25 and a half\n"},
]


async def test_a_hunk_is_taken_back_brought_again_and_talked_about(tmp_path: Path) -> None:
    replies = [[Call("edit", {"path": "a.txt", "edits": EDITS})], [Say("Edited.")]]
    with ScriptedModel(replies) as script:
        async with run_app(script, tmp_path) as driver:
            file = tmp_path / "work" / "a.txt"
            file.write_text(OLD)
            await driver.send("edit it")
            await driver.settle()
            edited = file.read_text()
            await driver.type("draft")
            await driver.press("alt+g")
            screen = await driver.wait_for("1 file")
            assert "a.txt" in screen
            assert "line 26" in screen
            await driver.press("down", "ctrl+r")
            await driver.wait_for("Taken back.")
            assert file.read_text() == OLD.replace("line 25\n", "line 25\nline 25 and a half\n")
            await driver.press("alt+z")
            await driver.wait_for("a.txt is as it was before")
            assert file.read_text() == edited
            await driver.press("down", "enter")
            await driver.wait_for("+line 25 and a half")
            text = driver.app.main.editor.text
            assert text.startswith("About this change in a.txt, line 26:")
            assert "+line 25 and a half" in text
            assert text.endswith("draft")


async def test_since_the_last_prompt(tmp_path: Path) -> None:
    replies = [
        [Call("write", {"path": "first.txt", "content": "1\n"})],
        [Say("ok")],
        [Call("write", {"path": "second.txt", "content": "2\n"})],
        [Say("ok")],
    ]
    with ScriptedModel(replies) as script:
        async with run_app(script, tmp_path) as driver:
            for prompt in ("one", "two"):
                await driver.send(prompt)
                await driver.settle()
            await driver.send("/changes")
            await driver.wait_for("2 files")
            await driver.press("tab")
            screen = await driver.wait_for("1 file ")
            assert "second.txt" in screen
            assert "first.txt" not in screen
            await driver.press("escape")
            await driver.wait_for("▌ two")


async def test_how_it_looks(still: Path, picture: Any) -> None:
    replies = [
        [
            Call("edit", {"path": "a.txt", "edits": EDITS}),
            Call("write", {"path": "b.py", "content": "x = 1\n"}),
        ],
        [Say("Edited.")],
    ]
    with ScriptedModel(replies) as script:
        async with run_app(script, still, size=(130, 30)) as driver:
            (still / "work" / "a.txt").write_text(OLD)
            await driver.send("edit it")
            await driver.settle()
            await driver.press("alt+g")
            await driver.wait_for("2 files")
            await driver.press("down")
            await driver.wait_for("+ line three")
            await driver.wait_for(lambda text: "half" not in text.split("│")[-1])
            assert driver.picture() == picture
