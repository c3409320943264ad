"""The sessions over the whole screen, as somebody uses them."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from pi_term.ai.messages import AssistantMessage, TextContent, UserMessage
from pi_term.base.errors import PiTermError
from pi_term.coding.session import MessageEntry, SessionFile, SessionInfoEntry
from pi_term.coding.session.folders import files_below
from pi_term.coding.session.locate import folder_for_cwd
from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import ScriptedModel
from pi_term.tui.screens.resume import ResumeScreen

NOW = 1_700_000_000


def said(text: str) -> MessageEntry:
    return MessageEntry(UserMessage([TextContent(text)]))


def answered(text: str) -> MessageEntry:
    return MessageEntry(AssistantMessage([TextContent(text)], stop_reason="stop"))


def store(folder: Path, cwd: Path, *texts: str, name: str | None = None, age: int = 0) -> SessionFile:
    """A session of `cwd` in which question and answer were these, written to `age` seconds before others."""
    file = SessionFile.create(folder_for_cwd(folder / "home" / "sessions", cwd), cwd)
    for number, text in enumerate(texts):
        file.add(answered(text) if number % 2 else said(text))
    if name is not None:
        file.add(SessionInfoEntry(name=name))
    file.flush()
    file.close()
    assert file.path is not None
    os.utime(file.path, (NOW - age, NOW - age))
    return file


def shelf(folder: Path) -> dict[str, Path]:
    """Sessions of the folder in which the program runs, of another one, and of one that is gone."""
    (folder / "work").mkdir()
    (folder / "other").mkdir()
    long = [f"{'reply' if number % 2 else 'question'} {number}" for number in range(200)]
    made = {
        "apples": store(folder, folder / "work", "about apples", "They are red.", age=10),
        "long": store(folder, folder / "work", "a long talk", *long, name="the long one", age=20),
        "pears": store(folder, folder / "work", "about pears", "Green\nmostly.", name="orchard", age=30),
        "other": store(folder, folder / "other", "over there", "Far away.", age=40),
        "gone": store(folder, folder / "gone", "long ago", "Apples, too.", age=50),
    }
    return {name: file.path for name, file in made.items() if file.path is not None}


async def open_list(driver: AppDriver) -> str:
    await driver.press("alt+r")
    return await driver.wait_for("Resume (1/3)")


async def test_looking_for_a_session(tmp_path: Path) -> None:
    shelf(tmp_path)
    with ScriptedModel() as script:
        async with run_app(script, tmp_path, size=(140, 30)) as driver:
            await driver.type("draft")
            screen = await open_list(driver)
            titles = ["→ about apples", "the long one", "orchard"]
            assert [screen.index(title) for title in titles] == sorted(screen.index(t) for t in titles)
            await driver.wait_for("They are red.")  # of the selected one
            await driver.press("down", "down")
            await driver.wait_for("mostly.")
            await driver.press("ctrl+s")
            screen = await driver.wait_for("by name")
            assert screen.index("orchard") < screen.index("the long one") < screen.index("about apples")
            assert "→ orchard" in screen
            await driver.press("ctrl+s")
            await driver.wait_for("by messages")
            await driver.press("ctrl+n")
            screen = await driver.wait_for("named only")
            assert "about apples" not in screen
            await driver.press("ctrl+n", "ctrl+p")
            await driver.wait_for(".jsonl")
            await driver.press("ctrl+p", "tab")
            screen = await driver.wait_for("Resume (1/5) all folders")
            assert "folder is gone" in screen
            assert "over there" in screen
            await driver.press("escape")
            await driver.wait_for("draft")
            assert driver.app.focused is driver.app.main.editor


async def test_a_search_finds_what_was_said_and_leads_there(tmp_path: Path) -> None:
    shelf(tmp_path)
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            await open_list(driver)
            await driver.press("tab")
            await driver.type("APPLES")
            screen = await driver.wait_for("Resume (1/4)")
            assert "2 sessions" in screen
            assert "Apples, too." in screen
            assert "the long one" not in screen
            await driver.press("escape")
            await driver.wait_for("Resume (1/5)")
            await driver.type("re:apples(, too")
            await driver.wait_for("No pattern: unclosed group.")
            await driver.type(")?.?$")
            screen = await driver.wait_for(lambda text: "2 sessions" in text and "looking" not in text)
            assert "Apples, too." in screen
            await driver.press("escape")
            await driver.wait_for("Resume (1/5)")
            await driver.type("reply 31")
            await driver.wait_for("the long one")
            await driver.press("enter")
            screen = await driver.wait_for(lambda text: "▌ reply 31\n" in text and "Resume (" not in text)
            assert "reply 199" not in screen
            assert "↓ end" in screen


@pytest.mark.parametrize("wanted", [True, False])
def test_what_is_wrong_is_told_only_of_the_query_of_now(wanted: bool) -> None:
    screen = SimpleNamespace(note="")
    with ResumeScreen._telling(screen, lambda: wanted):  # type: ignore[arg-type]
        raise PiTermError("bad_pattern", "No pattern: unclosed group.")
    assert bool(screen.note) == wanted


async def test_what_was_said_on_a_branch_that_was_left_is_shown_there(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    file = store(tmp_path, tmp_path / "work", "which colour?", "Blue.")
    assert file.path is not None
    again = SessionFile.open(file.path)
    blue = again.tree.leaf
    again.add(said("try red"))
    again.add(answered("Red, then."))
    again.tree.leaf = blue
    again.add(said("try green"))
    again.add(answered("Green."))
    again.flush()
    again.close()
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            await driver.press("alt+r")
            await driver.wait_for("Resume (1/1)")
            await driver.type("red, then")
            await driver.press("enter")
            await driver.wait_for(lambda text: "Red, then." in text and "Green." not in text)
            await driver.wait_for("This is a branch that was left")


async def test_renaming_and_deleting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")  # no trash: what is deleted is gone
    made = shelf(tmp_path)
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            await open_list(driver)
            await driver.press("ctrl+r")
            await driver.wait_for("Name:")
            await driver.type("fruit")
            await driver.press("enter")
            await driver.wait_for("→ fruit")
            assert made["apples"].stat().st_mtime == NOW - 10
            await driver.press("ctrl+r", "ctrl+u", "enter")
            await driver.wait_for("cannot be empty")
            await driver.press("down", "ctrl+d")
            await driver.wait_for("Delete “the long one”?")
            await driver.press("escape")
            await driver.wait_for("Resume (2/3)")
            assert made["long"].exists()
            await driver.press("ctrl+d", "enter")
            await driver.wait_for("Deleted.")
            await driver.wait_for("Resume (2/2)")
            assert not made["long"].exists()
            await driver.press("home", "enter")
            await driver.wait_for("They are red.")
            await driver.press("alt+r")
            await driver.wait_for("this one")
            await driver.press("ctrl+d")
            await driver.wait_for("go to another one first")
            assert made["apples"].exists()


async def test_a_session_whose_folder_is_gone_is_settled_or_stays_closed(tmp_path: Path) -> None:
    shelf(tmp_path)
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            for answer, shown in (("escape", "It was not opened."), ("enter", "Apples, too.")):
                await driver.press("alt+r", "tab")
                await driver.wait_for("Resume (1/5) all")
                await driver.press("end", "enter")
                await driver.wait_for("Continue in this folder")
                await driver.press(answer)
                await driver.wait_for(lambda text, shown=shown: shown in text and "Continue" not in text)
            assert driver.session.harness.cwd == tmp_path / "work"


async def test_the_list_is_there_before_the_program_was_ever_used(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            await driver.press("alt+r")
            await driver.wait_for("there are no sessions of this folder yet: tab looks in all folders")
            await driver.type("x")
            await driver.wait_for("nothing was said like that")
            await driver.press("enter", "escape", "escape")
            await driver.wait_for("Ask, or tell")
            assert files_below(tmp_path / "home" / "sessions") == []
