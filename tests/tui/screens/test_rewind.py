"""Going back with the files, on the screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pi_term.base.json import JsonObject
from pi_term.testing.app import run_app
from pi_term.testing.scripted import Call, Say, ScriptedModel

OLD = "".join(f"line {number}\n" for number in range(1, 21))


def edit(old: str, new: str) -> Call:
    return Call("edit", {"path": "a.txt", "edits": [{"oldText": old, "newText": new}]})


def replies() -> list[Any]:
    return [
        [edit("line 3\n", "line three\n"), Call("write", {"path": "new.py", "content": "x = 1\n"})],
        [Say("First done.")],
        [edit("line 9\n", "line nine\n")],
        [Say("Second done.")],
    ]


async def test_back_with_the_files_and_forth_again(tmp_path: Path) -> None:
    with ScriptedModel(replies()) as script:
        async with run_app(script, tmp_path) as driver:
            work = tmp_path / "work"
            (work / "a.txt").write_text(OLD)
            for prompt in ("first task", "second task"):
                await driver.send(prompt)
                await driver.settle()
            after = (work / "a.txt").read_text()
            await driver.type("draft")
            await driver.press("alt+u")
            await driver.wait_for("Go back to before which prompt?")
            await driver.wait_for("+ line 9")
            await driver.press("up")
            screen = await driver.wait_for("deleted")
            assert "+ line 3" in screen
            await driver.press("enter")
            screen = await driver.wait_for("Go back to before “first task”")
            assert "The conversation and the files  2 files" in screen
            await driver.press("escape")
            await driver.wait_for("Go back to before which prompt?")
            await driver.press("up", "enter")
            await driver.wait_for("Go back to before “first task”")
            await driver.press("enter")
            await driver.wait_for("2 files restored.")
            assert (work / "a.txt").read_text() == OLD
            assert not (work / "new.py").exists()
            assert driver.app.main.editor.text == "first task\n\ndraft"
            await driver.press("alt+u", "end")
            screen = await driver.wait_for("+ line three")
            assert "Undo the last restore of files" in screen
            await driver.press("enter")
            await driver.wait_for("Undo the last restore?")
            await driver.press("enter")
            await driver.wait_for("· 2 files restored. /rewind can undo that.")
            assert (work / "a.txt").read_text() == after
            assert (work / "new.py").read_text() == "x = 1\n"
            assert driver.app.main.editor.text == "first task\n\ndraft"


async def test_a_count_says_what_the_preview_shows(tmp_path: Path) -> None:
    done = [Say("Done.")]
    work = [[edit("one", "two")], done, [Say("Nothing to do.")], [edit("two", "one")], done]
    with ScriptedModel(work) as script:
        async with run_app(script, tmp_path) as driver:
            path = tmp_path / "work" / "a.txt"
            path.write_text("one\n")
            for prompt in ("there", "stay", "and back"):
                await driver.send(prompt)
                await driver.settle()

            def rows(screen: str) -> list[list[str]]:
                lines = [line.lstrip("→ ") for line in screen.splitlines()]
                shown = [line for line in lines if line.startswith(("there", "stay", "and back"))]
                return [line.split("  ", 1) for line in shown]

            await driver.press("alt+u")
            screen = await driver.wait_for("files as now")
            told = {row[0]: row[1].strip() if row[1:] else "" for row in rows(screen)[-3:]}
            assert told == {"there": "files as now", "stay": "1 file", "and back": "1 file"}
            await driver.press("up", "up")
            await driver.wait_for("No file would be different.")
            await driver.press("down")
            await driver.wait_for("+ two")
            await driver.press("escape")
            path.write_text("mine\n")
            await driver.press("alt+u")
            screen = await driver.wait_for("1 file")
            assert [row[1].strip() for row in rows(screen)[-3:]] == ["1 file"] * 3


async def test_what_somebody_else_changed_is_left_alone_unless_ticked(tmp_path: Path) -> None:
    with ScriptedModel(replies()) as script:
        async with run_app(script, tmp_path) as driver:
            work = tmp_path / "work"
            (work / "a.txt").write_text(OLD)
            for prompt in ("first task", "second task"):
                await driver.send(prompt)
                await driver.settle()
            (work / "a.txt").write_text("mine\n")
            await driver.send("/rewind")
            await driver.press("up", "enter")
            screen = await driver.wait_for("1 file; 1 more that somebody else changed is left alone")
            assert "The files only" in screen
            await driver.press("down", "down", "down", "enter")
            screen = await driver.wait_for("Which files go back?")
            assert "[ ] a.txt  somebody else has changed it since" in screen
            assert "[x] new.py  deleted" in screen
            await driver.wait_for("- mine")
            await driver.press("space", "enter")
            await driver.wait_for("The conversation and the files  2 files")
            await driver.press("down", "down", "enter")
            await driver.wait_for("2 files restored.")
            assert (work / "a.txt").read_text() == OLD
            assert not (work / "new.py").exists()
            script.replies = [[Say("I see.")]]
            await driver.send("go on")
            await driver.settle()
            told = [str(message.content) for message in script.contexts[-1].messages]
            assert any("a.txt (as before)" in each and "new.py (removed)" in each for each in told)
            assert "second task" in driver.text()


async def test_how_it_looks(still: Path, picture: Any) -> None:
    with ScriptedModel(replies()) as script:
        async with run_app(script, still, size=(130, 30)) as driver:
            (still / "work" / "a.txt").write_text(OLD)
            for prompt in ("Say the numbers in words", "All of them"):
                await driver.send(prompt)
                await driver.settle()
            await driver.press("alt+u", "up")
            await driver.wait_for(lambda text: "+ line 3" in text and "1 file" in text)
            assert driver.picture() == picture(name="prompts")
            await driver.press("enter")
            await driver.wait_for("Choose files…")
            assert driver.picture() == picture(name="question")
            await driver.press("up", "enter")
            await driver.wait_for("Which files go back?")
            await driver.wait_for("+ line 3")
            assert driver.picture() == picture(name="files")


async def test_a_session_that_keeps_nothing_says_so(tmp_path: Path) -> None:
    settings: JsonObject = {"checkpoints.enabled": False}
    with ScriptedModel(replies()[:2]) as script:
        async with run_app(script, tmp_path, settings=settings) as driver:
            (tmp_path / "work" / "a.txt").write_text(OLD)
            await driver.send("/rewind")
            await driver.wait_for("There is no prompt to go back to yet.")
            await driver.send("first task")
            await driver.settle()
            await driver.send("/rewind")
            await driver.wait_for("What files held before is not kept in this session.")
            await driver.press("enter", "enter")
            await driver.wait_for(lambda text: "First done." not in text and "Go back" not in text)
            assert driver.app.main.editor.text == "first task"
            assert "line three" in (tmp_path / "work" / "a.txt").read_text()
