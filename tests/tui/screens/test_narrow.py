"""Lists and dialogs where there is little room: what they are, and how to leave them, is always told."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.geometry import Size

from pi_term.base.paths import shipped
from pi_term.coding.stats import SessionStats
from pi_term.render.line import Line
from pi_term.render.theme import Theme, load_theme
from pi_term.testing.app import run_app
from pi_term.testing.scripted import Say, ScriptedModel
from pi_term.tui.screens.browser_layout import explained, hint_rows, rows_that_fit
from pi_term.tui.screens.session_info import Sum, table
from pi_term.tui.screens.title_rows import title_rows
from pi_term.tui.text import place_text


@pytest.fixture(scope="module")
def dark() -> Theme:
    theme, _ = load_theme(shipped("themes") / "dark.json")
    assert theme is not None
    return theme


def texts(lines: list[Line]) -> list[str]:
    return [line.source_text.strip() for line in lines]


def test_what_is_left_out_of_the_hints_is_seen() -> None:
    keys = ["a opens", "b closes", "c copies"]
    assert rows_that_fit(keys, 40, 1) == ["a opens · b closes · c copies"]
    assert rows_that_fit(keys, 20, 2) == ["a opens · b closes", "c copies"]
    assert rows_that_fit(keys, 20, 1) == ["a opens · …"]
    assert rows_that_fit(keys, 3, 1) == ["a opens · …"]
    assert rows_that_fit([], 20, 1) == []


def test_how_to_get_out_is_told_first_of_all() -> None:
    hints = ["enter opens", "ctrl+s sorts", "esc closes"]
    assert hint_rows(hints, 60, 1) == ["enter opens · esc closes · ctrl+s sorts"]
    assert hint_rows(hints, 30, 1) == ["enter opens · esc closes · …"]
    assert hint_rows(hints, 24, 1) == ["esc closes · …"]
    assert hint_rows(hints, 24, 2) == ["enter opens · esc closes", "ctrl+s sorts"]


def test_a_heading_is_wrapped_and_goes_where_there_is_no_room_at_all(dark: Theme) -> None:
    sentence = "one two three four five"
    assert texts(explained(sentence, Size(30, 24), dark)) == [sentence]
    assert texts(explained(sentence, Size(16, 24), dark)) == ["one two three", "four five"]
    assert texts(explained(sentence, Size(16, 18), dark)) == ["one two …"]
    assert texts(explained(sentence, Size(16, 12), dark)) == []


def test_a_place_in_a_list() -> None:
    assert place_text(2, 12) == "(3/12)"
    assert place_text(0, 0) == "(0/0)"
    assert place_text(0, 3, more=True) == "(1/3…)"
    assert place_text(0, 0, more=True) == "…"


def test_sums_are_all_there_however_narrow(dark: Theme) -> None:
    stats = SessionStats()
    stats.input, stats.output, stats.cache_read, stats.user_messages = 1200, 340, 800, 7
    rows = [Sum("a branch with a name that is long", stats, here=True)]
    for width in (37, 57, 77, 120):
        lines = texts(table("By branch", "prompts", rows, width, dark))
        told = " ".join(lines)
        for wanted in ("1.2k", "340", "800", "40 %", "$0.000", "7", "prompts", "← here"):
            assert wanted in told, (width, wanted)
        assert all(len(line) <= width for line in lines)
    assert texts(table("By branch", "prompts", rows, 57, dark))[-2].startswith("in 1.2k · out 340 · cached")


def test_a_long_question_is_wrapped_and_a_very_long_one_cut(dark: Theme) -> None:
    style = dark.style("accent")
    assert texts(title_rows([("Is that so? " * 3, style)], 20, 9)) == [
        "Is that so? Is",
        "that so? Is that",
        "so?",
    ]
    assert texts(title_rows([("Is that so? " * 30, style)], 20, 3))[-1] == "…"


async def test_each_list_says_what_it_is_and_how_it_closes(tmp_path: Path) -> None:
    with ScriptedModel([[Say("answer")]]) as script:
        async with run_app(script, tmp_path, size=(60, 20)) as driver:
            await driver.send("a prompt")
            await driver.settle()
            for command, title in (
                ("tree", "Session Tree (2/2)"),
                ("fork", "Fork (1/1)"),
                ("rewind", "Go back to before which prompt? (1/1)"),
                ("resume", "Resume (1/1)"),
                ("session", "Session"),
                ("context", "What the model gets next (1/"),
                ("changes", "What the agent changed in this session"),
                ("hotkeys", "Keys"),
                ("settings", "Settings"),
                ("model", "Model"),
                ("theme", "Theme"),
                ("keymap", "Keymap"),
                ("scoped-models", "Models to go through"),
                ("changelog", "What is new"),
                ("trust", "is not trusted"),
                ("login", "Log in to"),
            ):
                await driver.send(f"/{command}")
                screen = await driver.wait_for(
                    lambda text, title=title: (
                        title in text and "looking…" not in text and "esc closes" in text
                    )
                )
                assert max(map(len, screen.splitlines())) <= 60
                await driver.press("escape")
                await driver.wait_for(lambda text, title=title: "esc closes" not in text)
