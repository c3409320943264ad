"""The user's own commands: `!` and `!!`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pi_term.coding.messages import BashExecutionMessage
from pi_term.coding.session import MessageEntry
from pi_term.testing.app import AppDriver, make_parts, run_app
from pi_term.testing.scripted import Call, Say, ScriptedModel, Wait, until
from pi_term.tui.app import PiTermApp

GATED = "while [ ! -e go ]; do sleep 0.05; done; echo through"


def rule_colours(driver: AppDriver) -> set[str]:
    strips = driver.app.screen._compositor.render_strips()
    return {
        segment.style.color.name for segment in strips[driver.app.main.editor.region.y] if segment.style.color
    }


def records(driver: AppDriver) -> list[BashExecutionMessage]:
    found = [entry.record() for entry in driver.session.file.tree.branch()]
    return [
        each.message
        for each in found
        if isinstance(each, MessageEntry) and isinstance(each.message, BashExecutionMessage)
    ]


def first_line(record: BashExecutionMessage) -> str:
    assert record.full_output_path is not None
    with open(record.full_output_path) as file:
        return file.readline().strip()


async def shell_done(driver: AppDriver) -> None:
    await until(lambda: not driver.session.shell.running, pause=0.01)
    await driver.wait_for(lambda text: "  running" not in text and "running your" not in text)


async def test_a_command_runs_and_the_model_hears_of_it(tmp_path: Path) -> None:
    with ScriptedModel([[Say("I see")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.type("!echo $((40+2)); exit 3")
            bash_mode = driver.app.theme_colours.hex("bashMode")
            assert rule_colours(driver) == {bash_mode}
            await driver.press("enter")
            screen = await driver.wait_for("Exit code 3.")
            assert "! echo $((40+2)); exit 3" in screen
            assert "  42\n" in screen
            await shell_done(driver)
            assert rule_colours(driver) != {bash_mode}
            assert script.contexts == []
            await driver.send("what was that?")
            await driver.settle()
            assert "echo $((40+2))" in str(script.contexts[0].messages)


async def test_with_two_marks_the_model_never_hears_of_it(tmp_path: Path) -> None:
    with ScriptedModel([[Say("I see nothing")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("!!echo pass''word")
            screen = await driver.wait_for("  password\n")
            assert "(not shown to the model)" in screen
            await shell_done(driver)
            await driver.send("go")
            await driver.settle()
            assert "password" not in str(script.contexts[0].messages)
            assert [each.exclude_from_context for each in records(driver)] == [True]


async def test_an_empty_command_stays_where_it_is(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            for text in ("!", "!!", "! "):
                await driver.type(text)
                await driver.press("enter")
                assert driver.app.main.editor.text == text
                await driver.press("ctrl+u")
            assert not driver.session.busy
            assert not driver.session.shell.running
            assert records(driver) == []


async def test_a_command_runs_while_the_agent_works(tmp_path: Path) -> None:
    """It runs at once; its record follows when the agent has settled: no result is parted from its call."""
    gate = asyncio.Event()
    with ScriptedModel([[Say("thinking hard"), Wait(gate)]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("start")
            await driver.wait_for("thinking hard")
            await driver.send("!echo at''once")
            await driver.wait_for("  atonce\n")
            assert driver.session.busy
            assert "interrupt" in driver.text()
            gate.set()
            await driver.settle()
            assert [each.output for each in records(driver)] == ["atonce\n"]


async def test_output_grows_and_escape_ends_the_command(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send(f"!echo first; {GATED}; echo second; sleep 600")
            await driver.wait_for("  first\n")
            await driver.wait_for("running 1 s")
            assert "running your command" in driver.text()
            (tmp_path / "work" / "go").touch()
            await driver.wait_for("  second\n")
            await driver.press("escape")
            await driver.wait_for("Cancelled.")
            await shell_done(driver)
            assert [each.cancelled for each in records(driver)] == [True]
            assert not driver.app.main.status.working


async def test_escape_ends_the_agent_first_and_then_the_command(tmp_path: Path) -> None:
    with ScriptedModel([[Wait(asyncio.Event())]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("start")
            await driver.wait_for("to interrupt")
            await driver.send("!sleep 600")
            await driver.wait_for("! sleep 600")
            await driver.press("escape")
            await driver.session.wait_settled()
            await driver.wait_for("to stop it")
            assert driver.session.shell.running
            await driver.press("escape")
            await driver.wait_for("Cancelled.")


async def test_output_that_is_cut_tells_where_all_of_it_is(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("!seq 1 5000")
            await driver.wait_for("All of the output:")
            await shell_done(driver)
            (record,) = records(driver)
            assert first_line(record) == "1"


async def test_commands_are_in_the_prompt_history_with_their_mark(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("!echo once")
            await driver.wait_for("  once\n")
            await driver.press("up")
            assert driver.app.main.editor.text == "!echo once"
            assert driver.app.main.editor.in_shell_mode


async def test_alt_enter_runs_a_command_too(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            await driver.type("!echo al''so")
            await driver.press("alt+enter")
            await driver.wait_for("  also\n")
            assert script.contexts == []


async def test_a_folded_paste_that_begins_with_a_mark_is_a_prompt(tmp_path: Path) -> None:
    """What is not shown to be a command is none."""
    from textual.events import Paste

    with ScriptedModel([[Say("ok")]]) as script:
        async with run_app(script, tmp_path) as driver:
            driver.app.main.editor.post_message(Paste("!touch oops\n" * 30))
            await driver.pilot.pause()
            await driver.press("enter")
            await driver.settle()
            assert len(script.contexts) == 1
            assert not (tmp_path / "work" / "oops").exists()


async def test_a_prompt_of_the_command_line_is_no_shell_command(tmp_path: Path) -> None:
    with ScriptedModel([[Say("ok")]]) as script:
        parts = make_parts(script, tmp_path)
        parts.prompts = ["!touch oops"]
        app = PiTermApp(parts)
        async with app.run_test(size=(100, 30)) as pilot:
            driver = AppDriver(app, pilot)
            await until(lambda: app.main.view is not None, pause=0.01)
            await driver.wait_for("ok")
            assert not (tmp_path / "work" / "oops").exists()
            assert app.started is not None
            await app.started.aclose()


async def test_a_command_typed_before_the_session_is_there_runs_once_it_is(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        parts = make_parts(script, tmp_path)
        gate, start = asyncio.Event(), parts.start

        async def slow_start(ui: object) -> object:
            await gate.wait()
            return await start(ui)  # type: ignore[arg-type]

        parts.start = slow_start  # type: ignore[assignment]
        app = PiTermApp(parts)
        async with app.run_test(size=(100, 30)) as pilot:
            driver = AppDriver(app, pilot)
            await driver.send("!echo ear''ly")
            gate.set()
            await driver.wait_for("  early\n")
            assert app.started is not None
            await app.started.aclose()


async def test_quitting_ends_the_command_and_keeps_its_record(tmp_path: Path) -> None:
    with ScriptedModel([[Say("hello")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("hi")
            await driver.settle()
            await driver.send("!echo going; sleep 600; touch survived")
            await driver.wait_for("  going\n")
            file = driver.session.file.path
        assert file is not None
        assert '"command":"echo going; sleep 600; touch survived"' in file.read_text()
        assert not (tmp_path / "work" / "survived").exists()


async def test_markup_and_codes_of_a_command_are_inert(tmp_path: Path) -> None:
    attack = "[/bold] [red]x[/red]"
    with ScriptedModel([[Call("read", {"path": "x"})]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send(f"!printf '{attack} \\033]0;title\\007\\033[2Jend'")
            await driver.wait_for(f"  {attack} end")


async def test_a_question_may_be_answered_with_a_mark(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            asked = asyncio.create_task(driver.app.bridge.input("Which mark?"))
            await driver.wait_for("Which mark?")
            await driver.type("!")
            await driver.press("enter")
            assert await asked == "!"
