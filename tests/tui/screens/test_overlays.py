"""The screens over the main one: reached by command, key and palette, closed with Escape, the draft kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import Say, ScriptedModel
from pi_term.tui.driver.reports import KeyboardReported
from pi_term.tui.looks import load_looks
from pi_term.tui.screens.hotkeys import key_limit

DRAFT = "half a thought"
SCREENS = {
    "What is to be done?": "app.palette",
    "thinks: off": "app.model.select",
    "Models to go through": "app.model.scoped",
    "scripted think?": "app.thinking.select",
    "Changes go to": "app.settings",
    "light/dark": "app.theme",
    "keybindings.json is applied": "app.keymap",
    "* may not arrive": "app.hotkeys",
    "Trust is no sandbox": "app.trust",
    "What is new": "app.changelog",
}


async def command(driver: AppDriver, text: str) -> None:
    """Send a prompt or command at once."""
    await driver.paste(text)
    await driver.press("enter")


async def closed(driver: AppDriver) -> None:
    await driver.wait_for(lambda text: driver.app.screen is driver.app.main)


def settings_of(folder: Path) -> dict[str, object]:
    file = folder / "home" / "settings.json"
    return dict(json.loads(file.read_text())) if file.exists() else {}


def use_real_looks(driver: AppDriver, folder: Path) -> None:
    """Colours and keys as the settings say, as in the program."""
    driver.app.parts.looks_of = lambda started: load_looks(
        started.settings, started.resources, folder / "home" / "keybindings.json", {}
    )


async def test_each_closes_with_escape_and_the_draft_is_there(tmp_path: Path) -> None:
    with ScriptedModel(reasoning=True) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.paste(DRAFT)
            for shown, action in SCREENS.items():
                assert driver.app.main.dispatch(action)
                await driver.wait_for(shown)
                await driver.press("escape")
                await closed(driver)
                await driver.type("!")
            assert driver.app.main.editor.text == DRAFT + "!" * len(SCREENS)
            # A terminal that tells of the Kitty protocol sends every key.
            driver.app.post_message(KeyboardReported())
            driver.app.main.dispatch("app.hotkeys")
            await driver.wait_for("may not arrive")
            await driver.paste("previous model")
            await driver.wait_for("→ ctrl+shift+p, alt+p")


async def test_the_palette_finds_actions_templates_and_what_the_editor_can_do(tmp_path: Path) -> None:
    prompts = tmp_path / "home" / "prompts"
    prompts.mkdir(parents=True)
    (prompts / "review.md").write_text("---\ndescription: Look hard\n---\nReview $1")
    with ScriptedModel(reasoning=True) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.press("alt+x")
            await driver.wait_for("What is to be done?")
            await driver.paste("thinking lev")
            assert "→ Thinking level" in await driver.wait_for("shift+tab")
            await driver.press("enter")
            await driver.wait_for("Thinking: ")
            await driver.paste("my draft")
            await driver.press("f1")
            await driver.wait_for("What is to be done?")
            await driver.paste("look hard")
            assert "→ /review" in await driver.wait_for("1/1")
            await driver.press("enter")
            await closed(driver)
            assert driver.app.main.editor.text.split() == ["/review", "my", "draft"]
            await driver.press("alt+x")
            await driver.paste("clear the ed")
            await driver.wait_for("→ Clear")
            await driver.press("enter")
            await driver.wait_for(lambda text: driver.app.main.editor.is_empty)
            await driver.press("alt+x")
            await driver.paste("edit queued")
            await driver.press("enter")
            await closed(driver)
            await driver.press("f1", "escape")
            await closed(driver)


async def test_models_with_and_without_a_key(tmp_path: Path) -> None:
    with ScriptedModel(reasoning=True) as script:
        async with run_app(script, tmp_path) as driver:
            await driver.press("ctrl+l")
            screen = await driver.wait_for("enter uses it")
            assert "→ test/scripted  ← in use" in screen
            # What models are called goes before what providers are called.
            await driver.paste("qwen")
            shown = await driver.wait_for(lambda text: "> qwen▏" in text and "→ " in text)
            found = [row.split()[0] for row in shown.split("> qwen▏")[1].replace("→", " ").splitlines()[1:6]]
            assert all("qwen" in key.partition("/")[2] for key in found), found
            await driver.press("ctrl+u")
            await driver.paste("anthropic sonnet")
            await driver.wait_for("no key yet; /login anthropic")
            await driver.press("enter")
            await driver.wait_for("API key of Anthropic")
            await driver.press("escape")
            await driver.wait_for("There is no key for anthropic yet: /login anthropic")
            assert driver.session.model.provider == "test"
            await command(driver, "/model nonesuch")
            assert "> nonesuch" in await driver.wait_for("nothing matches")
            await driver.press("escape")
            await closed(driver)
            await command(driver, "/model scripted:high")
            await driver.wait_for("Model: test/scripted")
            assert driver.session.thinking_level == "high"
            await driver.press("ctrl+l")
            await driver.wait_for("enter uses it")
            await driver.press("ctrl+s")
            await driver.wait_for("for new sessions too")
            assert settings_of(tmp_path) == {"defaultProvider": "test", "defaultModel": "scripted"}
            await command(driver, "/thinking loud")
            await driver.wait_for("has the levels off, minimal, low")
            await command(driver, "/thinking")
            await driver.wait_for("scripted think?")
            await driver.paste("mini")
            await driver.press("ctrl+s")
            await driver.wait_for("Thinking: minimal, for new sessions too")
            assert settings_of(tmp_path)["defaultThinkingLevel"] == "minimal"


async def test_the_cycle_of_models_is_marked_ordered_and_kept(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            file = tmp_path / "home" / "models.json"
            models = json.loads(file.read_text())
            models["providers"]["test"]["models"] += [{"id": "second"}, {"id": "third"}]
            file.write_text(json.dumps(models))
            driver.app.registry.reload()
            await command(driver, "/scoped-models")
            await driver.wait_for("test/third")
            await driver.type("t")
            await driver.press("backspace", "enter", "down", "down", "enter")
            await driver.wait_for("✓ test/third")
            await driver.press("alt+up", "alt+up")
            await driver.wait_for("→ ✓ test/third  1.")
            await driver.press("escape")
            await closed(driver)
            await driver.press("ctrl+p")
            await driver.wait_for("Model: test/third")
            assert settings_of(tmp_path) == {}
            await command(driver, "/scoped-models")
            await driver.wait_for("→ ✓ test/third  1.")
            await driver.press("ctrl+s")
            await driver.wait_for("2 models, for new sessions too")
            assert settings_of(tmp_path) == {"enabledModels": ["test/third", "test/scripted"]}
            await command(driver, "/scoped-models")
            await driver.wait_for("✓ test/third")
            await driver.press("ctrl+a", "ctrl+s")
            await driver.wait_for("all models, for new sessions too")
            assert settings_of(tmp_path) == {}


async def test_exports_and_a_trust_decision(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / ".pi").mkdir(parents=True)
    with ScriptedModel([[Say("Blue.")]]) as script:
        async with run_app(script, tmp_path) as driver:
            use_real_looks(driver, tmp_path)
            await command(driver, "/export page.html")
            await driver.wait_for("Nothing was said yet")
            await command(driver, "which colour?")
            await driver.settle()
            await command(driver, "/export page.html")
            await driver.wait_for("exported to")
            assert "Blue." in (work / "page.html").read_text()
            await command(driver, "/export lines.jsonl")
            await driver.wait_for("lines.jsonl")
            lines = [json.loads(line) for line in (work / "lines.jsonl").read_text().splitlines()]
            assert lines[0]["id"] == driver.session.file.id
            assert [each["message"]["role"] for each in lines if each["type"] == "message"][1:] == [
                "user",
                "assistant",
            ]
            await command(driver, "/export page.html")
            await driver.wait_for("Replace it?")
            await driver.press("escape")
            await closed(driver)
            (work / ".pi" / "settings.json").write_text('{"steeringMode": "all", "theme": "light"}')
            await command(driver, "/trust")
            assert ".pi/settings.json" in await driver.wait_for("is not trusted")
            await driver.press("up", "up", "enter")
            await driver.wait_for("+trusted")
            assert driver.app.theme_colours.name == "light"
            assert driver.session.agent.steering.mode == "all"
            assert list(json.loads((tmp_path / "home" / "trust.json").read_text()).values()) == [True]


@pytest.mark.parametrize(
    ("key", "limit"),
    [
        ("ctrl+a", ""),
        ("alt+enter", ""),
        ("ctrl+shift+p", "Kitty"),
        ("ctrl+x super+k", "Kitty"),
        ("shift+1", "no terminal"),
    ],
)
def test_keys_that_do_not_arrive_everywhere(key: str, limit: str) -> None:
    assert limit in key_limit(key)
    assert bool(limit) == bool(key_limit(key))
