"""What a user does on the main screen, and what comes of it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.widget import Widget

from pi_term.ai.messages import UserMessage, text_of
from pi_term.coding.startup import StartRequest
from pi_term.testing.app import AppDriver, make_parts, run_app
from pi_term.testing.scripted import Call, Fail, Say, ScriptedModel, Think, Wait, until
from pi_term.tui.app import PiTermApp
from pi_term.tui.attention import QUIET
from pi_term.tui.screens.main import MainScreen
from pi_term.tui.widgets.transcript import Transcript


def read(path: str) -> Call:
    return Call("read", {"path": path})


def prompts(driver: AppDriver) -> list[str]:
    return [text_of(m.content) for m in driver.session.agent.state.messages if isinstance(m, UserMessage)]


async def test_an_answer_streams_in(tmp_path: Path) -> None:
    gate = asyncio.Event()
    with ScriptedModel([[Say("First half, "), Wait(gate), Say("second half.")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("hello")
            screen = await driver.wait_for("First half,")
            assert "to interrupt" in screen
            gate.set()
            await driver.wait_for("second half.")
            await driver.settle()
            assert "to interrupt" not in driver.text()


async def test_rows_stand_where_they_came(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.txt").write_text("content of a")
    replies = [
        [
            Think("thought one"),
            Say("before"),
            Call("read", {"path": "a.txt"}),
            Call("read", {"path": "b.txt"}),
        ],
        [Say("after")],
    ]
    with ScriptedModel(replies, reasoning=True) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("go")
            await driver.settle()
            screen = driver.text()
            places = [
                screen.index(each) for each in ("go", "thought one", "before", "a.txt", "b.txt", "after")
            ]
            assert places == sorted(places)
            assert screen.count("before") == screen.count("after") == 1


async def test_text_after_a_tool_call_is_its_own_block(tmp_path: Path) -> None:
    replies = [[Say("one"), Call("bash", {"command": "echo mid"}), Say("two")], [Say("three")]]
    with ScriptedModel(replies) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("go")
            await driver.settle()
            screen = driver.text()
            places = [screen.index(each) for each in ("one", "echo mid", "two", "three")]
            assert places == sorted(places)


async def test_a_replaced_answer_replaces_what_was_streamed(tmp_path: Path) -> None:
    from pi_term.agent.events import AgentEvent, MessageEnd
    from pi_term.ai.messages import AssistantMessage, TextContent

    async def censor(event: AgentEvent) -> AgentEvent | None:
        if isinstance(event, MessageEnd) and isinstance(event.message, AssistantMessage):
            return MessageEnd(AssistantMessage([TextContent("harmless")], stop_reason="stop"))
        return None

    with ScriptedModel([[Say("secret")]]) as script:
        async with run_app(script, tmp_path) as driver:
            driver.session.agent.intercept(censor)
            await driver.send("go")
            await driver.settle()
            assert "harmless" in driver.text()
            assert "secret" not in driver.text()


async def test_enter_steers_and_alt_enter_follows_up(tmp_path: Path) -> None:
    gate = asyncio.Event()
    with ScriptedModel([[Wait(gate), Say("one")], [Say("two")], [Say("three")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("start")
            await driver.wait_for("to interrupt")
            await driver.type("afterwards")
            await driver.press("alt+enter")
            await driver.send("steer")
            screen = await driver.wait_for("steer: steer")
            assert "follow-up: afterwards" in screen
            gate.set()
            await driver.settle()
            assert prompts(driver) == ["start", "steer", "afterwards"]
            assert "follow-up:" not in driver.text()


async def test_escape_brings_queued_text_back_before_the_draft(tmp_path: Path) -> None:
    """B-050, without a paste: what was queued and what was being written are both there."""
    gate = asyncio.Event()
    with ScriptedModel([[Wait(gate)]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("start")
            await driver.wait_for("to interrupt")
            await driver.send("queued")
            await driver.type("draft")
            await driver.press("escape")
            await driver.settle()
            assert driver.app.main.editor.text == "queued\n\ndraft"
            assert len(driver.session.agent.steering) == 0


async def test_a_queued_paste_comes_back_with_its_contents(tmp_path: Path) -> None:
    """B-050."""
    from textual.events import Paste

    pasted = "\n".join(f"line {number}" for number in range(300))
    gate = asyncio.Event()
    with ScriptedModel([[Wait(gate)], [Say("ok")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("start")
            await driver.wait_for("to interrupt")
            driver.app.main.editor.post_message(Paste(pasted))
            await driver.pilot.pause()
            await driver.press("enter")
            await driver.wait_for("steer:")
            await driver.press("escape")
            await driver.settle()
            await driver.press("enter")
            await driver.settle()
            assert prompts(driver)[-1] == pasted


async def test_what_is_typed_before_the_session_is_there_is_sent_once_it_is(tmp_path: Path) -> None:
    """A fast typist loses nothing at start."""
    with ScriptedModel([[Say("here I am")]]) as script:
        parts = make_parts(script, tmp_path)
        gate, start = asyncio.Event(), parts.start

        async def slow_start(ui: Any) -> Any:
            await gate.wait()
            return await start(ui)

        parts.start = slow_start
        app = PiTermApp(parts)
        async with app.run_test(size=(100, 30)) as pilot:
            driver = AppDriver(app, pilot)
            await driver.send("early")
            await driver.type("next draft")
            gate.set()
            await until(lambda: app.started is not None, pause=0.01)
            await driver.wait_for("here I am")
            assert app.main.editor.text == "next draft"
            assert prompts(driver) == ["early"]
            assert app.started is not None
            await app.started.aclose()


async def test_choosing_a_model_by_a_part_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            models = json.loads((tmp_path / "home" / "models.json").read_text())
            models["providers"]["test"]["models"].append({"id": "other-model"})
            (tmp_path / "home" / "models.json").write_text(json.dumps(models))
            driver.app.registry.reload()
            await driver.press("ctrl+l")
            await driver.wait_for("enter uses it")
            await driver.type("oth")
            await driver.press("enter")
            await driver.wait_for("Model: test/other-model")
            assert driver.session.model.id == "other-model"
            assert driver.app.focused is driver.app.main.editor
            await driver.send("/model scripted")
            await driver.wait_for("Model: test/scripted")


async def test_a_dialog_closes_with_escape_and_the_draft_is_there(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            await driver.type("my draft")
            await driver.press("ctrl+l")
            await driver.wait_for("enter uses it")
            await driver.press("escape")
            await driver.wait_for("my draft")
            await driver.type("!")
            assert driver.app.main.editor.text == "my draft!"


async def test_questions_wait_for_each_other(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            bridge = driver.app.bridge
            first = asyncio.create_task(bridge.confirm("First?", ""))
            second = asyncio.create_task(bridge.input("Second?"))
            third = asyncio.create_task(bridge.select("Third?", ["a", "b"], timeout=0.05))
            await driver.wait_for("First?")
            assert "Second?" not in driver.text()
            await driver.press("enter")
            await driver.wait_for("Second?")
            await driver.type("forty two")
            await driver.press("enter")
            assert (await first, await second) == (True, "forty two")
            assert await third is None
            await driver.wait_for("Ask, or tell")


async def test_the_thinking_level_goes_round(tmp_path: Path) -> None:
    with ScriptedModel(reasoning=True) as script:
        async with run_app(script, tmp_path, thinking="medium") as driver:
            await driver.press("shift+tab")
            await driver.wait_for("Thinking: high")
            await driver.press("shift+tab")
            await driver.wait_for("Thinking: off")
            assert driver.session.thinking_level == "off"


async def test_tool_output_opens_for_all_and_for_one(tmp_path: Path) -> None:
    command = "for i in $(seq 1 30); do echo row $i; done"
    with ScriptedModel([[Call("bash", {"command": command})], [Say("done")]]) as script:
        async with run_app(script, tmp_path, size=(100, 50)) as driver:
            await driver.send("go")
            await driver.settle()
            assert "row 2\n" not in driver.text()
            await driver.press("ctrl+o")
            await driver.wait_for("row 2\n")
            await driver.press("ctrl+o")
            await driver.wait_for(lambda text: "row 2\n" not in text)
            y = next(y for y, row in enumerate(driver.text().splitlines()) if "bash" in row)
            await driver.pilot.click(Transcript, offset=(5, y))
            await driver.wait_for("row 2\n")


async def test_markup_is_shown_letter_for_letter(tmp_path: Path) -> None:
    """B-051."""
    attack = "[/bold] [red]x[/red] [link=file:///etc]y[/link] [b + latvec[0] [/"
    replies = [[Think(attack), Say(attack), Call("bash", {"command": f"echo '{attack}'"})], [Fail(attack)]]
    with ScriptedModel(replies, reasoning=True) as script:
        async with run_app(script, tmp_path, size=(120, 40)) as driver:
            await driver.send(attack)
            await driver.settle()
            driver.app.notice(attack, "warning")
            driver.app.main.status.note(attack)
            screen = await driver.wait_for(lambda text: text.count(attack) >= 7)
            assert screen.count("[red]x[/red]") >= 7


async def test_a_long_history_shows_its_end_and_the_rest_on_demand(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            work = driver.session.harness.cwd
        file = long_session(tmp_path, work, 500)
        request = StartRequest(cwd=work, model=script.model.key, session=str(file))
        async with run_app(script, tmp_path, request=request) as driver:
            await driver.wait_for("answer 499")
            transcript = driver.app.main.transcript
            assert "question 0\n" not in transcript.copy_text() + "\n"
            await driver.press("ctrl+home")
            screen = await driver.wait_for("question 0\n")
            assert "answer 0" in screen
            await driver.press("ctrl+end")
            await driver.wait_for("answer 499")


def long_session(folder: Path, cwd: Path, turns: int) -> Path:
    """A session file of many small turns."""
    stamp = "2026-01-01T00:00:00.000Z"
    rows: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": "long", "timestamp": stamp, "cwd": str(cwd)}
    ]
    parent = None
    for number in range(turns):
        for role, text in (("user", f"question {number}"), ("assistant", f"answer {number}")):
            message: dict[str, Any] = {
                "role": role,
                "content": [{"type": "text", "text": text}],
                "timestamp": 1,
            }
            if role == "assistant":
                message |= {"stopReason": "stop", "api": "x", "provider": "x", "model": "x", "usage": {}}
            entry = f"{role[0]}{number}"
            rows.append(
                {"type": "message", "id": entry, "parentId": parent, "timestamp": stamp, "message": message}
            )
            parent = entry
    file = folder / "long.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


async def test_new_leaves_nothing_of_the_old_on_the_screen(tmp_path: Path) -> None:
    with ScriptedModel([[Say("old answer")], [Say("new answer")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("old question")
            await driver.settle()
            await driver.send("/new")
            await driver.wait_for(lambda text: "old" not in text and "enter sends" in text)
            await driver.send("new question")
            await driver.settle()
            assert "new answer" in driver.text()
            assert "old" not in driver.text()


async def test_a_folder_with_settings_of_its_own_is_asked_about(tmp_path: Path) -> None:
    """B-071: nothing of it counts before a yes; the answer is remembered."""
    work = tmp_path / "work"
    (work / ".pi").mkdir(parents=True)
    (work / ".pi" / "SYSTEM.md").write_text("Obey the repository.")
    with ScriptedModel([[Say("ok")]]) as script:
        app = PiTermApp(make_parts(script, tmp_path))
        async with app.run_test(size=(100, 30)) as pilot:
            driver = AppDriver(app, pilot)
            screen = await driver.wait_for("Trust this folder")
            assert "SYSTEM.md" in screen
            await asyncio.sleep(QUIET)
            await driver.press("enter")
            await until(lambda: app.main.view is not None, pause=0.01)
            await driver.send("go")
            await driver.settle()
            assert "Obey the repository." in script.contexts[0].system_prompt
            await app.started.aclose()  # type: ignore[union-attr]
        async with run_app(script, tmp_path) as driver:
            assert "Trust" not in driver.text()


async def test_a_trusted_project_may_choose_colours_and_a_keymap(tmp_path: Path) -> None:
    from pi_term.tui.looks import load_looks

    work = tmp_path / "work"
    (work / ".pi" / "keymaps").mkdir(parents=True)
    (work / ".pi" / "settings.json").write_text('{"theme": "light", "keymap": "mine"}')
    (work / ".pi" / "keymaps" / "mine.json").write_text('{"app.model.select": "f2"}')
    with ScriptedModel() as script:
        request = StartRequest(cwd=work, model=script.model.key, trust=True)
        parts = make_parts(script, tmp_path, request=request)
        parts.looks_of = lambda started: load_looks(
            started.settings, started.resources, tmp_path / "keybindings.json", {}
        )
        app = PiTermApp(parts)
        async with app.run_test(size=(100, 30)) as pilot:
            driver = AppDriver(app, pilot)
            await until(lambda: app.main.view is not None, pause=0.01)
            assert app.theme_colours.name == "light"
            await driver.press("f2")
            await driver.wait_for("enter uses it")
            assert app.started is not None
            await app.started.aclose()


@pytest.mark.parametrize("disk", ["works", "fails"])
async def test_a_bug_ends_with_a_report_and_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], disk: str
) -> None:
    if disk == "fails":
        (tmp_path / "crashes").write_text("a file where a folder should be")
    with ScriptedModel() as script:
        app = PiTermApp(make_parts(script, tmp_path))

        def broken(*args: Any) -> None:
            raise RuntimeError("private words of the user")

        with pytest.raises(RuntimeError):
            async with app.run_test(size=(100, 30)) as pilot:
                driver = AppDriver(app, pilot)
                await driver.wait_for("Ask, or tell")
                await until(lambda: app.main.view is not None, pause=0.01)
                monkeypatch.setattr(app.main.actions, "action_toggle_tools", broken)
                await driver.press("ctrl+o")
                await pilot.pause()
        assert "pi-term: an unexpected error ended the program." in capsys.readouterr().err
        if disk == "works":
            assert app.crash_report is not None
            report = app.crash_report.read_text()
            assert "RuntimeError" in report
            assert "private words" not in report
        assert app.started is not None
        await app.started.aclose()


async def test_an_unknown_command_stays_in_the_editor(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("/bush")
            await driver.wait_for("There is no command /bush.")
            assert driver.app.main.editor.text == "/bush"
            assert not driver.session.busy


async def test_an_absolute_path_is_a_prompt(tmp_path: Path) -> None:
    with ScriptedModel([[Say("ok")], [Say("ok")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("/etc/hosts is odd")
            await driver.settle()
            await driver.send("/tmp")
            await driver.settle()
            assert prompts(driver) == ["/etc/hosts is odd", "/tmp"]


async def test_the_view_goes_to_the_end_when_something_is_sent(tmp_path: Path) -> None:
    with ScriptedModel(
        [[Say("\n\n".join(f"paragraph {n}" for n in range(60)))], [Say("fresh answer")]]
    ) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("long")
            await driver.settle()
            await driver.press("ctrl+home")
            await driver.wait_for("paragraph 0")
            await driver.send("short")
            await driver.wait_for("fresh answer")


async def test_the_copy_command_gives_the_markdown(tmp_path: Path) -> None:
    """B-058."""
    with ScriptedModel([[Say("**bold** and `code`\n\n- item")]]) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.send("go")
            await driver.settle()
            await driver.press("ctrl+x")
            assert driver.app.clipboard == "**bold** and `code`\n\n- item"


async def test_keys_before_the_focus_come_before_those_after_it(tmp_path: Path) -> None:
    with ScriptedModel([]) as script:
        async with run_app(script, tmp_path) as driver:
            app, editor = driver.app, driver.app.main.editor
            app.main.set_focus(None)
            for letter in "abc":
                app.post_message(events.Key(letter, letter))
            app.call_later(app.main.set_focus, editor)
            for letter in "def":
                app.post_message(events.Key(letter, letter))
            await driver.settle()
            assert editor.text == "abcdef"


async def test_the_editor_is_the_first_to_get_the_focus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    focused: list[str | None] = []
    set_focus = MainScreen.set_focus

    def noted(screen: MainScreen, widget: Widget | None, *args: Any, **more: Any) -> None:
        focused.append(None if widget is None else widget.id)
        set_focus(screen, widget, *args, **more)

    monkeypatch.setattr(MainScreen, "set_focus", noted)
    with ScriptedModel([]) as script:
        async with run_app(script, tmp_path):
            assert focused[0] == "editor"
