"""What the model is told, and looks: which file counts, and where it may come from."""

from __future__ import annotations

from typing import Any

import pytest


def test_context_files_come_from_the_user_then_from_the_root_down(place: Any) -> None:
    place.put(place.config / "AGENTS.md", "GLOBAL")
    place.put(place.ws / "AGENTS.md", "TOP")
    place.put(place.ws / "project" / "CLAUDE.md", "MID")
    place.put(place.cwd / "AGENTS.md", "LOW")
    place.put(place.cwd / "CLAUDE.md", "not this one")
    place.put(place.ws / "project" / "other" / "AGENTS.md", "nor this")
    files = place.loader().context_files()
    assert [file.text for file in files] == ["GLOBAL", "TOP", "MID", "LOW"]
    assert files[-1].path == place.cwd / "AGENTS.md"
    assert place.loader(context_files=False).context_files() == []


def test_an_override_replaces_only_its_own_folder_and_case_counts(place: Any) -> None:
    place.put(place.ws / "AGENTS.md", "TOP")
    place.put(place.cwd / "AGENTS.md", "plain")
    place.put(place.cwd / "AGENTS.override.md", "OVERRIDE")
    assert [file.text for file in place.loader().context_files()] == ["TOP", "OVERRIDE"]
    lower = place.ws / "lower"
    place.put(lower / "agents.md", "lower case")
    assert [file.text for file in place.loader(cwd=lower).context_files()] == ["TOP"]


def test_the_users_folder_counts_once_when_it_is_above(place: Any) -> None:
    place.put(place.config / "AGENTS.md", "GLOBAL")
    inside = place.config / "work"
    inside.mkdir()
    assert [file.text for file in place.loader(cwd=inside).context_files()] == ["GLOBAL"]


def test_an_unreadable_context_file_is_reported_and_the_rest_loads(place: Any) -> None:
    bad = place.put(place.ws / "AGENTS.md", b"\xff\xfe")
    place.put(place.cwd / "AGENTS.md", b"\xef\xbb\xbfLOW")
    loader = place.loader()
    for _ in range(2):
        assert [file.text for file in loader.context_files()] == ["LOW"]
        assert [problem.file for problem in loader.diagnostics] == [bad]


def test_system_prompt_files(place: Any) -> None:
    assert place.loader().system_prompt() is None
    place.put(place.config / "SYSTEM.md", "GLOBAL")
    place.put(place.cwd / ".pi" / "SYSTEM.md", "PROJECT")
    assert place.loader().system_prompt() == "GLOBAL"
    assert place.loader(trusted=True).system_prompt() == "PROJECT"
    assert place.loader(trusted=True, system_prompt="FLAG").system_prompt() == "FLAG"
    file = place.put(place.ws / "prompt.md", "FILE")
    assert place.loader(system_prompt=str(file)).system_prompt() == "FILE"
    place.put(place.cwd / ".pi" / "SYSTEM.md", " \n")
    assert place.loader(trusted=True).system_prompt() == "GLOBAL"


@pytest.mark.parametrize("text", ["x" * 5000, "a\0b", "~nosuchuser/x", "line one\nline two"])
def test_a_prompt_that_cannot_be_a_file_name_is_text(place: Any, text: str) -> None:
    assert place.loader(system_prompt=text).system_prompt() == text


def test_appended_prompts_are_one_place_but_flags_add_up(place: Any) -> None:
    assert place.loader().appended_prompt() is None
    place.put(place.config / "APPEND_SYSTEM.md", "GLOBAL")
    place.put(place.cwd / ".pi" / "APPEND_SYSTEM.md", "PROJECT")
    assert place.loader().appended_prompt() == "GLOBAL"
    assert place.loader(trusted=True).appended_prompt() == "PROJECT"
    file = place.put(place.ws / "more.md", "two")
    assert place.loader(trusted=True, appended=["one", str(file)]).appended_prompt() == "one\n\ntwo"


def test_themes_by_name_in_the_order_of_their_sources(place: Any) -> None:
    flag = place.put(place.ws / "given.json", "{}")
    project = place.put(place.cwd / ".pi" / "themes" / "mine.json", "{}")
    user = place.put(place.config / "themes" / "mine.json", "{}")
    only = place.put(place.config / "themes" / "only.json", "{}")
    place.put(place.config / "themes" / "readme.txt", "")
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


def test_replacing_a_shipped_file_is_only_an_information(place: Any) -> None:
    own = place.put(place.config / "keymaps" / "pi.json", "{}")
    loader = place.loader()
    found = loader.find("keymaps", "pi")
    assert found is not None
    assert found.path == own
    assert {problem.severity for problem in loader.diagnostics} <= {"info"}


def test_a_given_folder_or_missing_file(place: Any) -> None:
    given = place.put(place.ws / "lots" / "a.json", "{}")
    loader = place.loader(explicit={"themes": [given.parent, place.ws / "missing.json"]})
    assert loader.named("themes")["a"].path == given
    assert [problem.file for problem in loader.diagnostics] == [place.ws / "missing.json"]


def test_themes_can_be_left_where_they_are(place: Any) -> None:
    given = place.put(place.ws / "given.json", "{}")
    place.put(place.config / "themes" / "mine.json", "{}")
    found = place.loader(off=frozenset({"themes"}), explicit={"themes": [given]}).named("themes")
    assert {"given", "dark"} <= set(found)
    assert "mine" not in found


def test_a_prompt_file_is_looked_for_in_the_working_folder(place: Any) -> None:
    place.put(place.cwd / "own.md", "OWN")
    assert place.loader(system_prompt="own.md").system_prompt() == "OWN"


def test_news_are_told_once(place: Any) -> None:
    bad = place.put(place.ws / "AGENTS.md", b"\xff")
    loader = place.loader()
    loader.context_files()
    assert [problem.file for problem in loader.news()] == [bad]
    loader.context_files()
    assert loader.news() == []
