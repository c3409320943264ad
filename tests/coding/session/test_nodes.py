"""The tree as clients get it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pi_term.base.errors import PiTermError
from pi_term.base.json import dumps
from pi_term.coding.session import CustomEntry, LabelEntry, SessionFile, entries_since, tree_nodes


def outline(nodes: list[dict[str, Any]]) -> list[Any]:
    return [(node["entry"]["id"], outline(node["children"])) for node in nodes]


def at(second: int) -> str:
    return f"2026-01-02T03:04:{second:02}.000Z"


def test_children_are_in_the_order_of_their_time_and_roots_in_that_of_the_file(
    tmp_path: Path, build: Any
) -> None:
    def entry(id: str, parent: str | None, second: int) -> bytes:
        line: bytes = build.line({"type": "x", "id": id, "parentId": parent, "timestamp": at(second)})
        return line

    lines = [
        entry("r", None, 9),
        entry("b", "r", 8),
        entry("a", "r", 5),
        entry("r2", None, 1),
        entry("o", "gone", 0),
    ]
    session = SessionFile.open(build.file(tmp_path, *lines))
    assert outline(tree_nodes(session.tree)) == [("r", [("a", []), ("b", [])]), ("r2", []), ("o", [])]


def test_a_node_has_the_entry_as_it_is_stored_and_its_label(session: SessionFile, build: Any) -> None:
    first, user, _ = build.ids(session)
    session.append(LabelEntry(user, "mark", timestamp=at(3)))
    session.append(LabelEntry(first, "gone"))
    session.append(LabelEntry(first))
    (root,) = tree_nodes(session.tree)
    assert list(root) == ["entry", "children"]
    (node,) = root["children"]
    assert list(node) == ["entry", "children", "label", "labelTimestamp"]
    assert (node["label"], node["labelTimestamp"]) == ("mark", at(3))
    assert node["entry"] == json.loads(session.tree.entries[1].line)


def test_damaged_entries_are_no_nodes(tmp_path: Path, build: Any) -> None:
    lines = build.chain(4)
    lines[1] = lines[1][:-30] + b"\n"
    lines[3] = lines[3].replace(b'"text":"text 4"', b'"text":"text 4', 1)
    session = SessionFile.open(build.file(tmp_path, *lines))
    assert outline(tree_nodes(session.tree)) == [("e1", [("e3", [])])]


def test_cycles_and_equal_ids(tmp_path: Path, build: Any) -> None:
    lines = [
        build.message("a", "b"),
        build.message("b", "a"),
        build.message("a", "b", "again"),
        build.message("c", "a"),
    ]
    session = SessionFile.open(build.file(tmp_path, *lines))
    assert outline(tree_nodes(session.tree)) == [("a", [("b", [("a", [("c", [])])])])]


def test_a_session_of_thousands_of_levels_can_be_sent(tmp_path: Path, build: Any) -> None:
    depth = 5000
    session = SessionFile.open(build.file(tmp_path, *build.chain(depth)))
    text = dumps({"tree": tree_nodes(session.tree), "leafId": "e5000"})
    assert text.startswith(b'{"tree":[{"entry":{"type":"message","id":"e1","parentId":null,')
    assert text.endswith(b'"children":[]' + b"}]" * depth + b',"leafId":"e5000"}')
    assert text.count(b'"children":[') == depth


class TestSince:
    def test_what_came_after_an_entry(self, session: SessionFile, build: Any) -> None:
        first, second, third = build.ids(session)
        session.tree.leaf = session.tree.get(first)
        other = session.append(CustomEntry("x"))
        assert [entry.id for entry in entries_since(session.tree)] == [first, second, third, other.id]
        assert [entry.id for entry in entries_since(session.tree, second)] == [third, other.id]
        assert entries_since(session.tree, other.id) == []
        with pytest.raises(PiTermError) as unknown:
            entries_since(session.tree, "nothing")
        assert unknown.value.code == "no_entry"

    def test_what_another_process_appended_comes_after_what_was_known(self, session: SessionFile) -> None:
        assert session.path is not None
        SessionFile.open(session.path).append(CustomEntry("theirs"))
        ours = session.add(CustomEntry("ours"))
        seen = entries_since(session.tree)[-1]
        assert seen is ours
        session.flush()
        assert [entry.data["customType"] for entry in entries_since(session.tree, ours.id)] == ["theirs"]

    def test_damaged_ones_are_left_out(self, tmp_path: Path, build: Any) -> None:
        lines = build.chain(3)
        lines[1] = lines[1][:-30] + b"\n"
        tree = SessionFile.open(build.file(tmp_path, *lines)).tree
        assert [entry.id for entry in entries_since(tree)] == ["e1", "e3"]
