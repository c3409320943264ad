"""The keymaps that come with the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_term.base.paths import shipped
from pi_term.tui.actions import ACTIONS
from pi_term.tui.keymap.resolver import KeyResolver, Match
from pi_term.tui.keymap.table import load_table

OTHERS = sorted(path for path in shipped("keymaps").glob("*.json") if path.stem != "pi")


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_nothing_is_wrong_with_it_and_no_operation_loses_its_keys(path: Path) -> None:
    table, problems = load_table(keymap=path)
    defaults, _ = load_table()
    assert [problem.text() for problem in problems if problem.severity != "info"] == []
    lost = [each.id for each in ACTIONS if defaults.keys_for(each.id) and not table.keys_for(each.id)]
    assert lost == []


def test_emacs_has_its_chords() -> None:
    table, _ = load_table(keymap=shipped("keymaps") / "emacs.json")
    resolver = KeyResolver(table)
    resolver.resolve(("transcript", "editor", "app"), "ctrl+x")
    found = resolver.resolve(("transcript", "editor", "app"), "ctrl+e")
    assert isinstance(found, Match)
    assert found.action_ids == ("app.editor.external",)
