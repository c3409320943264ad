"""Going from one place of the tree to another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.ai.messages import AssistantMessage, ImageContent, TextContent, UserMessage
from pi_term.coding.session import (
    BranchSummaryEntry,
    CustomEntry,
    CustomMessageEntry,
    MessageEntry,
    SessionFile,
    StoredEntry,
    abandoned,
    common_ancestor,
    landing,
)


@pytest.fixture
def forked(tmp_path: Path, build: Any) -> SessionFile:
    """a - b - c - d, and b - x - y, and another root r - s."""
    lines = [
        build.message(*each)
        for each in (
            ("a", None),
            ("b", "a"),
            ("c", "b"),
            ("d", "c"),
            ("x", "b"),
            ("y", "x"),
            ("r", None),
            ("s", "r"),
        )
    ]
    return SessionFile.open(build.file(tmp_path, *lines))


def ids(entries: list[StoredEntry]) -> list[str]:
    return [entry.id for entry in entries]


@pytest.mark.parametrize(
    ("start", "end", "ancestor", "left"),
    [
        ("d", "y", "b", ["c", "d"]),
        ("y", "d", "b", ["x", "y"]),
        ("d", "b", "b", ["c", "d"]),
        ("b", "d", "b", []),
        ("d", "d", "d", []),
        ("d", "s", None, ["a", "b", "c", "d"]),
        ("d", None, None, ["a", "b", "c", "d"]),
        (None, "d", None, []),
        (None, None, None, []),
    ],
)
def test_what_is_left_behind(
    forked: SessionFile, start: str | None, end: str | None, ancestor: str | None, left: list[str]
) -> None:
    old, new = (forked.tree.by_id.get(id or "") for id in (start, end))
    found = common_ancestor(old, new)
    assert (found and found.id) == ancestor
    assert ids(abandoned(old, new)) == left


@given(st.lists(st.integers(0, 30), min_size=2, max_size=30), st.data())
def test_as_the_paths_say(parents: list[int], data: st.DataObject) -> None:
    session = SessionFile.in_memory("/w")
    for number, parent in enumerate(parents):
        session.tree.leaf = session.tree.entries[parent] if parent < number else None
        session.append(CustomEntry("x"))
    a, b = (data.draw(st.sampled_from(session.tree.entries)) for _ in range(2))
    path_a, path_b = session.tree.branch(a), session.tree.branch(b)
    shared = [entry for entry in path_a if entry in path_b]
    assert common_ancestor(a, b) is (shared[-1] if shared else None)
    assert abandoned(a, b) == path_a[len(shared) :]


def test_a_step_aside_in_a_long_session_is_no_walk_to_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counted(StoredEntry):
        steps = 0

        @property
        def parent(self) -> StoredEntry | None:  # type: ignore[override]
            Counted.steps += 1
            return above.get(self)

        @parent.setter
        def parent(self, entry: StoredEntry | None) -> None:
            return None

    above: dict[Any, StoredEntry] = {}
    chain: list[StoredEntry] = []
    for number in range(5000):
        chain.append(Counted(str(number), None, "x", None, "", 0, 0, None, None))  # type: ignore[arg-type]
        if number:
            above[chain[-1]] = chain[-2]
    side = Counted("side", None, "x", None, "", 0, 0, None, None)  # type: ignore[arg-type]
    above[side] = chain[-3]
    assert common_ancestor(chain[-1], side) is chain[-3]
    assert abandoned(chain[-1], side) == chain[-2:]
    assert Counted.steps < 20


class TestLanding:
    def test_a_prompt_goes_back_into_the_editor(self, session: SessionFile) -> None:
        model, user, answer = session.tree.branch()
        assert landing(user) == (model, "hello")
        assert landing(answer) == (answer, None)
        assert landing(model) == (model, None)

    def test_the_first_prompt_makes_room_for_another_root(self) -> None:
        session = SessionFile.in_memory("/w")
        image = ImageContent(data="AA==", mime_type="image/png")
        first = session.append(MessageEntry(UserMessage(content=[TextContent("a"), image, TextContent("b")])))
        session.append(MessageEntry(AssistantMessage(content=[TextContent("x")])))
        leaf, text = landing(first)
        assert (leaf, text) == (None, "a\nb")
        session.tree.leaf = leaf
        second = session.append(MessageEntry(UserMessage(content="another")))
        assert ids(session.tree.children(None)) == [first.id, second.id]
        assert landing(second) == (None, "another")

    def test_what_an_extension_said(self) -> None:
        session = SessionFile.in_memory("/w")
        before = session.append(CustomEntry("x"))
        said = session.append(CustomMessageEntry("x", "note", display=True))
        summary = session.append(BranchSummaryEntry(before.id, "left"))
        assert landing(said) == (before, "note")
        assert landing(summary) == (summary, None)

    def test_what_cannot_be_understood_is_gone_on_from(self, tmp_path: Path, build: Any) -> None:
        odd = build.entry("message", "a", None, message={"role": "user", "content": 5})
        entry = SessionFile.open(build.file(tmp_path, odd)).tree.entries[0]
        assert landing(entry) == (entry, None)

    def test_a_damaged_entry_is_no_place_to_be(self, tmp_path: Path, build: Any) -> None:
        lines = build.chain(3)
        lines[1] = lines[1][:-30] + b"\n"
        tree = SessionFile.open(build.file(tmp_path, *lines)).tree
        assert landing(tree.by_id["e3"]) == (tree.by_id["e1"], "text 3")
        assert ids(abandoned(tree.by_id["e3"], None)) == ["e1", "e3"]

    def test_moving_is_in_memory_only(self, session: SessionFile) -> None:
        assert session.path is not None
        before = session.path.read_bytes()
        session.tree.leaf, _ = landing(session.tree.branch()[1])
        session.flush()
        assert session.path.read_bytes() == before
