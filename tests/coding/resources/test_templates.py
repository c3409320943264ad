"""Prompt templates: `/name arguments`. The expansions are what Pi 1.6.0 makes of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.coding.resources.arguments import split_arguments, substitute


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("one two  three", ["one", "two", "three"]),
        ("it doesn't work", ["it", "doesn't", "work"]),
        ("\"two words\" 'x y'", ["two words", "x y"]),
        ('"unclosed words', ['"unclosed', "words"]),
        ('say \\"hi\\"', ["say", '\\"hi\\"']),
        ('"a \\"b\\" c" x\\y', ['a "b" c', "x\\y"]),
        ("\"a \\\\ b\" 'c \\' d'", ["a \\\\ b", "c ' d"]),
        ('"a"b c', ["ab", "c"]),
        ("'it''s' x", ["it's'", "x"]),
        ('"" b', ["", "b"]),
        ("a\tb\n\nc", ["a", "b", "c"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_arguments(typed: str, words: list[str]) -> None:
    """B-085."""
    assert split_arguments(typed) == words


@given(st.text(alphabet="ab'\"\\ \n", max_size=60))
def test_no_letter_is_swallowed(typed: str) -> None:
    """B-085: what is typed arrives, but for the quotes and blanks that part the words."""
    for letter in "ab":
        assert "".join(split_arguments(typed)).count(letter) == typed.count(letter)


OTHERS = "${1} ${@} ${1-x} ${1:2} ${@:x} ${@:1:-1} ${ARGUMENTS}"
THREE, NONE = ["one", "two", "three"], list[str]()


@pytest.mark.parametrize(
    ("text", "arguments", "made"),
    [
        ("1=[$1] 2=[$2] 10=[$10] cost=$5.00", THREE, "1=[one] 2=[two] 10=[] cost=.00"),
        (
            "[$@] [$ARGUMENTS] [$@@] [$ARGUMENTSX]",
            THREE,
            "[one two three] [one two three] [one two three@] [one two threeX]",
        ),
        ("\\$1 $$1 $0 $01", THREE, "\\one $one  one"),
        ("${@:2} ${@:2:1} ${@:0} ${@:0:1} ${@:2:0} ${@:9}", THREE, "two three two one two three one  "),
        (
            "${1:-none} ${4:-b value} ${@:-nothing} ${ARGUMENTS:-x}",
            THREE,
            "one b value one two three one two three",
        ),
        ("${1:-none} ${2:-b\nvalue} ${@:-nothing} ${ARGUMENTS:-}|", NONE, "none b\nvalue nothing |"),
        ("[${1:-none}] [${@:-nothing}]", ["", "y"], "[none] [ y]"),
        ("${1:-a}b} ${1:-$2} ${1:-{x}}", NONE, "ab} $2 {x}"),
        ("again: $1 and $2", ["$2", "$@"], "again: $2 and $@"),
        (OTHERS, THREE, OTHERS),
        ("$" + "9" * 5000 + " ${@:" + "9" * 5000 + "}|", THREE, " |"),
    ],
)
def test_places_for_arguments(text: str, arguments: list[str], made: str) -> None:
    assert substitute(text, arguments) == made


def test_a_template_is_called_by_the_name_of_its_file(place: Any) -> None:
    place.template("pos", "---\ndescription: d\n---\n1=[$1] all=[$@]\n")
    place.template("plain", "First line.\n\nSecond paragraph.\n")
    place.template("skill:odd", "ODD $1")
    place.put(place.config / "prompts" / "sub" / "nested.md", "NESTED")
    place.put(place.config / "prompts" / "notes.txt", "NOTES")
    expand = place.loader().expand
    assert expand("/pos one 'two words'") == "1=[one] all=[one two words]"
    assert expand("/pos multi\nline") == "1=[multi] all=[multi line]"
    assert expand("/pos\none") == "1=[one] all=[one]"
    assert expand("/plain extra words") == "First line.\n\nSecond paragraph.\n"
    assert expand("/skill:odd x") == "ODD x"
    for other in (
        "/unknown stays",
        " /plain after a blank",
        "/nested",
        "/notes",
        "/PLAIN",
        "plain",
        "/",
        "",
        "/ plain",
        "text /plain",
    ):
        assert expand(other) == other


def test_what_people_see_of_templates(place: Any) -> None:
    place.template("full", '---\ndescription: What it does\nargument-hint: "<a> [b]"\n---\nx\n')
    place.template("long", f"\n\n{'word ' * 20}\n")
    place.template("empty", "")
    infos = {info.name: info for info in place.loader().commands()}
    assert (infos["full"].description, infos["full"].argument_hint) == ("What it does", "<a> [b]")
    assert infos["long"].description == ("word " * 12) + "..."
    assert infos["empty"].description == ""
    assert infos["full"].to_json() == {
        "name": "full",
        "description": "What it does",
        "source": "prompt",
        "sourceInfo": {
            "path": str(place.config / "prompts" / "full.md"),
            "source": "auto",
            "scope": "user",
            "origin": "top-level",
            "baseDir": str(place.config),
        },
    }


def test_a_broken_head_hides_nothing(place: Any) -> None:
    """B-083, B-067."""
    place.template("good", "GOOD $1")
    place.template("mark", b"\xef\xbb\xbf---\ndescription: marked\n---\nMARK $1")
    place.template("colon", "---\ndescription: a: b: c\nargument-hint: [x\n---\nCOLON $1\n")
    unclosed = place.template("unclosed", "---\ndescription: never closed\nOPEN $1\n")
    binary = place.template("binary", b"\xff\xfe\x00")
    loader = place.loader()
    assert [loader.expand(f"/{name} q") for name in ("good", "mark", "colon", "unclosed")] == [
        "GOOD q", "MARK q", "COLON q", "OPEN q"
    ]  # fmt: skip
    assert loader.templates()["colon"].description == "a: b: c"
    assert {problem.file for problem in loader.diagnostics} == {unclosed, binary}
    assert all(problem.severity == "warning" for problem in loader.diagnostics)


def test_a_changed_file_counts_at_once(place: Any) -> None:
    loader = place.loader()
    assert loader.expand("/new") == "/new"
    file = place.template("new", "one")
    assert loader.expand("/new") == "one"
    file.write_text("changed")
    assert loader.expand("/new") == "changed"
    file.unlink()
    assert loader.expand("/new") == "/new"


def test_of_one_name_the_first_source_wins(place: Any) -> None:
    user = place.template("both", "USER")
    project = place.put(place.cwd / ".pi" / "prompts" / "both.md", "PROJECT")
    given = place.put(place.ws / "given" / "both.md", "GIVEN")
    assert place.loader().expand("/both") == "USER"
    trusted = place.loader(trusted=True)
    assert trusted.expand("/both") == "PROJECT"
    assert [(problem.file, str(project) in problem.message) for problem in trusted.diagnostics] == [
        (user, True)
    ]
    assert place.loader(trusted=True, explicit={"prompts": [given]}).expand("/both") == "GIVEN"
    assert (
        place.loader(explicit={"prompts": [given.parent]}, off=frozenset({"prompts"})).expand("/both")
        == "GIVEN"
    )
    assert place.loader(trusted=True, off=frozenset({"prompts"})).expand("/both") == "/both"


def test_a_given_file_that_is_missing_is_reported(place: Any) -> None:
    loader = place.loader(explicit={"prompts": [place.ws / "missing.md"], "skills": [place.ws / "none"]})
    loader.commands()
    assert [problem.severity for problem in loader.diagnostics] == ["error", "error"]
