"""The settings screen: what is told of a setting, and what a change writes."""

from __future__ import annotations

import json
from pathlib import Path

from pi_term.base.json_locate import read_json_file
from pi_term.coding.startup import StartRequest
from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import ScriptedModel
from pi_term.tui.looks import load_looks
from pi_term.tui.screens.settings import SettingsScreen

MINE = '{\n  // mine\n  "retry": {"maxRetries": "many"},\n  "odd": 1,\n}\n'


async def command(driver: AppDriver, text: str) -> None:
    """Send a prompt or command at once."""
    await driver.paste(text)
    await driver.press("enter")


async def narrow(driver: AppDriver, query: str) -> None:
    """Search for a setting, and see it selected."""
    screen = driver.app.screen
    assert isinstance(screen, SettingsScreen)
    await driver.press("ctrl+u")
    await driver.paste(query)
    await driver.wait_for(f"→ {query}")


async def test_settings_are_explained_changed_and_reset(tmp_path: Path) -> None:
    file = tmp_path / "home" / "settings.json"
    file.parent.mkdir()
    file.write_text(MINE)
    with ScriptedModel(reasoning=True) as script:
        request = StartRequest(
            cwd=tmp_path / "work", model=script.model.key, settings={"steeringMode": "all"}
        )
        async with run_app(script, tmp_path, request=request) as driver:
            await command(driver, "/settings")
            await driver.wait_for("Changes go to")
            # A faulty one tells where the fault is; a new value is checked before it is written.
            await narrow(driver, "retry.maxRetries")
            await driver.wait_for(lambda text: text.count("settings.json:3:") == 2)
            await driver.press("enter")
            await driver.press("ctrl+u", "x", "enter")
            await driver.wait_for("retry.maxRetries must be a whole number of at least 0.")
            await driver.press("ctrl+u", "9", "enter")
            await driver.wait_for("retry.maxRetries is 9 now.")
            assert file.read_text() == MINE.replace('"many"', "9")
            # On and off at once; the transcript goes by it.
            await narrow(driver, "hideThinkingBlock")
            await driver.press("enter")
            await driver.wait_for("hideThinkingBlock is true now.")
            assert driver.app.main.transcript.hide_thinking
            await driver.press("ctrl+r")
            await driver.wait_for("hideThinkingBlock is false again.")
            assert not driver.app.main.transcript.hide_thinking
            assert file.read_text() == MINE.replace('"many"', "9").replace("1,", "1")
            # The keys for the next model go by it at once.
            await narrow(driver, "enabledModels")
            await driver.press("enter")
            await driver.paste("test/*, nonesuch")
            await driver.press("enter")
            await driver.wait_for("enabledModels is test/*, nonesuch now.")
            assert [each.model.key for each in driver.session.harness.scope] == ["test/scripted"]
            assert 'No available model matches "nonesuch"' in driver.text()
            # Words to choose from; what a flag says goes before it.
            await narrow(driver, "steeringMode")
            await driver.wait_for("this run: all")
            await driver.press("enter")
            await driver.wait_for("← now")
            await driver.press("up", "enter")
            await driver.wait_for("Saved, but what the flag says goes before it.")
            assert '"steeringMode": "one-at-a-time"' in file.read_text()
            await driver.press("escape")
            await driver.wait_for(lambda text: driver.app.screen is driver.app.main)


async def test_a_project_file_is_written_when_asked_for(tmp_path: Path) -> None:
    project = tmp_path / "work" / ".pi" / "settings.json"
    project.parent.mkdir(parents=True)
    project.write_text('{"treeFilterMode": "all", "prompts": ["./more"]}')
    (project.parent / "more").mkdir()
    with ScriptedModel() as script:
        request = StartRequest(cwd=tmp_path / "work", model=script.model.key, trust=True)
        async with run_app(script, tmp_path, request=request) as driver:
            driver.app.parts.looks_of = lambda started: load_looks(
                started.settings, started.resources, tmp_path / "keybindings.json", {}
            )
            await command(driver, "/settings")
            await driver.wait_for("Changes go to")
            # Of joined lists, what is edited is the part in the file that is written to.
            await narrow(driver, "prompts")
            await driver.wait_for("project: ./more")
            await driver.press("enter")
            shown = await driver.wait_for("Words with commas between them")
            assert shown.splitlines()[-2].strip(" │›") == ""
            await driver.press("escape")
            await narrow(driver, "treeFilterMode")
            await driver.wait_for("default: default · project: all")
            await driver.press("tab")
            await driver.wait_for("work/.pi/settings.json")
            await driver.press("ctrl+r")
            await driver.wait_for("treeFilterMode is default again.")
            await narrow(driver, "defaultProjectTrust")
            await driver.press("enter")
            await driver.wait_for("always")
            await driver.press("down", "enter")
            await driver.wait_for("only the user's own settings file may set this")
            await narrow(driver, "theme")
            await driver.press("enter")
            await driver.wait_for("another value…")
            await driver.paste("high-c")
            await driver.press("enter")
            await driver.wait_for("theme is high-contrast now.")
            assert driver.app.theme_colours.name == "high-contrast"
            assert json.loads(project.read_text()) == {"prompts": ["./more"], "theme": "high-contrast"}
            assert not (tmp_path / "home" / "settings.json").exists()


async def test_groups_have_headings_and_members_of_objects_have_rows(tmp_path: Path) -> None:
    file = tmp_path / "home" / "settings.json"
    file.parent.mkdir()
    file.write_text('{\n  "thinkingBudgets": {"low": 100} // mine\n}\n')
    with ScriptedModel(reasoning=True) as script:
        async with run_app(script, tmp_path, size=(110, 40)) as driver:
            await command(driver, "/settings")
            shown = await driver.wait_for("→ defaultProvider")
            rows = [row.strip() for row in shown.splitlines()]
            assert rows[rows.index("Model and thinking") + 1].startswith("→ defaultProvider")
            # Headings are passed over, also from the first row to the last.
            for _ in range(10):
                await driver.press("down")
            shown = await driver.wait_for("→ crossModelThinking")
            await driver.press("down")
            shown = await driver.wait_for("→ steeringMode")
            assert "Writing, keys and trust" in shown
            await driver.press("up")
            await driver.wait_for("→ crossModelThinking")
            # A member is a row with a value of its own; what is refused can be typed on.
            await narrow(driver, "thinkingBudgets.low")
            await driver.wait_for("default: not set · yours: 100")
            assert "Model and thinking" not in driver.text()
            await driver.press("enter")
            await driver.wait_for("Must be a whole number of at least 0.")
            await driver.paste("k")
            await driver.press("enter")
            shown = await driver.wait_for("thinkingBudgets.low must be a whole number of at least 0.")
            assert "100k" in shown
            await driver.press("backspace", "0", "enter")
            await driver.wait_for("thinkingBudgets.low is 1000 now.")
            await driver.press("ctrl+r")
            await driver.wait_for("thinkingBudgets.low is not set again.")
            assert file.read_text() == "{\n// mine\n}\n"
            # Models are added by name, with a level of those there are.
            await narrow(driver, "modelThinkingLevels")
            await driver.press("enter")
            await driver.wait_for("another model…")
            await driver.press("enter")
            await driver.wait_for("modelThinkingLevels.test/scripted")
            await driver.paste("xhigh")
            await driver.press("enter")
            shown = await driver.wait_for("modelThinkingLevels.test/scripted is xhigh now.")
            assert "→ modelThinkingLevels.test/scripted" in shown
            assert "for 1 model" in shown
            assert read_json_file(file).data == {"modelThinkingLevels": {"test/scripted": "xhigh"}}
            # Of an object of objects, what about the model is asked too.
            await narrow(driver, "compaction.modelOverrides")
            await driver.press("enter")
            await driver.wait_for("another model…")
            await driver.press("down", "enter")
            await driver.wait_for("provider/model")
            await driver.paste("a/b.c")
            await driver.press("enter")
            await driver.wait_for("keepRecentTokens")
            await driver.press("enter")
            await driver.wait_for("compaction.modelOverrides.a/b.c.reserveTokens")
            await driver.paste("5000")
            await driver.press("enter")
            await driver.wait_for("compaction.modelOverrides.a/b.c.reserveTokens is 5000 now.")
            assert read_json_file(file).data["compaction"] == {
                "modelOverrides": {"a/b.c": {"reserveTokens": 5000}}
            }
