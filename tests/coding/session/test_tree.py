"""Walking the tree and moving in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_term.base.errors import PiTermError
from pi_term.coding.session import CustomEntry, SessionFile


def test_branches_children_and_roots(tmp_path: Path, build: Any) -> None:
    lines = [
        build.message("a", None),
        build.message("b", "a"),
        build.message("c", "b"),
        build.message("d", "b"),
        build.message("r", None),
    ]
    tree = SessionFile.open(build.file(tmp_path, *lines)).tree
    assert [entry.id for entry in tree.branch()] == ["r"]
    assert [entry.id for entry in tree.branch(tree.get("c"))] == ["a", "b", "c"]
    assert [entry.id for entry in tree.children(tree.get("b"))] == ["c", "d"]
    assert [entry.id for entry in tree.children(None)] == ["a", "r"]
    assert tree.get("nothing") is None


def test_the_position_moves_and_new_entries_follow_it(build: Any) -> None:
    session = SessionFile.in_memory("/w")
    first = session.append(CustomEntry("x", 1))
    second = session.append(CustomEntry("x", 2))
    assert session.tree.children(first) == [second]
    session.tree.set_leaf(first.id)
    third = session.append(CustomEntry("x", 3))
    assert third.parent is first
    assert session.tree.children(first) == [second, third]
    session.tree.set_leaf(None)
    assert session.tree.branch() == []
    assert session.append(CustomEntry("x", 4)).parent is None
    with pytest.raises(PiTermError, match="no entry"):
        session.tree.set_leaf("unknown")


def test_an_empty_session_has_no_branch() -> None:
    tree = SessionFile.in_memory("/w").tree
    assert (tree.branch(), tree.leaf, tree.name, tree.children(None)) == ([], None, None, [])
