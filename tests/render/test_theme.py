"""Theme files: what is right in them is used, what is wrong is told with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rich.color import Color
from rich.style import Style

from pi_term.base.paths import shipped
from pi_term.render.theme import Theme, load_theme, syntax_token
from pi_term.render.theme_tokens import REQUIRED_TOKENS

SCHEMA_TOKENS = 51


def full(**changes: Any) -> dict[str, Any]:
    colours: dict[str, Any] = dict.fromkeys(REQUIRED_TOKENS, "#abcdef")
    colours.update(changes)
    return {"name": "mine", "appearance": "dark", "colors": colours}


def loaded(data: Any) -> Theme:
    theme, found = load_theme(data)
    assert [each.text() for each in found] == []
    assert theme is not None
    return theme


def faults(data: Any) -> list[str]:
    return [each.text() for each in load_theme(data)[1]]


def test_there_are_51_tokens() -> None:
    assert len(set(REQUIRED_TOKENS)) == SCHEMA_TOKENS


def test_colours_become_styles() -> None:
    theme = loaded(full(accent="#0af", error=1, text="", toolErrorBg=39))
    assert theme.style("accent") == Style(color="#00aaff")
    assert theme.style("error", "toolErrorBg", bold=True) == Style(
        color=Color.from_ansi(1), bgcolor="#00afff", bold=True
    )
    assert theme.style("text") == Style()
    assert theme.style("accent") is theme.style("accent")


def test_an_unknown_token_is_a_programming_error() -> None:
    with pytest.raises(KeyError):
        loaded(full()).style("acent")


def test_variables_may_refer_to_variables() -> None:
    data = {**full(accent="one"), "vars": {"one": "two", "two": "three", "three": "#010203"}}
    assert loaded(data).hex("accent") == "#010203"


def test_optional_tokens_take_the_colour_of_another() -> None:
    theme = loaded(full(muted="#010101", thinkingXhigh="#020202", selectedBg="#030303"))
    assert theme.hex("scrollbarTrack") == "#010101"
    assert theme.hex("thinkingMax") == "#020202"
    assert theme.hex("searchMatchBg") == "#030303"
    assert loaded(full(thinkingMax="#040404")).hex("thinkingMax") == "#040404"


def test_hex_is_concrete_even_where_the_terminal_decides() -> None:
    dark = loaded(full(text="", toolPendingBg="", error=1))
    assert (dark.hex("text"), dark.hex("toolPendingBg"), dark.hex("error")) == (
        "#ffffff",
        "#000000",
        "#cd3131",
    )
    light = loaded({**full(text="", toolPendingBg=""), "appearance": "light"})
    assert (light.hex("text"), light.hex("toolPendingBg")) == ("#000000", "#ffffff")


def test_variables_for_textual() -> None:
    names = loaded(full(text="", error=1, success=10, userMessageBg="#111111")).variables()
    assert names["pi-user-message-bg"] == "#111111"
    assert names["pi-text"] == "ansi_default"
    assert names["pi-error"] == "ansi_red"
    assert names["pi-success"] == "ansi_bright_green"
    assert names["pi-thinking-max"] == "#abcdef"


def test_syntax_colours_go_to_the_nearest_ancestor() -> None:
    assert syntax_token(("Literal", "String", "Doc")) == "syntaxString"
    assert syntax_token(("Comment", "Single")) == "syntaxComment"
    assert syntax_token(("Name",)) == syntax_token(()) == "mdCodeBlock"


@pytest.mark.parametrize(
    ("changes", "appearance"),
    [
        ({"userMessageBg": "#111111", "toolPendingBg": "#222222", "selectedBg": "#333333"}, "dark"),
        ({token: "#eeeeee" for token in REQUIRED_TOKENS if token.endswith("Bg")}, "light"),
        ({token: "" if token.endswith("Bg") else "#222222" for token in REQUIRED_TOKENS}, "light"),
        ({token: "" if token.endswith("Bg") else "#dddddd" for token in REQUIRED_TOKENS}, "dark"),
        (dict.fromkeys(REQUIRED_TOKENS, ""), "dark"),
    ],
)
def test_the_appearance_is_found_out(changes: dict[str, Any], appearance: str) -> None:
    data = full(**{token: "#111111" for token in REQUIRED_TOKENS if token.endswith("Bg")} | changes)
    del data["appearance"]
    assert loaded(data).appearance == appearance


def test_two_themes_never_have_the_same_version() -> None:
    assert loaded(full()).version != loaded(full()).version


def test_faults_name_file_line_and_key_and_the_rest_loads(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    text = json.dumps({**full(accent="missing", error="#12", extra="#123"), "oops": 1}, indent=2)
    file.write_text(text)
    theme, found = load_theme(file)
    assert theme is not None
    assert theme.hex("border") == "#abcdef"
    lines = text.split("\n")
    told = {each.key: each for each in found}
    for key, name in (("colors.accent", "accent"), ("colors.error", "error"), ("colors.extra", "extra")):
        assert told[key].file == file
        assert told[key].line == 1 + next(n for n, line in enumerate(lines) if f'"{name}"' in line)
    assert told["oops"].severity == "warning"
    assert "missing" in told["colors.accent"].message


def test_missing_colours_are_told_and_taken_from_our_own_theme() -> None:
    ours, _ = load_theme(shipped("themes") / "light.json")
    data = full()
    del data["colors"]["success"]
    data["appearance"] = "light"
    theme, found = load_theme(data)
    assert theme is not None
    assert ours is not None
    assert theme.hex("success") == ours.hex("success")
    assert ["success" in each.text() for each in found] == [True]


@pytest.mark.parametrize(
    "variables",
    [{"a": "a"}, {"a": "b", "b": "a"}, {"a": "nowhere"}, {"a": 256}, {"a": -1}, {"a": True}, {"a": None}],
)
def test_variables_without_an_end_are_faults(variables: dict[str, Any]) -> None:
    data = {**full(accent="a"), "vars": variables}
    theme, found = load_theme(data)
    assert theme is not None
    assert {each.key for each in found} == {"vars." + key for key in variables} | {"colors.accent"}


def test_a_hint_for_a_misspelt_name() -> None:
    assert any("'accent'" in text for text in faults(full(acent="#123456")))


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ([], None),
        ({"colors": {}}, "name"),
        ({"name": "a/b", "colors": {}}, "name"),
        ({"name": "system", "colors": {}}, "name"),
        ({"name": "x"}, "colors"),
        ({"name": "x", "colors": []}, "colors"),
    ],
)
def test_what_is_no_theme_is_refused(data: Any, key: str | None) -> None:
    theme, found = load_theme(json.dumps(data))
    assert theme is None
    assert [each.key for each in found if each.severity == "error"] == [key]


def test_broken_json_names_the_line(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text('{\n "name": "x"\n "colors": {}\n}')
    theme, found = load_theme(file)
    assert theme is None
    assert [(each.file, each.line) for each in found] == [(file, 3)]


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(full()).encode())
    assert loaded(file).name == "mine"


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    theme, found = load_theme(tmp_path / "none.json")
    assert theme is None
    assert found[0].file == tmp_path / "none.json"


def test_export_colours() -> None:
    theme = loaded({**full(), "export": {"pageBg": "#010203"}})
    assert theme.page_hex == "#010203"
    assert loaded(full()).page_hex == "#000000"
