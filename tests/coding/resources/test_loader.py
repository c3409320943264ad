from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from pi_term.base.paths import AppPaths
from pi_term.coding.resources.loader import NamedKind, ResourceLoader
from pi_term.coding.resources.project import ProjectFolder


def put(path: Path, text: str | bytes = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


class Place:
    """A user's folder and a project `ws/project/sub` under one temporary root."""

    def __init__(self, root: Path) -> None:
        self.config = root / "cfg"
        self.ws = root / "ws"
        self.cwd = self.ws / "project" / "sub"
        self.cwd.mkdir(parents=True)

    def loader(
        self,
        *,
        trusted: bool = False,
        cwd: Path | None = None,
        use_context_files: bool = True,
        explicit: Mapping[NamedKind, Sequence[Path]] | None = None,
    ) -> ResourceLoader:
        paths = AppPaths.from_env({"PI_TERM_HOME": str(self.config)})
        project = ProjectFolder(cwd or self.cwd, trusted)
        return ResourceLoader(paths, project, explicit=explicit, use_context_files=use_context_files)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_context_files_come_from_the_user_then_from_the_root_down(place: Place) -> None:
    put(place.config / "AGENTS.md", "GLOBAL")
    put(place.ws / "AGENTS.md", "TOP")
    put(place.ws / "project" / "CLAUDE.md", "MID")
    put(place.cwd / "AGENTS.md", "LOW")
    put(place.cwd / "CLAUDE.md", "not this one")
    put(place.ws / "project" / "other" / "AGENTS.md", "nor this")
    files = place.loader().context_files()
    assert [file.text for file in files] == ["GLOBAL", "TOP", "MID", "LOW"]
    assert files[-1].path == place.cwd / "AGENTS.md"
    assert place.loader(use_context_files=False).context_files() == []


def test_an_override_replaces_only_its_own_folder_and_case_counts(place: Place) -> None:
    put(place.ws / "AGENTS.md", "TOP")
    put(place.cwd / "AGENTS.md", "plain")
    put(place.cwd / "AGENTS.override.md", "OVERRIDE")
    assert [file.text for file in place.loader().context_files()] == ["TOP", "OVERRIDE"]
    lower = place.ws / "lower"
    put(lower / "agents.md", "lower case")
    assert [file.text for file in place.loader(cwd=lower).context_files()] == ["TOP"]


def test_the_users_folder_counts_once_when_it_is_above(place: Place) -> None:
    put(place.config / "AGENTS.md", "GLOBAL")
    inside = place.config / "work"
    inside.mkdir()
    assert [file.text for file in place.loader(cwd=inside).context_files()] == ["GLOBAL"]


def test_an_unreadable_context_file_is_reported_and_the_rest_loads(place: Place) -> None:
    bad = put(place.ws / "AGENTS.md", b"\xff\xfe")
    put(place.cwd / "AGENTS.md", b"\xef\xbb\xbfLOW")
    loader = place.loader()
    for _ in range(2):
        assert [file.text for file in loader.context_files()] == ["LOW"]
        assert [problem.file for problem in loader.diagnostics] == [bad]


def test_system_prompt_files(place: Place) -> None:
    assert place.loader().system_prompt() is None
    put(place.config / "SYSTEM.md", "GLOBAL")
    put(place.cwd / ".pi" / "SYSTEM.md", "PROJECT")
    assert place.loader().system_prompt() == "GLOBAL"
    assert place.loader(trusted=True).system_prompt() == "PROJECT"
    assert place.loader(trusted=True).system_prompt("FLAG") == "FLAG"
    file = put(place.ws / "prompt.md", "FILE")
    assert place.loader().system_prompt(str(file)) == "FILE"
    put(place.cwd / ".pi" / "SYSTEM.md", " \n")
    assert place.loader(trusted=True).system_prompt() == "GLOBAL"


@pytest.mark.parametrize("text", ["x" * 5000, "a\0b", "~nosuchuser/x", "line one\nline two"])
def test_a_prompt_that_cannot_be_a_file_name_is_text(place: Place, text: str) -> None:
    assert place.loader().system_prompt(text) == text


def test_appended_prompts_are_one_place_but_flags_add_up(place: Place) -> None:
    assert place.loader().appended_prompt() is None
    put(place.config / "APPEND_SYSTEM.md", "GLOBAL")
    put(place.cwd / ".pi" / "APPEND_SYSTEM.md", "PROJECT")
    assert place.loader().appended_prompt() == "GLOBAL"
    assert place.loader(trusted=True).appended_prompt() == "PROJECT"
    file = put(place.ws / "more.md", "two")
    assert place.loader(trusted=True).appended_prompt(["one", str(file)]) == "one\n\ntwo"


def test_themes_by_name_in_the_order_of_their_sources(place: Place) -> None:
    flag = put(place.ws / "given.json", "{}")
    project = put(place.cwd / ".pi" / "themes" / "mine.json", "{}")
    user = put(place.config / "themes" / "mine.json", "{}")
    only = put(place.config / "themes" / "only.json", "{}")
    put(place.config / "themes" / "readme.txt", "")
    assert place.loader().find("themes", "mine") == place.loader().named("themes")["mine"]

    untrusted = place.loader(explicit={"themes": [flag]})
    found = untrusted.named("themes")
    assert (found["mine"].path, found["mine"].source) == (user, "user")
    assert (found["given"].path, found["given"].source) == (flag, "flag")
    assert found["only"].path == only
    assert "readme" not in found
    assert found["dark"].source == "shipped"
    assert untrusted.diagnostics == []

    trusted = place.loader(trusted=True)
    assert trusted.named("themes")["mine"].path == project
    assert [(problem.file, problem.severity) for problem in trusted.diagnostics] == [(user, "warning")]
    assert str(project) in trusted.diagnostics[0].text()


def test_replacing_a_shipped_file_is_only_an_information(place: Place) -> None:
    own = put(place.config / "keymaps" / "pi.json", "{}")
    loader = place.loader()
    found = loader.find("keymaps", "pi")
    assert found is not None
    assert found.path == own
    assert {problem.severity for problem in loader.diagnostics} <= {"info"}


def test_a_given_folder_or_missing_file(place: Place) -> None:
    given = put(place.ws / "lots" / "a.json", "{}")
    loader = place.loader(explicit={"themes": [given.parent, place.ws / "missing.json"]})
    assert loader.named("themes")["a"].path == given
    assert [problem.file for problem in loader.diagnostics] == [place.ws / "missing.json"]
