"""What is seen of a session before it is open is the end of what is seen then."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.ai.messages import TextContent, UserMessage
from pi_term.base.errors import PiTermError
from pi_term.coding.session import MessageEntry, SessionFile, peek

WINDOW = 1 << 18


def said(text: str) -> MessageEntry:
    return MessageEntry(message=UserMessage([TextContent(text)]))


def stored(folder: Path, texts: list[str]) -> Path:
    session = SessionFile.create(folder, "/work")
    for text in texts:
        session.add(said(text))
    session.flush()
    session.close()
    assert session.path is not None
    return session.path


def peeked(path: Path) -> list[str]:
    """The ids of the branch that is seen."""
    tree = peek(path)
    if tree is None:
        return []
    try:
        assert all(entry.record() is not None for entry in tree.branch())
        return [entry.id for entry in tree.branch()]
    finally:
        tree.lines.close()


def opened(path: Path) -> list[str]:
    session = SessionFile.open(path)
    session.close()
    return [entry.id for entry in session.tree.branch()]


@given(lengths=st.lists(st.integers(0, WINDOW // 3), min_size=1, max_size=12))
def test_it_is_the_end_of_the_branch(tmp_path_factory: pytest.TempPathFactory, lengths: list[int]) -> None:
    path = stored(tmp_path_factory.mktemp("s"), ["ä" * length for length in lengths])
    seen = peeked(path)
    assert seen
    assert opened(path)[-len(seen) :] == seen
    if os.path.getsize(path) <= WINDOW:
        assert seen == opened(path)


def test_only_the_branch_of_the_last_entry(tmp_path: Path) -> None:
    path = stored(tmp_path, ["a", "b"])
    session = SessionFile.open(path)
    first = session.tree.branch()[0]
    session.tree.leaf = first
    session.append(said("c"))
    session.close()
    assert peeked(path) == opened(path)
    assert len(peeked(path)) == 2


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path = stored(tmp_path, ["a", "b"])
    whole = peeked(path)
    with path.open("ab") as file:
        file.write(b'{"type":"message","id":"x","par')
    assert peeked(path) == whole == opened(path)


def test_an_entry_longer_than_what_is_looked_at(tmp_path: Path) -> None:
    assert peeked(stored(tmp_path, ["a" * (2 * WINDOW)])) == []


def test_what_only_opening_can_tell(tmp_path: Path) -> None:
    old = tmp_path / "old.jsonl"
    old.write_text(json.dumps({"type": "session", "id": "s", "timestamp": "", "cwd": "/"}) + "\n")
    assert peek(old) is None
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    assert peek(pipe) is None
    assert peek(tmp_path) is None
    other = tmp_path / "other.jsonl"
    other.write_text("no session\n")
    with pytest.raises(PiTermError):
        peek(other)


def test_the_file_is_let_go_where_there_is_nothing(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text("no session\n")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        with pytest.raises(PiTermError):
            peek(path)
    assert len(os.listdir("/proc/self/fd")) == before
