from __future__ import annotations

from pathlib import Path

from pi_term.base.paths import AppPaths, shipped


def test_one_folder_holds_everything_when_asked() -> None:
    paths = AppPaths.from_env({"PI_TERM_HOME": "/somewhere"})
    assert {paths.config, paths.data, paths.state, paths.cache} == {Path("/somewhere")}
    assert paths.settings_file == Path("/somewhere/settings.json")
    assert paths.sessions_dir == Path("/somewhere/sessions")


def test_else_the_platform_decides() -> None:
    paths = AppPaths.from_env({})
    assert paths.config.name == paths.data.name == "pi-term"
    assert paths.config != paths.data


def test_shipped_files_are_found() -> None:
    assert shipped("themes").is_dir()
    assert shipped("keymaps").is_dir()
