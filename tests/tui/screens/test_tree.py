"""The tree over the whole screen, as somebody uses it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pi_term.ai.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage, Usage, UserMessage
from pi_term.coding.session import MessageEntry, SessionFile
from pi_term.coding.startup import StartRequest
from pi_term.testing.app import AppDriver, run_app, shipped_theme
from pi_term.testing.scripted import Call, Say, ScriptedModel
from pi_term.tui.keymap.table import load_table
from pi_term.tui.looks import Looks
from pi_term.tui.screens.tree import TreeScreen

TREE = "Session Tree ("


def said(text: str) -> MessageEntry:
    return MessageEntry(UserMessage([TextContent(text)]))


def answered(text: str, *calls: ToolCall) -> MessageEntry:
    usage = Usage.from_json({"input": 900, "output": 20, "totalTokens": 920, "cost": {"total": 0.25}})
    parts = [*([TextContent(text)] if text else []), *calls]
    return MessageEntry(AssistantMessage(parts, model="m", stop_reason="stop", usage=usage))


def colours(folder: Path) -> Path:
    """A session with a branch that was left: a loud colour was tried in a file, then a natural one chosen."""
    file = SessionFile.create(folder, folder / "work", id="colours")
    file.add(said("which colour?"))
    blue = file.add(answered("Blue is **calm**."))
    file.add(said("no, something loud"))
    file.add(answered("", ToolCall("1", "write", {"path": "red.txt", "content": "red"})))
    file.add(MessageEntry(ToolResultMessage("1", "write", [TextContent("Wrote red.txt")])))
    file.add(answered("Then red."))
    file.tree.leaf = blue
    file.add(said("no, something natural"))
    file.add(answered("Green it is.\n\n" + "\n".join(f"{number}. leaf" for number in range(40))))
    file.flush()
    file.close()
    assert file.path is not None
    return file.path


@asynccontextmanager
async def opened(
    folder: Path, path: Path, size: tuple[int, int] = (120, 30)
) -> AsyncIterator[tuple[AppDriver, ScriptedModel]]:
    (folder / "work").mkdir(exist_ok=True)
    with ScriptedModel([[Say("more")]]) as script:
        request = StartRequest(cwd=folder / "work", model=script.model.key, session=str(path))
        async with run_app(script, folder, size=size, request=request) as driver:
            yield driver, script


async def test_looking_around_in_the_tree(tmp_path: Path) -> None:
    async with opened(tmp_path, colours(tmp_path)) as (driver, _):
        await driver.type("a draft")
        await driver.press("alt+t")
        screen = await driver.wait_for(lambda text: "3 messages" in text or "4 messages" in text)
        assert f"{TREE}7/7)" in screen
        assert "├⊟ you: no, something loud" in screen
        assert "│  ● write red.txt" in screen
        assert "4 messages · $0.50 · 1 file" in screen
        assert "→ Green it is." in screen
        assert "← here" in screen
        await driver.wait_for("$0.250")  # of the answer that is seen beside it
        await driver.wait_for("12. leaf")
        assert "30. leaf" not in driver.text()
        await driver.press("shift+down", "shift+down")
        await driver.wait_for("30. leaf")

        await driver.press("home")
        await driver.wait_for("▌ which colour?")
        await driver.press("ctrl+right")
        await driver.wait_for("→ ├⊟ you: no, something loud")
        await driver.press("ctrl+left")
        screen = await driver.wait_for("→ ├⊞ you: no, something loud")
        assert "Then red." not in screen
        assert f"{TREE}3/5)" in screen
        await driver.press("ctrl+right")
        await driver.wait_for("Then red.")

        await driver.press("ctrl+u")
        screen = await driver.wait_for("[your messages]")
        assert "Then red." not in screen
        await driver.press("ctrl+u")
        await driver.wait_for(f"{TREE}3/7)")
        await driver.press("ctrl+o")
        screen = await driver.wait_for("[no tools]")
        assert "● write" not in screen
        await driver.press("ctrl+a")
        await driver.wait_for("[all]")
        await driver.press("ctrl+d")

        await driver.type("wrote")
        screen = await driver.wait_for(lambda text: f"{TREE}1/1)" in text)
        assert "● write red.txt" in screen
        await driver.press("escape")
        await driver.wait_for("→ │  ● write red.txt")
        await driver.press("escape")
        await driver.wait_for("a draft")
        assert driver.app.focused is driver.app.main.editor
        assert driver.app.main.editor.text == "a draft"


async def test_labels_are_given_shown_with_their_time_and_taken_away(tmp_path: Path) -> None:
    async with opened(tmp_path, colours(tmp_path)) as (driver, _):
        await driver.press("alt+t")
        await driver.wait_for(TREE)
        await driver.press("ctrl+l")
        await driver.wait_for("nothing has a label yet: shift+l gives one")
        await driver.press("ctrl+d")
        await driver.wait_for("→ Green it is.")
        await driver.press("L")
        await driver.wait_for("Label (empty takes it away):")
        await driver.type("good Leaf")
        await driver.press("enter")
        await driver.wait_for("→ [good Leaf] Green it is.")
        await driver.press("T")
        screen = await driver.wait_for("[label times]")
        assert "[good Leaf] Green" not in screen
        await driver.press("T", "ctrl+l")
        await driver.wait_for(f"{TREE}1/1)")
        await driver.press("L")
        await driver.wait_for("takes it away): good Leaf")
        await driver.press("escape")
        await driver.wait_for("[good Leaf]")
        await driver.press("L", "ctrl+u", "enter")
        await driver.wait_for("nothing has a label yet")
        labels = [
            entry.data.get("label") for entry in driver.session.file.tree.entries if entry.type == "label"
        ]
        assert labels == ["good Leaf", None]


async def test_a_question_that_is_not_answered_leads_back_to_the_tree(tmp_path: Path) -> None:
    async with opened(tmp_path, colours(tmp_path)) as (driver, _):
        await driver.press("alt+t")
        await driver.wait_for(TREE)
        await driver.type("loud")
        await driver.wait_for("→ you: no, something loud")
        await driver.press("enter")
        await driver.wait_for("Summarise the branch you leave?")
        await driver.press("escape")
        await driver.wait_for("→ ├⊟ you: no, something loud")
        await driver.press("enter")
        await driver.wait_for("Summarise the branch you leave?")
        await driver.press("enter")
        await driver.wait_for(lambda text: "Green it is" not in text and TREE not in text)
        assert driver.app.main.editor.text == "no, something loud"


async def test_keys_that_are_typed_before_a_long_tree_is_there_count(tmp_path: Path) -> None:
    file = SessionFile.create(tmp_path, tmp_path / "work", id="long")
    for number in range(1_500):
        file.add(said(f"question {number}"))
        file.add(answered(f"reply {number}"))
    file.flush()
    assert file.path is not None
    async with opened(tmp_path, file.path) as (driver, _):
        await driver.press("alt+t", "up", "up", "up")
        await driver.wait_for("→ you: question 1498")
        await driver.type("question 1477")
        await driver.press("enter")
        await driver.wait_for("Summarise the branch you leave?")
        await driver.press("enter")
        await driver.wait_for(lambda text: "reply 1499" not in text and "Summarise" not in text)
        assert driver.app.main.editor.text == "question 1477"


async def test_the_mouse_selects_and_a_double_click_goes_there(tmp_path: Path) -> None:
    async with opened(tmp_path, colours(tmp_path)) as (driver, _):
        await driver.press("alt+t")
        screen = await driver.wait_for("→ Green it is.")
        row = next(y for y, line in enumerate(screen.splitlines()) if "you: which colour?" in line)
        await driver.pilot.click(offset=(8, row))
        await driver.wait_for("→ you: which colour?")
        await driver.pilot.click(offset=(8, row), times=2)
        await driver.wait_for("Summarise the branch you leave?")


async def test_files_are_brought_back_where_one_wants_that(tmp_path: Path) -> None:
    work = tmp_path / "work"
    writes = [[Call("write", {"path": "a.txt", "content": content})] for content in ("one\n", "two\nlines\n")]
    with ScriptedModel([writes[0], [Say("wrote one")], writes[1], [Say("wrote two")]]) as script:
        async with run_app(script, tmp_path, settings={"branchSummary.skipPrompt": True}) as driver:
            for prompt in ("first", "second"):
                await driver.send(prompt)
                await driver.settle()
            await driver.press("alt+t")
            await driver.wait_for("→ wrote two")
            await driver.type("second")
            await driver.wait_for("→ you: second")
            await driver.press("enter")
            screen = await driver.wait_for("What about them?")
            assert "a.txt would be changed back +1 -2" in screen
            await driver.press("escape")
            await driver.wait_for(TREE)
            assert (work / "a.txt").read_text() == "two\nlines\n"
            await driver.press("enter")
            await driver.wait_for("What about them?")
            await driver.press("end", "down", "down", "enter")
            await driver.wait_for("[x] a.txt")
            await driver.press("escape")
            await driver.wait_for("What about them?")
            await driver.press("down", "enter")
            await driver.wait_for("1 file restored.")
            assert (work / "a.txt").read_text() == "one\n"
            assert driver.app.main.editor.text == "second"


async def test_the_tree_follows_a_change_of_colours_and_keys(tmp_path: Path) -> None:
    async with opened(tmp_path, colours(tmp_path)) as (driver, _):
        await driver.press("alt+t")
        await driver.wait_for("→ Green it is.")
        light = shipped_theme("light")
        driver.app.use_looks(Looks(light, load_table()[0]))
        assert isinstance(driver.app.screen, TreeScreen)
        assert driver.app.screen.theme_colours is light
        await driver.press("up")
        await driver.wait_for("→ you: no, something natural")
