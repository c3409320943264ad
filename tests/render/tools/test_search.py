"""How calls of `grep`, `find` and `ls` are drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.ai.messages import TextContent
from pi_term.base.paths import shipped
from pi_term.render.line import ViewOptions
from pi_term.render.theme import load_theme
from pi_term.render.tools.call import CallStatus, ToolCallState
from pi_term.render.tools.panel import Panel
from pi_term.render.tools.renderer import Title, ToolRenderer
from pi_term.render.tools.search import FindRenderer, GrepRenderer, LsRenderer

THEME, _ = load_theme(shipped("themes") / "dark.json")
assert THEME is not None
VIEW = ViewOptions(THEME)
RENDERERS: dict[str, ToolRenderer] = {"grep": GrepRenderer(), "find": FindRenderer(), "ls": LsRenderer()}
MANY = "\n".join(f"src/f{number}.py:{number}: hit {number}" for number in range(1, 9))


def call(name: str, args: dict[str, Any], text: str | None = None, **more: Any) -> ToolCallState:
    status: CallStatus = more.get("status", "running" if text is None else "ok")
    content = [] if text is None else [TextContent(text)]
    return ToolCallState(name, args, status, content, more.get("details"))


def title(state: ToolCallState) -> tuple[str, str]:
    drawn = RENDERERS[state.name].title(state)
    assert isinstance(drawn, Title)
    return drawn.text, drawn.extra


def body(state: ToolCallState, *, expanded: bool = False, width: int = 60) -> list[str]:
    rows = RENDERERS[state.name].body(state, Panel(width, replace(VIEW, expanded=expanded), "toolSuccessBg"))
    assert all(row.cell_length == width for row in rows)
    return [row.text.strip() for row in rows]


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (call("grep", {"pattern": "fo+"}), ("fo+", "")),
        (call("grep", {"pattern": "fo+", "path": "src", "glob": "*.py"}), ("fo+ in src", "*.py")),
        (call("grep", {"pattern": "x", "literal": True, "ignoreCase": True}), ("x", "literal  any case")),
        (call("grep", {"pattern": "x"}, "a:1: x\na-2- y\nb:3: x"), ("x", "2 matches")),
        (call("grep", {"pattern": "x"}, "a:1: x"), ("x", "1 match")),
        (call("grep", {"pattern": "x"}, "No matches found"), ("x", "no matches")),
        (
            call("grep", {"pattern": "x"}, "a:1: x\n\n[100 …]", details={"matchLimitReached": 1}),
            ("x", "1+ matches"),
        ),
        (call("find", {"pattern": "*.py", "path": "src"}, "a.py\nb.py"), ("*.py in src", "2 paths")),
        (call("find", {"pattern": "*"}, "a\n\n[50.0KB …]", details={"truncation": {}}), ("*", "1+ paths")),
        (call("find", {"pattern": "*"}, "No files found matching pattern"), ("*", "no paths")),
        (call("ls", {}), (".", "")),
        (call("ls", {"path": "src"}, "a\nb/\nc"), ("src", "3 names")),
        (call("ls", {"path": "src"}, "(empty directory)"), ("src", "no names")),
        (call("ls", {"path": "\x1b[2Jx\ny"}), ("x y", "")),
        (call("ls", {"path": "x"}, "No such", status="error"), ("x", "")),
    ],
)
def test_the_row_tells_what_was_looked_for_and_how_much_was_found(
    state: ToolCallState, expected: tuple[str, str]
) -> None:
    assert title(state) == expected


def test_some_lines_are_shown_and_all_of_them_expanded() -> None:
    state = call("grep", {"pattern": "hit"}, MANY)
    shown = body(state)
    assert shown[:5] == MANY.split("\n")[:5]
    assert shown[5].startswith("…3 more lines")
    assert body(state, expanded=True) == MANY.split("\n")
    assert RENDERERS["grep"].expandable(state)
    assert not RENDERERS["grep"].expandable(call("grep", {}, "a:1: x"))


def test_the_note_is_shown_in_both() -> None:
    note = "Ignore files hid matches: node_modules/"
    state = call("find", {"pattern": "*"}, "\n".join(map(str, range(9))) + f"\n\n[{note}]")
    assert body(state)[-1] == note
    assert body(state, expanded=True)[-2:] == ["8", note]
    assert body(call("find", {"pattern": "*"}, f"No files found matching pattern\n\n[{note}]")) == [note]


def test_nothing_found_needs_no_lines() -> None:
    for name, text in (("grep", "No matches found"), ("ls", "(empty directory)")):
        assert body(call(name, {"pattern": "x"}, text)) == []


def test_an_error_is_shown() -> None:
    assert body(call("grep", {"pattern": "("}, "regex parse error:\n    (", status="error")) == [
        "regex parse error:",
        "(",
    ]


def test_a_place_stands_out_from_what_it_says() -> None:
    rows = RENDERERS["grep"].body(
        call("grep", {}, "a.py:12: x = \x1b[31mred\x1b[0m"), Panel(60, VIEW, "toolSuccessBg")
    )
    texts = {segment.text: segment.style for segment in rows[0].segments}
    assert texts["a.py:12: "] == VIEW.theme.style("muted", "toolSuccessBg")
    assert rows[0].text.strip() == "a.py:12: x = red"


@pytest.mark.parametrize("value", [None, 5, [], {}, True])
def test_arguments_of_any_shape_are_survived(value: Any) -> None:
    for name in RENDERERS:
        state = call(name, {"pattern": value, "path": value, "glob": value}, "x", details=value)
        title(state)
        body(state)


@given(
    st.sampled_from(sorted(RENDERERS)),
    st.text() | st.text(st.sampled_from("a\u0301\u200d👩 \t\r\x1b[31m日\n")).map("a:1: {}".format),
    st.booleans(),
    st.integers(3, 30),
)
def test_any_text_fits(name: str, text: str, expanded: bool, width: int) -> None:
    state = call(name, {"pattern": text, "path": text, "glob": text}, text)
    assert "\n" not in "".join(title(state))
    for row in body(state, expanded=expanded, width=width):
        assert "\x1b" not in row
