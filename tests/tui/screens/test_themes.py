"""Choosing a theme with a preview, keymaps, a theme file that is edited, and reading everything again."""

from __future__ import annotations

import json
import os
from pathlib import Path

from pi_term.base.paths import AppPaths, shipped
from pi_term.coding.resources.listed import listings_of
from pi_term.coding.resources.loader import ResourceLoader
from pi_term.coding.resources.project import ProjectFolder
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore
from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import ScriptedModel, until
from pi_term.tui.driver.reports import TerminalColour
from pi_term.tui.looks import load_looks
from pi_term.tui.theme_binding import is_light
from pi_term.tui.theme_choice import choose_theme, theme_name


async def command(driver: AppDriver, text: str) -> None:
    """Send a prompt or command at once."""
    await driver.paste(text)
    await driver.press("enter")


def own_theme(folder: Path, name: str, ink: str) -> Path:
    """A theme of the user's."""
    theme = json.loads((shipped("themes") / "dark.json").read_text())
    theme["name"] = name
    theme["vars"]["ink"] = ink
    file = folder / "home" / "themes" / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(theme))
    return file


def use_real_looks(driver: AppDriver, folder: Path) -> None:
    parts = driver.app.parts
    parts.looks_of = lambda started: load_looks(
        started.settings, started.resources, folder / "home" / "keybindings.json", {}, parts.light
    )


def shown_theme(driver: AppDriver) -> str:
    """The theme that Textual draws with."""
    assert driver.app.theme.startswith(driver.app.theme_colours.name)
    return driver.app.theme_colours.name


async def test_a_theme_is_seen_before_it_is_chosen(tmp_path: Path) -> None:
    own_theme(tmp_path, "mine", "#ff00ff")
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            use_real_looks(driver, tmp_path)
            await command(driver, "/theme")
            screen = await driver.wait_for("high-contrast")
            assert "mine  of the user" in screen
            await driver.paste("mine")
            await until(lambda: shown_theme(driver) == "mine", pause=0.01)
            await driver.press("escape")
            await until(lambda: shown_theme(driver) == "dark", pause=0.01)
            assert not (tmp_path / "home" / "settings.json").exists()
            await command(driver, "/theme")
            await driver.wait_for("high-contrast")
            await driver.paste("system")
            await until(lambda: shown_theme(driver) == "system", pause=0.01)
            await driver.press("enter")
            await driver.wait_for("Theme: system.")
            assert json.loads((tmp_path / "home" / "settings.json").read_text()) == {"theme": "system"}
            assert driver.app.current_theme.ansi
            await command(driver, "/theme nonesuch")
            await driver.wait_for("There is no theme “nonesuch”.")
            # A broken one is told of before it is chosen.
            (tmp_path / "home" / "themes" / "mine.json").write_text('{"name": "mine", "colors": 1}')
            await command(driver, "/theme")
            await driver.paste("mine")
            await driver.wait_for("must be an object of colours")
            await driver.press("escape")
            await until(lambda: shown_theme(driver) == "system", pause=0.01)
            # The terminal tells that its background is light.
            driver.app.post_message(TerminalColour(True, (250, 250, 245)))
            await until(lambda: shown_theme(driver) == "system-light", pause=0.01)


async def test_a_saved_theme_file_is_shown_and_a_broken_one_is_told(tmp_path: Path) -> None:
    file = own_theme(tmp_path, "mine", "#ff00ff")
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            use_real_looks(driver, tmp_path)
            await command(driver, "/theme mine")
            await driver.wait_for("Theme: mine.")
            own_theme(tmp_path, "mine", "#00ff00")
            os.utime(file, ns=(1, 1))
            await until(lambda: driver.app.theme_colours.hex("text") == "#00ff00", pause=0.05)
            file.write_text("{ not json")
            await driver.wait_for(lambda text: "not valid JSON" in " ".join(text.split()))
            assert driver.app.theme_colours.hex("text") == "#00ff00"


async def test_everything_is_read_again_and_what_changed_is_told(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    with ScriptedModel() as script:
        async with run_app(script, tmp_path) as driver:
            use_real_looks(driver, tmp_path)
            await driver.app.main.overlays.reloader.note_what_is_there()
            await command(driver, "/reload")
            await driver.wait_for("Read again: nothing has changed.")
            (home / "settings.json").write_text(
                '{"retry": {"maxRetries": 5}, "theme": "light", "spendLimit": "x"}'
            )
            (home / "keybindings.json").write_text('{"app.reload": "f5", "app.theme": "f5"}')
            (home / "prompts").mkdir()
            (home / "prompts" / "review.md").write_text("Look at $1")
            (work / "AGENTS.md").write_text("Be brief.")
            models = json.loads((home / "models.json").read_text())
            models["providers"]["test"]["models"].append({"id": "second"})
            (home / "models.json").write_text(json.dumps(models))
            await command(driver, "/reload")
            screen = await driver.wait_for("spendLimit: must be a number")
            for line in (
                "settings: theme, retry.maxRetries",
                "keys: app.theme, app.reload",
                "theme: +light, −dark",
                "prompts: +/review",
                "models: +test/second",
                "f5 clashes with f5 of app.reload",
            ):
                assert line in screen
            assert "AGENTS.md" in screen
            assert shown_theme(driver) == "light"
            assert driver.session.harness.settings.get("retry.maxRetries") == 5
            # What was changed here is no news when everything is read again.
            await command(driver, "/theme dark")
            await driver.wait_for("Theme: dark.")
            await command(driver, "/reload")
            await driver.wait_for("nothing has changed")
            await command(driver, "/hotkeys")
            assert "f5 clashes with f5" in " ".join((await driver.wait_for("→ escape")).split())
            await driver.paste("app.theme")
            assert "f5" in await driver.wait_for("→ f5")


def test_what_a_theme_setting_means() -> None:
    assert theme_name("light/dark", True) == "light"
    assert theme_name("light/dark", False) == "dark"
    assert theme_name("light/system", False) == "system"
    assert theme_name("system", True) == "system-light"
    assert is_light((255, 255, 255))
    assert not is_light((30, 30, 46))


def test_themes_in_other_folders_are_found_where_the_settings_name_them(tmp_path: Path) -> None:
    home, shelf = tmp_path / "home", tmp_path / "shelf"
    shelf.mkdir()
    own_theme(tmp_path, "mine", "#ff00ff").rename(shelf / "mine.json")
    own_theme(tmp_path, "other", "#ff00ff").rename(shelf / "other.json")
    paths = AppPaths(home, home, home, home)
    paths.settings_file.write_text(json.dumps({"themes": [str(shelf), "!other*"], "theme": "mine"}))
    settings, project = SettingsStore.load(paths), ProjectFolder(tmp_path, trusted=False)
    resources = ResourceLoader(paths, project, None, listings_of(settings, paths, project))
    chosen = choose_theme(settings.get(schema.THEME), resources, {})
    assert (chosen.theme.name, chosen.file, chosen.problems) == ("mine", shelf / "mine.json", ())
    assert "other" not in resources.named("themes")
