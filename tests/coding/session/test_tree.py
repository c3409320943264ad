"""Walking the tree and moving in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_term.coding.session import CustomEntry, Label, LabelEntry, SessionFile, SessionInfoEntry


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
    session.tree.leaf = session.tree.get(first.id)
    third = session.append(CustomEntry("x", 3))
    assert third.parent is first
    assert session.tree.children(first) == [second, third]
    session.tree.leaf = None
    assert session.tree.branch() == []
    assert session.append(CustomEntry("x", 4)).parent is None


def test_an_empty_session_has_no_branch() -> None:
    tree = SessionFile.in_memory("/w").tree
    assert (tree.branch(), tree.leaf, tree.name, tree.children(None)) == ([], None, None, [])


def texts(session: SessionFile) -> dict[str, str]:
    return {id: label.text for id, label in session.tree.labels.items()}


class TestLabels:
    def test_the_last_one_counts_whatever_the_branch(self, session: SessionFile, build: Any) -> None:
        model, user, answer = build.ids(session)
        session.append(LabelEntry(user, "one", timestamp="2026-01-02T03:04:05.000Z"))
        session.append(LabelEntry(answer, "two"))
        session.tree.leaf = session.tree.get(model)
        assert session.tree.labels[user] == Label("one", "2026-01-02T03:04:05.000Z")
        session.append(LabelEntry(user, "three"))
        assert texts(session) == {user: "three", answer: "two"}
        session.append(LabelEntry(answer))
        session.append(LabelEntry(user, ""))
        session.append(LabelEntry("not there", "x"))
        assert texts(session) == {"not there": "x"}
        assert session.path is not None
        assert texts(SessionFile.open(session.path)) == {"not there": "x"}

    def test_what_is_no_label_is_none(self, tmp_path: Path, build: Any) -> None:
        lines = [
            build.message("a", None),
            build.entry("label", "b", "a", targetId="a", label="good"),
            build.entry("label", "c", "b", targetId=5, label="x"),
            build.entry("label", "d", "c", label="x"),
            build.entry("label", "e", "d", targetId="b", label=["x"]),
            build.entry("label", "f", "e", targetId="a", label="torn")[:-9] + b"\n",
        ]
        assert texts(SessionFile.open(build.file(tmp_path, *lines))) == {"a": "good"}


class TestOtherProcesses:
    """What others append counts at once; the order in the file decides, not that of getting to know it."""

    def test_names_and_labels(self, session: SessionFile, build: Any) -> None:
        target = build.ids(session)[0]
        assert session.path is not None
        other = SessionFile.open(session.path)
        other.append(SessionInfoEntry("theirs"))
        other.append(LabelEntry(target, "theirs"))
        assert (session.tree.name, session.tree.labels) == (None, {})
        session.append(CustomEntry("x"))
        assert (session.tree.name, texts(session)) == ("theirs", {target: "theirs"})
        other.append(SessionInfoEntry("theirs again"))
        other.append(LabelEntry(target, "theirs again"))
        session.add(SessionInfoEntry("ours"))
        session.add(LabelEntry(target, "ours"))
        session.flush()
        for each in (session, SessionFile.open(session.path)):
            assert (each.tree.name, texts(each)) == ("ours", {target: "ours"})


class TestName:
    def test_space_around_it_and_blank_ones(self, session: SessionFile) -> None:
        session.append(SessionInfoEntry("  one "))
        assert session.tree.name == "one"
        session.append(SessionInfoEntry(" "))
        assert session.tree.name is None

    def test_a_damaged_one_does_not_hide_the_one_before(self, tmp_path: Path, build: Any) -> None:
        broken = build.entry("session_info", "b", "a", name="two").replace(b'"two"', b'"two')
        lines = [build.entry("session_info", "a", None, name="one"), broken]
        assert SessionFile.open(build.file(tmp_path, *lines)).tree.name == "one"

    def test_asking_costs_nothing_in_a_long_session(
        self, tmp_path: Path, build: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lines = [build.entry("session_info", "n", None, name="long"), *build.chain(3000)]
        tree = SessionFile.open(build.file(tmp_path, *lines)).tree
        assert tree.name == "long"
        assert tree.labels == {}

        class Untouchable(list[Any]):
            def __iter__(self) -> Any:
                raise AssertionError("the entries were gone through")

            __reversed__ = __iter__

        tree.entries = Untouchable(tree.entries)
        monkeypatch.setattr(tree.lines, "decode", None)
        assert tree.name == "long"
        assert tree.labels == {}
