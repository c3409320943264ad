"""Going from one session, or one place of it, to another."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from pi_term.ai.messages import UserMessage, text_of
from pi_term.coding.startup import StartRequest
from pi_term.testing.app import AppDriver, run_app, shipped_theme
from pi_term.testing.scripted import Call, Fail, Say, ScriptedModel, Wait, until
from pi_term.testing.sessions import start_scripted
from pi_term.tui.keymap.table import load_table
from pi_term.tui.looks import Looks

TREE = "Session Tree ("


def prompts(driver: AppDriver) -> list[str]:
    return [text_of(m.content) for m in driver.session.agent.state.messages if isinstance(m, UserMessage)]


def files(folder: Path) -> list[Path]:
    return sorted((folder / "home" / "sessions").glob("*/*.jsonl"))


def answers(count: int) -> list[list[Say]]:
    return [[Say(f"answer {number}")] for number in range(count)]


async def talk(driver: AppDriver, *texts: str) -> None:
    for text in texts:
        await driver.send(text)
        await driver.settle()


async def test_the_tree_brings_a_prompt_back_and_shows_its_branch(tmp_path: Path) -> None:
    with ScriptedModel([*answers(2), [Say("another answer")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await talk(driver, "first", "second")
            await driver.press("alt+t")
            screen = await driver.wait_for(TREE)
            assert "→ answer 1" in screen
            assert "← here" in screen
            await driver.press("up", "enter")
            await driver.wait_for("Summarise the branch you leave?")
            await driver.press("enter")
            await driver.wait_for(lambda text: "answer 1" not in text and "Summarise" not in text)
            assert driver.app.main.editor.text == "second"
            await driver.press("ctrl+u")
            await talk(driver, "second, but better")
            screen = driver.text()
            assert "answer 0" in screen
            assert "another answer" in screen
            assert "▌ second\n" not in screen
            assert prompts(driver) == ["first", "second, but better"]
            await driver.send("/tree")
            screen = await driver.wait_for(TREE)
            assert "├⊟ you: second" in screen
            assert "\n  you: second, but better" in screen


async def test_escape_twice_opens_the_tree_and_escape_closes_it(tmp_path: Path) -> None:
    with ScriptedModel(answers(1)) as script:
        async with run_app(script, tmp_path) as driver:
            await talk(driver, "first")
            await driver.type("draft")
            await driver.press("escape", "escape")
            await driver.pilot.pause(0.1)
            assert TREE not in driver.text()
            await driver.press("ctrl+u")
            await driver.press("escape")
            await driver.pilot.pause(0.1)
            assert TREE not in driver.text()
            await until(lambda: not driver.app.main.status.working)
            await asyncio.sleep(0.6)
            await driver.press("escape", "escape")
            await driver.wait_for(TREE)
            await driver.press("escape")
            await driver.wait_for("Ask, or tell")
            assert driver.app.focused is driver.app.main.editor


@pytest.mark.parametrize(
    ("action", "shown"),
    [("fork", "Fork ("), ("rewind", "Go back to before which"), ("none", "Ask, or tell")],
)
async def test_what_escape_twice_does_is_a_setting(tmp_path: Path, action: str, shown: str) -> None:
    with ScriptedModel(answers(1)) as script:
        async with run_app(script, tmp_path, settings={"doubleEscapeAction": action}) as driver:
            await talk(driver, "first")
            await driver.press("escape", "escape")
            await driver.pilot.pause(0.1)
            await driver.wait_for(shown)


async def test_an_impatient_escape_opens_no_tree(tmp_path: Path) -> None:
    with ScriptedModel([[Say("going"), Wait(asyncio.Event())]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("go")
            await driver.wait_for("going")
            await driver.press("escape")
            await driver.session.wait_settled()
            await driver.press("escape", "escape", "escape")
            await driver.pilot.pause(0.1)
            assert TREE not in driver.text()


async def test_a_branch_summary_with_instructions(tmp_path: Path) -> None:
    gate = asyncio.Event()
    with ScriptedModel([*answers(2), [Wait(gate), Say("## Goal\n\nwhat was tried")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await talk(driver, "first", "second")
            await driver.type("draft")
            await driver.press("alt+t")
            await driver.wait_for(TREE)
            await driver.press("up", "enter")
            await driver.wait_for("Summarise the branch you leave?")
            await driver.press("down", "down", "enter")
            await driver.wait_for("pay attention to?")
            await driver.type("mind ZX-9")
            await driver.press("enter")
            screen = await driver.wait_for("summarising the branch…")
            assert "esc to cancel" in screen
            assert "answer 1" in screen
            assert "ZX-9" in str(script.contexts[-1].messages)
            gate.set()
            screen = await driver.wait_for("◆ Summary of the branch that was left")
            assert "answer 1" not in screen
            await driver.wait_for(lambda text: "summarising" not in text)
            assert driver.app.main.editor.text == "second\n\ndraft"


async def test_a_branch_summary_is_cancelled_by_escape_and_nothing_has_moved(tmp_path: Path) -> None:
    with ScriptedModel([*answers(2), [Wait(asyncio.Event())]]) as script:
        async with run_app(script, tmp_path) as driver:
            await talk(driver, "first", "second")
            await driver.press("alt+t")
            await driver.wait_for(TREE)
            await driver.press("up", "enter")
            await driver.wait_for("Summarise the branch you leave?")
            await driver.press("down", "enter")
            await driver.wait_for("summarising the branch…")
            await driver.send("meanwhile")
            await driver.wait_for("steer: meanwhile")
            await driver.press("escape")
            screen = await driver.wait_for(lambda text: "Cancelled." in text and "summarising" not in text)
            assert "answer 1" in screen
            assert driver.app.main.editor.text == "meanwhile"


async def test_a_branch_summary_that_fails_is_told(tmp_path: Path) -> None:
    with ScriptedModel([*answers(2), [Fail("no summary today")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await talk(driver, "first", "second")
            await driver.press("alt+t")
            await driver.wait_for(TREE)
            await driver.press("up", "enter")
            await driver.wait_for("Summarise the branch you leave?")
            await driver.press("down", "enter")
            screen = await driver.wait_for("no summary today")
            assert "answer 1" in screen
            await driver.wait_for(lambda text: "summarising" not in text)


async def test_the_question_about_a_summary_can_be_switched_off(tmp_path: Path) -> None:
    with ScriptedModel(answers(2)) as script:
        async with run_app(script, tmp_path, settings={"branchSummary.skipPrompt": True}) as driver:
            await talk(driver, "first", "second")
            await driver.press("alt+t")
            await driver.wait_for(TREE)
            await driver.press("up", "enter")
            await driver.wait_for(lambda text: "answer 1" not in text and TREE not in text)
            assert driver.app.main.editor.text == "second"


async def test_going_where_one_is_changes_nothing(tmp_path: Path) -> None:
    with ScriptedModel(answers(1)) as script:
        async with run_app(script, tmp_path) as driver:
            await talk(driver, "first", "/name my work")
            await driver.press("alt+t")
            await driver.wait_for(TREE)
            await driver.press("enter")
            await driver.wait_for("You are there already.")


async def test_the_tree_waits_for_the_agent(tmp_path: Path) -> None:
    with ScriptedModel([[Say("going"), Wait(asyncio.Event())]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("go")
            await driver.wait_for("going")
            await driver.press("alt+t")
            await driver.wait_for("→ you: go")
            await driver.press("enter")
            await driver.wait_for("Stop the agent first")
            await driver.press("escape")
            await driver.wait_for("to interrupt")


async def test_a_fork_is_another_session_with_the_prompt_in_the_editor(tmp_path: Path) -> None:
    with ScriptedModel(answers(2)) as script:
        async with run_app(script, tmp_path) as driver:
            await talk(driver, "first", "second")
            await driver.type("draft")
            await driver.press("alt+k")
            screen = await driver.wait_for("→ second")
            assert "Fork (2/2)" in screen
            await driver.press("enter")
            await driver.wait_for(lambda text: "answer 1" not in text and "Fork (" not in text)
            assert driver.app.main.editor.text == "second\n\ndraft"
            assert "answer 0" in driver.text()
            assert len(files(tmp_path)) == 2


async def test_a_clone_is_another_session_that_looks_the_same(tmp_path: Path) -> None:
    with ScriptedModel(answers(2)) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("/clone")
            await driver.wait_for("Nothing was said yet")
            await talk(driver, "first")
            first = driver.session.file.path
            await driver.send("/clone")
            await driver.wait_for("This is a copy")
            assert driver.session.file.path != first
            assert "answer 0" in driver.text()
            await talk(driver, "second")
            assert "answer 1" in driver.text()
            assert len(files(tmp_path)) == 2


async def test_resuming_a_session_by_what_was_said_in_it(tmp_path: Path) -> None:
    with ScriptedModel(answers(3)) as script:
        async with run_app(script, tmp_path) as driver:
            await talk(driver, "about apples", "/new", "about pears", "/name the pears", "/new")
            await driver.type("draft")
            await driver.press("alt+r")
            screen = await driver.wait_for("about apples")
            assert "the pears" in screen
            assert "     2            now" in screen
            await driver.type("apples")
            await driver.press("enter")
            await driver.wait_for(lambda text: "answer 0" in text and "Resume (" not in text)
            assert driver.app.main.editor.text == "draft"
            await driver.press("ctrl+u")
            await driver.send("/resume")
            await driver.wait_for("this one       2            now")
            await driver.press("escape")
            await talk(driver, "more about apples")
            assert prompts(driver) == ["about apples", "more about apples"]


async def test_leaving_while_the_agent_works_brings_the_queue_back(tmp_path: Path) -> None:
    with ScriptedModel([*answers(1), [Wait(asyncio.Event())]]) as script:
        async with run_app(script, tmp_path) as driver:
            await talk(driver, "first", "/new")
            await driver.send("second")
            await driver.wait_for("to interrupt")
            await driver.send("queued")
            await driver.wait_for("steer: queued")
            await driver.press("alt+r")
            await driver.wait_for("this one ")
            await driver.type("first")
            await driver.press("enter")
            await driver.wait_for(lambda text: "answer 0" in text and "Resume (" not in text)
            await driver.settle()
            assert driver.app.main.editor.text == "queued"
            assert "steer:" not in driver.text()


async def test_of_thousands_of_sessions_the_list_opens_at_once(tmp_path: Path) -> None:
    with ScriptedModel(answers(1)) as script:
        async with run_app(script, tmp_path) as driver:
            await talk(driver, "first")
            (file,) = files(tmp_path)
            for number in range(600):
                header, *rest = file.read_text().splitlines()
                other = json.dumps({**json.loads(header), "id": f"s{number}"})
                text = "\n".join([other, *rest]).replace("first", f"talk {number:03}")
                place = file.with_name(f"copy-{number:03}.jsonl")
                place.write_text(text + "\n")
                os.utime(place, (1_000_000 + number, 1_000_000 + number))
            await driver.press("alt+r")
            await driver.wait_for("Resume (1/601)")
            await driver.type("talk 077")
            await driver.press("enter")
            await driver.wait_for("▌ talk 077")


async def test_a_name_is_shown_and_stays(tmp_path: Path) -> None:
    with ScriptedModel(answers(1)) as script:
        async with run_app(script, tmp_path, size=(160, 30)) as driver:
            await driver.send("/name")
            await driver.wait_for("No name yet")
            await driver.send("/name my  work")
            await driver.wait_for("· my work")
            await driver.send("/name")
            await driver.wait_for("This session is named “my work”.")
            await driver.send("/name mine")
            await driver.wait_for("Named “mine”. It was “my work”.")
            await driver.send("/name my work")
            await driver.wait_for("· my work")
            await talk(driver, "first", "/new")
            await driver.wait_for(lambda text: "my work" not in text.splitlines()[-1])
            await driver.wait_for("This is a new session; alt+r goes back to others.")


async def test_facts_about_the_session(tmp_path: Path) -> None:
    with ScriptedModel([[Call("read", {"path": "a"})], [Say("done")]]) as script:
        async with run_app(script, tmp_path, size=(200, 40)) as driver:
            await talk(driver, "first", "/session")
            screen = await driver.wait_for("← here")
            assert "Messages  1 yours, 2 answers, 1 tool results" in screen
            for wanted in (driver.session.file.id, "Tokens", "$0.000", script.model.key, ".jsonl"):
                assert wanted in screen
            await driver.press("escape")
            await driver.wait_for("Ask, or tell")


async def test_importing_a_session(tmp_path: Path) -> None:
    with ScriptedModel(answers(1)) as script:
        async with run_app(script, tmp_path) as driver:
            await talk(driver, "from elsewhere")
            (file,) = files(tmp_path)
            elsewhere = tmp_path / "elsewhere.jsonl"
            elsewhere.write_text(file.read_text())
            await driver.send("/new")
            await driver.wait_for(lambda text: "answer 0" not in text)
            file.unlink()
            await driver.send(f"/import {elsewhere}")
            await driver.wait_for("answer 0")
            assert [each.name for each in files(tmp_path)] == [file.name]


async def test_what_cannot_be_imported_is_told_and_nothing_changes(tmp_path: Path) -> None:
    with ScriptedModel(answers(1)) as script:
        async with run_app(script, tmp_path) as driver:
            await talk(driver, "first")
            (tmp_path / "work" / "notes.md").write_text("# not a session\n")
            await driver.send("/import notes.md")
            screen = await driver.wait_for("✗")
            assert "notes.md" in screen
            assert "answer 0" in screen
            await driver.send("/import")
            await driver.wait_for("Which session file")
            await driver.press("escape")
            await driver.wait_for("Ask, or tell")


async def test_what_is_sent_while_a_session_is_opened_is_shown_once(tmp_path: Path) -> None:
    with ScriptedModel([[Say("one")], [Say("two")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await talk(driver, "first")
            editor = driver.app.main.editor
            for text in ("/new", "!echo al''so", "right after"):
                editor.set_text(text)
                editor.submit()
            await driver.wait_for("two")
            await driver.wait_for("  also\n")
            await driver.settle()
            screen = driver.text()
            assert screen.count("right after") == 1
            assert "first" not in screen


async def test_a_shell_command_survives_a_move(tmp_path: Path) -> None:
    """Its block stays on the screen: while it runs, and when its record still waits to be added."""
    gate = asyncio.Event()
    with ScriptedModel([*answers(2), [Wait(gate), Say("a summary")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await talk(driver, "first", "second")
            await driver.send("!sleep 600")
            await driver.wait_for("! sleep 600")
            await driver.press("alt+t")
            await driver.wait_for(TREE)
            await driver.press("up", "enter")
            await driver.wait_for("Summarise the branch you leave?")
            await driver.press("down", "enter")
            await driver.wait_for("summarising the branch…")
            await driver.send("!echo qu''ick")
            await driver.wait_for("  quick\n")
            gate.set()
            screen = await driver.wait_for("◆ Summary of the branch that was left")
            assert screen.count("! echo qu''ick") == 1
            assert screen.count("! sleep 600") == 1
            driver.session.shell.abort()
            await driver.wait_for("Cancelled.")


async def test_a_session_of_another_folder_brings_its_files_branch_and_colours(tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    (other / ".git" / "HEAD").write_text("ref: refs/heads/feature-x\n")
    (other / "AGENTS.md").write_text("Mind the other rules.")
    with ScriptedModel(answers(1)) as script:
        request = StartRequest(cwd=other, model=script.model.key)
        stored = await start_scripted(script, tmp_path, request=request)
        await stored.session.prompt("over there")
        path = stored.session.file.path
        await stored.aclose()
        async with run_app(script, tmp_path, size=(240, 24)) as driver:
            app = driver.app
            light = Looks(shipped_theme("light"), load_table()[0])
            app.parts.looks_of = lambda started: light
            assert app.started is not None
            assert path is not None
            await app.started.open(path)
            await driver.wait_for(lambda text: "over there" in text and "feature-x" in text)
            assert app.theme_colours is light.theme
            await driver.press("alt+n")
            await driver.wait_for("other/AGENTS.md")
