"""Skills: where they are found, what people and the model learn of them, and `/skill:name`."""

from __future__ import annotations

import os
from typing import Any

import pytest

from pi_term.coding.resources.listing import Listing


def names(loader: Any) -> list[str]:
    return list(loader.skills())


def test_folders_and_files_of_the_users(place: Any) -> None:
    skills = place.config / "skills"
    place.skill(skills / "pdf")
    place.skill(skills / "nested" / "deep")
    place.skill(skills / "Bad_Name")
    place.skill(skills / "named" / "x", name="other")
    place.put(skills / "loose.md", "---\nname: loose-file\ndescription: d\n---\nLOOSE")
    place.put(skills / "README.md", "# About these skills")
    place.put(skills / "pdf" / "notes.md", "---\nname: notes\ndescription: d\n---\n")
    place.skill(skills / "pdf" / "below")
    place.skill(skills / ".hidden" / "h")
    place.skill(skills / "node_modules" / "n")
    loader = place.loader()
    assert names(loader) == ["Bad_Name", "loose-file", "other", "deep", "pdf"]
    assert loader.diagnostics == []


def test_folders_that_several_agents_share(place: Any) -> None:
    place.skill(place.home / ".agents" / "skills" / "mine")
    place.put(place.home / ".agents" / "skills" / "loose.md", "---\ndescription: d\n---\n")
    place.skill(place.ws / ".agents" / "skills" / "top")
    place.skill(place.cwd / ".agents" / "skills" / "low")
    place.skill(place.ws.parent / ".agents" / "skills" / "outside")
    place.skill(place.cwd / ".pi" / "skills" / "own")
    assert names(place.loader()) == ["mine"]
    assert names(place.loader(trusted=True)) == ["own", "low", "top", "mine"]


def test_a_skill_without_description_is_named(place: Any) -> None:
    """B-083."""
    skills = place.config / "skills"
    place.skill(skills / "good")
    silent = place.skill(skills / "silent", about="")
    headless = place.put(skills / "headless" / "SKILL.md", "no head\n")
    unclosed = place.put(skills / "unclosed" / "SKILL.md", "---\ndescription: never closed\nBODY\n")
    place.put(skills / "colon" / "SKILL.md", "---\ndescription: Use when: always\n---\nBODY\n")
    place.put(skills / "tabs" / "SKILL.md", "---\n\tname: tabs\n\tdescription: By tabs\n---\nBODY\n")
    binary = place.put(skills / "binary" / "SKILL.md", b"\xff")
    given = place.put(place.ws / "no.md", "# no skill")
    loader = place.loader(explicit={"skills": [given]})
    assert names(loader) == ["colon", "good", "tabs", "unclosed"]
    assert loader.skills()["colon"].description == "Use when: always"
    assert loader.skills()["unclosed"].body == "BODY"
    assert {problem.file for problem in loader.diagnostics} == {silent, headless, unclosed, binary, given}
    assert all("\n" not in problem.text() for problem in loader.diagnostics)


def test_links_give_each_skill_once(place: Any) -> None:
    """B-084."""
    shared = place.home / ".agents" / "skills"
    place.skill(shared / "one")
    place.config.mkdir()
    (place.config / "skills").symlink_to(shared)
    (shared / "again").symlink_to(shared / "one")
    (shared / "circle").symlink_to(shared)
    (shared / "self").symlink_to("self")
    loader = place.loader(explicit={"skills": [shared / "one"]})
    assert names(loader) == ["one"]
    assert loader.diagnostics == []


def test_a_clash_keeps_the_first_and_names_both(place: Any) -> None:
    """B-084."""
    first = place.skill(place.config / "skills" / "pdf", body="FIRST")
    second = place.skill(place.home / ".agents" / "skills" / "pdf", body="SECOND")
    loader = place.loader()
    assert loader.skills()["pdf"].body == "FIRST"
    (problem,) = loader.diagnostics
    assert (problem.severity, problem.file) == ("warning", second)
    assert str(first) in problem.text()


def test_the_command_sends_the_instructions(place: Any) -> None:
    file = place.skill(place.config / "skills" / "pdf", body="# PDF\n\nRun scripts/x.sh")
    expand = place.loader().expand
    told = (
        f'<skill name="pdf" location="{file}">\nReferences are relative to {file.parent}.\n\n'
        "# PDF\n\nRun scripts/x.sh\n</skill>"
    )
    assert expand("/skill:pdf") == expand("/skill:pdf  \n") == told
    assert expand("/skill:pdf extract 'a  b'\nand more ") == f"{told}\n\nextract 'a  b'\nand more"
    for other in ("/skill:unknown do it", "/skill:PDF", "/skill:pdfx", "/skill:", "/pdf", " /skill:pdf"):
        assert expand(other) == other


def test_a_name_cannot_break_out_of_its_tag(place: Any) -> None:
    place.skill(place.config / "skills" / "x", name='a"><b')
    assert 'name="a&quot;&gt;&lt;b"' in place.loader().expand('/skill:a"><b')


def test_a_name_with_spaces_is_reported(place: Any) -> None:
    place.skill(place.config / "skills" / "x", name="two words")
    loader = place.loader()
    assert names(loader) == ["two words"]
    assert "has spaces" in loader.diagnostics[0].text()


def test_hidden_skills_are_called_by_people_only(place: Any) -> None:
    place.put(
        place.config / "skills" / "h" / "SKILL.md",
        "---\ndescription: d\ndisable-model-invocation: true\n---\nBODY",
    )
    loader = place.loader()
    assert loader.skills()["h"].hidden
    assert [info.name for info in loader.commands()] == ["skill:h"]
    assert "BODY" in loader.expand("/skill:h")


def test_what_is_called(place: Any) -> None:
    place.skill(place.config / "skills" / "pdf")
    place.template("review", "R")
    loader = place.loader()
    assert loader.called("/review x").name == "review"
    assert loader.called("/skill:pdf").name == "skill:pdf"
    assert [loader.called(text) for text in ("/other", "review", "/skill:")] == [None] * 3


def test_where_skills_come_from_is_told(place: Any) -> None:
    place.skill(place.ws / "given")
    place.skill(place.ws / "listed")
    place.skill(place.home / ".agents" / "skills" / "mine")
    place.skill(place.cwd / ".pi" / "skills" / "own")
    listed = {("user", "skills"): Listing(place.ws, ["listed"])}
    loader = place.loader(trusted=True, explicit={"skills": [place.ws / "given"]}, listed=listed)
    origins = {info.name: info.origin.to_json(info.path) for info in loader.commands()}
    keys = ("source", "scope", "baseDir")
    assert {name: tuple(told.get(key) for key in keys) for name, told in origins.items()} == {
        "skill:given": ("local", "temporary", str(place.ws / "given")),
        "skill:own": ("auto", "project", str(place.cwd / ".pi")),
        "skill:listed": ("local", "user", None),
        "skill:mine": ("auto", "user", str(place.home / ".agents")),
    }


@pytest.mark.parametrize(
    ("entries", "left"),
    [
        ([], ["a", "b", "c"]),
        (["-skills/a"], ["b", "c"]),
        (["-skills/a/SKILL.md"], ["b", "c"]),
        (["!skills/*"], []),
        (["!skills/*", "+skills/b"], ["b"]),
        (["../more"], ["extra", "a", "b", "c"]),
        (["../more", "-../more/extra"], ["a", "b", "c"]),
        (["../more", "!*/ex*/*"], ["a", "b", "c"]),
    ],
)
def test_lists_of_the_settings(place: Any, entries: list[str], left: list[str]) -> None:
    for name in "abc":
        place.skill(place.config / "skills" / name)
    place.skill(place.config.parent / "more" / "extra")
    loader = place.loader(listed={("user", "skills"): Listing(place.config, entries)})
    assert names(loader) == left
    assert loader.diagnostics == []


def test_a_listed_folder_that_is_missing_is_reported(place: Any) -> None:
    loader = place.loader(listed={("user", "skills"): Listing(place.config, ["~/none"])})
    assert names(loader) == []
    assert [problem.file for problem in loader.diagnostics] == [place.home / "none"]


def test_off_means_only_what_is_given(place: Any) -> None:
    place.skill(place.config / "skills" / "found")
    place.skill(place.ws / "given")
    assert names(place.loader(off=frozenset({"skills"}))) == []
    assert names(place.loader(off=frozenset({"skills"}), explicit={"skills": [place.ws / "given"]})) == [
        "given"
    ]


def test_a_folder_that_cannot_be_read_hides_no_other(place: Any) -> None:
    place.skill(place.config / "skills" / "good")
    closed = place.skill(place.config / "skills" / "closed" / "in").parent.parent
    closed.chmod(0)
    try:
        assert "good" in names(place.loader())
    finally:
        os.chmod(closed, 0o700)
