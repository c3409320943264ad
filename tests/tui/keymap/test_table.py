"""Layers of bindings: who gets a key when several want it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pi_term.base.diagnostics import Diagnostic
from pi_term.tui.actions import ACTIONS, EDITOR_CONTEXTS
from pi_term.tui.keymap.table import KeyTable, load_table


def load(folder: Path, user: Any = None, **files: Any) -> tuple[KeyTable, list[Diagnostic]]:
    paths: dict[str, Path] = {}
    for name, content in {"user": user, **files}.items():
        if content is not None:
            paths[name] = folder / f"{name}.json"
            paths[name].write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return load_table(**paths)


def test_the_shipped_defaults_are_clean_and_clash_only_on_purpose() -> None:
    table, problems = load_table()
    assert problems == []
    shared: dict[tuple[str, str], list[str]] = {}
    for action in ACTIONS:
        for key in table.keys_for(action.id):
            shared.setdefault((action.scope, key), []).append(action.id)
    assert [ids for ids in shared.values() if len(ids) > 1] == [["tui.input.copy", "app.clear"]]


def test_pi_s_defaults_come_first() -> None:
    table, _ = load_table()
    assert table.keys_for("tui.editor.cursorLeft") == ("left", "ctrl+b")
    assert table.keys_for("tui.editor.undo")[0] == "ctrl+-"
    assert table.hint("app.message.followUp") == "alt+enter"
    assert table.hint("tui.editor.historyNext") == ""
    assert table.hint("app.session.new") == "alt+n"


def test_a_user_s_key_is_taken_from_the_action_that_had_it(tmp_path: Path) -> None:
    """B-066."""
    table, problems = load(tmp_path, {"tui.editor.cursorUp": ["up", "ctrl+p"]})
    assert problems == []
    assert table.find(EDITOR_CONTEXTS, ("ctrl+p",)) == ("tui.editor.cursorUp",)
    assert table.keys_for("app.model.cycleForward") == ()
    assert table.find(EDITOR_CONTEXTS, ("up",)) == ("tui.editor.cursorUp",)
    defaults, _ = load_table()
    for action in ACTIONS:
        if action.id not in ("tui.editor.cursorUp", "app.model.cycleForward"):
            assert table.keys_for(action.id) == defaults.keys_for(action.id)


def test_a_list_may_use_keys_of_the_screen_below_it(tmp_path: Path) -> None:
    table, problems = load(tmp_path, {"tui.select.up": ["up", "ctrl+p"]})
    assert problems == []
    assert table.keys_for("app.model.cycleForward") == ("ctrl+p",)


def test_repeating_a_shared_default_leaves_it_shared(tmp_path: Path) -> None:
    table, problems = load(tmp_path, {"app.exit": ["ctrl+d", "ctrl+alt+q"]})
    assert problems == []
    assert table.find(EDITOR_CONTEXTS, ("ctrl+d",)) == ("tui.editor.deleteCharForward", "app.exit")


def test_an_empty_list_unbinds(tmp_path: Path) -> None:
    table, problems = load(tmp_path, {"tui.altScreen.pageUp": []})
    assert problems == []
    assert table.find(EDITOR_CONTEXTS, ("pageup",)) == ("tui.editor.pageUp",)


@pytest.mark.parametrize(("key", "normal"), [("+", "plus"), ("ctrl++", "ctrl+plus")])
def test_plus_is_a_key(tmp_path: Path, key: str, normal: str) -> None:
    table, _ = load(tmp_path, {"app.message.copy": key})
    assert table.find(EDITOR_CONTEXTS, (normal,)) == ("app.message.copy",)


def test_unknown_actions_and_keys_are_told_and_the_rest_applies(tmp_path: Path) -> None:
    table, problems = load(
        tmp_path, {"app.message.copy": "alt+w", "app.nothing": "x", "app.model.select": "hyper+y"}
    )
    assert table.keys_for("app.message.copy") == ("alt+w",)
    assert table.keys_for("app.model.select") == ("ctrl+l",)
    assert [(each.file, each.line, each.key) for each in problems] == [
        (tmp_path / "user.json", 3, "app.nothing"),
        (tmp_path / "user.json", 4, "app.model.select"),
    ]


def test_keys_of_a_list_take_none_from_the_editor(tmp_path: Path) -> None:
    table, problems = load(tmp_path, {"app.session.rename": "ctrl+t"})
    assert problems == []
    assert table.keys_for("app.thinking.toggle") == ("ctrl+t",)


def test_a_broken_file_costs_only_itself(tmp_path: Path) -> None:
    table, problems = load(tmp_path, "{ nonsense", project={"app.message.copy": "alt+w"})
    assert table.keys_for("app.message.copy") == ("alt+w",)
    assert table.keys_for("app.interrupt") == ("escape",)
    assert [each.severity for each in problems] == ["error"]


def test_the_later_file_wins(tmp_path: Path) -> None:
    table, problems = load(
        tmp_path,
        {"app.message.copy": "alt+u", "app.session.new": "alt+s"},
        keymap={"app.message.copy": "alt+k", "app.model.select": "alt+m"},
        project={"app.session.new": "alt+m"},
    )
    assert problems == []
    assert table.keys_for("app.message.copy") == ("alt+u",)
    assert table.keys_for("app.session.new") == ("alt+m",)
    assert table.keys_for("app.model.select") == ()


def test_two_actions_of_one_file_on_one_key_clash(tmp_path: Path) -> None:
    _, problems = load(tmp_path, {"app.message.copy": "alt+w", "app.model.select": "alt+w"})
    assert [(each.severity, each.line, each.key) for each in problems] == [("warning", 3, "app.model.select")]
    assert "app.message.copy" in problems[0].message


def test_a_chord_that_begins_with_a_bound_key_clashes(tmp_path: Path) -> None:
    _, problems = load(tmp_path, {"app.message.copy": "alt+w", "app.model.select": "alt+w s"})
    assert [each.key for each in problems] == ["app.model.select"]


def test_a_chord_takes_the_key_it_begins_with(tmp_path: Path) -> None:
    table, problems = load(tmp_path, {"app.session.new": "ctrl+x n"})
    assert problems == []
    assert table.keys_for("app.message.copy") == ()
    assert table.continues(EDITOR_CONTEXTS, ("ctrl+x",))
    assert table.find(EDITOR_CONTEXTS, ("ctrl+x", "n")) == ("app.session.new",)


def test_keys_out_of_reach_are_told(tmp_path: Path) -> None:
    _, problems = load(
        tmp_path,
        {
            "app.session.new": "ctrl+shift+n",
            "app.message.copy": ["ctrl+shift+c", "alt+w"],
            "app.model.select": "shift+1",
        },
    )
    assert [(each.severity, each.key) for each in problems] == [
        ("info", "app.session.new"),
        ("warning", "app.model.select"),
        ("info", "app.model.select"),
    ]
