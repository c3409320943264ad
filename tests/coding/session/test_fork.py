"""A branch as a session of its own."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.messages import TextContent, UserMessage
from pi_term.base.errors import PiTermError
from pi_term.coding.session import (
    CompactionEntry,
    CustomEntry,
    LabelEntry,
    MessageEntry,
    SessionFile,
    SessionInfoEntry,
    build_context,
)


def said(text: str) -> MessageEntry:
    return MessageEntry(UserMessage(content=[TextContent(text)]))


def stored(session: SessionFile) -> list[bytes]:
    assert session.path is not None
    return session.path.read_bytes().splitlines(keepends=True)


def shown(session: SessionFile) -> list[str]:
    return [str(message.to_json()["content"]) for message in build_context(session.tree).messages]


class TestWhatIsCopied:
    def test_the_path_with_its_ids_and_lines(self, tmp_path: Path, build: Any) -> None:
        odd = (
            b'{"id":"b", "type":"custom",  "parentId":"a", "customType":"x", "data":1.50, "my":"\\u00e9"}\r\n'
        )
        lines = [build.message("a", None), odd, build.message("c", "b"), build.message("side", "a")]
        origin = SessionFile.open(build.file(tmp_path, *lines))
        fork = origin.fork(origin.tree.get("c"), tmp_path / "forks", "/elsewhere", id="mine")
        assert build.ids(fork) == ["a", "b", "c"]
        fork.flush()
        header, *copied = stored(fork)
        assert copied == lines[:3]
        data = json.loads(header)
        assert (data["id"], data["cwd"], data["parentSession"]) == ("mine", "/elsewhere", str(origin.path))
        assert list(data) == ["type", "version", "id", "timestamp", "cwd", "parentSession"]
        assert origin.path is not None
        assert origin.path.read_bytes() == build.header + b"".join(lines)
        assert [entry.line for entry in fork.tree.branch()] == [each.rstrip(b"\n") for each in lines[:3]]

    def test_before_the_first_entry(self, session: SessionFile, tmp_path: Path) -> None:
        fork = session.fork(None, tmp_path, "/w")
        assert (fork.tree.entries, fork.tree.leaf, fork.unwritten) == ([], None, 0)
        fork.append(said("begin"))
        fork.flush()
        assert len(stored(fork)) == 2

    def test_both_go_on_apart(self, session: SessionFile, tmp_path: Path, build: Any) -> None:
        fork = session.fork(session.tree.leaf, tmp_path, "/w")
        session.append(said("here"))
        fork.append(said("there"))
        fork.flush()
        assert shown(session)[2:] == ["[{'type': 'text', 'text': 'here'}]"]
        assert shown(fork)[2:] == ["[{'type': 'text', 'text': 'there'}]"]
        assert fork.path is not None
        again = SessionFile.open(fork.path)
        assert shown(again) == shown(fork)
        assert again.diagnostics == []
        assert build.ids(again)[:3] == build.ids(session)[:3]

    def test_what_the_origin_has_not_stored_yet(self, session: SessionFile, tmp_path: Path) -> None:
        pending = session.add(said("not stored"))
        fork = session.fork(pending, tmp_path, "/w")
        fork.flush()
        assert len(stored(fork)) == 5
        session.flush()
        assert stored(fork)[1:] == stored(session)[1:]

    def test_a_session_in_memory_of_one_in_memory(self, tmp_path: Path) -> None:
        origin = SessionFile.in_memory("/w")
        first = origin.append(said("a"))
        origin.append(said("b"))
        fork = origin.fork(first, None, "/w")
        fork.append(said("c"))
        fork.flush()
        assert [json.loads(text.replace("'", '"'))[0]["text"] for text in shown(fork)] == ["a", "c"]
        assert (fork.path, fork.header.parent_session, fork.stored) == (None, None, False)

    def test_one_in_memory_of_a_stored_one_outlives_it(self, session: SessionFile) -> None:
        fork = session.fork(session.tree.leaf, None, "/w")
        before = shown(session)
        assert session.path is not None
        session.close()
        session.path.unlink()
        assert shown(fork) == before
        assert fork.header.parent_session == str(session.path)

    def test_a_fork_of_a_fork(self, session: SessionFile, tmp_path: Path) -> None:
        first = session.fork(session.tree.leaf, tmp_path, "/w")
        second = first.fork(first.tree.leaf, tmp_path, "/w")
        second.flush()
        assert stored(second)[1:] == stored(session)[1:]
        assert second.header.parent_session == str(first.path)

    def test_a_compaction_keeps_what_it_kept(self, session: SessionFile, tmp_path: Path, build: Any) -> None:
        session.append(CompactionEntry("S", build.ids(session)[2], 5))
        fork = session.fork(session.tree.leaf, tmp_path, "/w")
        fork.flush()
        assert [message.role for message in build_context(fork.tree).messages] == [
            "compactionSummary",
            "assistant",
        ]

    def test_damaged_entries_hold_the_copy_together_too(self, tmp_path: Path, build: Any) -> None:
        lines = build.chain(4)
        lines[1] = lines[1][:-30] + b"\n"
        origin = SessionFile.open(build.file(tmp_path, *lines))
        fork = origin.fork(origin.tree.leaf, tmp_path / "forks", "/w")
        assert build.ids(fork) == ["e1", "e3", "e4"]
        fork.flush()
        assert stored(fork)[1:] == lines
        assert fork.path is not None
        assert build.ids(SessionFile.open(fork.path)) == ["e1", "e3", "e4"]

    def test_the_name_only_where_it_is_on_the_path(self, session: SessionFile, tmp_path: Path) -> None:
        leaf = session.tree.leaf
        named = session.append(SessionInfoEntry("name"))
        assert session.fork(named, tmp_path, "/w").tree.name == "name"
        assert session.fork(leaf, tmp_path, "/w").tree.name is None


class TestLabels:
    def test_those_given_on_other_branches_come_along(
        self, session: SessionFile, tmp_path: Path, build: Any
    ) -> None:
        model, user, answer = build.ids(session)
        session.append(LabelEntry(user, "first"))
        leaf = session.append(LabelEntry(answer, "cleared elsewhere"))
        session.tree.leaf = session.tree.get(model)
        session.append(LabelEntry(user, "second", timestamp="2026-01-02T03:04:05.000Z"))
        session.append(LabelEntry(answer))
        session.append(LabelEntry("not copied", "x"))
        session.append(LabelEntry(model, "third"))
        fork = session.fork(leaf, tmp_path, "/w")
        assert {id: label.text for id, label in fork.tree.labels.items()} == {user: "second", model: "third"}
        assert fork.tree.labels[user].timestamp == "2026-01-02T03:04:05.000Z"
        fork.flush()
        assert fork.path is not None
        again = SessionFile.open(fork.path)
        assert again.tree.labels == fork.tree.labels
        assert len(again.tree.entries) == 5 + 3
        assert build.ids(again)[:5] == [entry.id for entry in session.tree.branch(leaf)]

    def test_those_on_the_path_are_not_doubled(
        self, session: SessionFile, tmp_path: Path, build: Any
    ) -> None:
        leaf = session.append(LabelEntry(build.ids(session)[1], "mark"))
        fork = session.fork(leaf, tmp_path, "/w")
        assert len(fork.tree.entries) == 4
        assert fork.tree.leaf is not None
        assert fork.tree.leaf.id == leaf.id


class TestItsFile:
    def test_nothing_is_on_disk_before_the_first_flush(self, session: SessionFile, tmp_path: Path) -> None:
        fork = session.fork(session.tree.leaf, tmp_path / "forks", "/w")
        assert not (tmp_path / "forks").exists()
        assert fork.unwritten == 3
        assert not fork.stored

    def test_a_full_disk_leaves_nothing(
        self, session: SessionFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fork = session.fork(session.tree.leaf, tmp_path / "forks", "/w")
        real = os.write

        def half(descriptor: int, data: bytes) -> int:
            if len(data) < 100:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(descriptor, data[: len(data) // 2])

        with monkeypatch.context() as patched:
            patched.setattr("pi_term.base.files.os.write", half)
            with pytest.raises(PiTermError, match="No space left"):
                fork.flush()
        assert list((tmp_path / "forks").iterdir()) == []
        fork.append(said("later"))
        fork.flush()
        assert len(stored(fork)) == 5

    def test_it_is_there_whole_or_not_at_all(
        self, session: SessionFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Also for other processes, and when this one dies on the way: it gets its name at the end."""
        fork = session.fork(session.tree.leaf, tmp_path / "forks", "/w")
        seen: list[list[str]] = []
        real = os.write

        def watched(descriptor: int, data: bytes) -> int:
            seen.append([each.name for each in (tmp_path / "forks").iterdir() if each.suffix == ".jsonl"])
            return real(descriptor, data)

        monkeypatch.setattr("pi_term.base.files.os.write", watched)
        fork.flush()
        assert seen == [[]]

    def test_where_files_have_one_name_only(
        self, session: SessionFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def no_links(*_: Any) -> None:
            raise OSError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr("pi_term.coding.session.appender.os.link", no_links)
        fork = session.fork(session.tree.leaf, tmp_path / "forks", "/w")
        fork.flush()
        assert [path.name for path in (tmp_path / "forks").iterdir()] == [fork.path and fork.path.name]
        twin = SessionFile(fork.header, fork.path, session.tree.lines, stored=False)
        twin.add(said("other"))
        with pytest.raises(PiTermError, match="already"):
            twin.flush()
        assert len(stored(fork)) == 4

    def test_the_origin_may_be_closed_and_gone_by_then(self, session: SessionFile, tmp_path: Path) -> None:
        before = stored(session)[1:]
        fork = session.fork(session.tree.leaf, tmp_path / "forks", "/w")
        session.close()
        assert session.path is not None
        session.path.unlink()
        fork.flush()
        assert stored(fork)[1:] == before

    def test_an_origin_cut_short_costs_what_was_cut(self, session: SessionFile, tmp_path: Path) -> None:
        fork = session.fork(session.tree.leaf, tmp_path / "forks", "/w")
        assert session.path is not None
        os.truncate(session.path, session.path.stat().st_size - 20)
        new = fork.append(said("goes on"))
        fork.flush()
        assert fork.path is not None
        again = SessionFile.open(fork.path)
        assert again.tree.leaf is not None
        assert again.tree.leaf.id == new.id
        assert [entry.line for entry in fork.tree.entries] == [
            each.rstrip(b"\n") for each in stored(fork)[1:]
        ]


class TestLongBranches:
    def test_nothing_is_read_for_the_copy(
        self, tmp_path: Path, build: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        origin = SessionFile.open(build.file(tmp_path, *build.chain(3000)))
        reads: list[int] = []
        real = os.pread

        def counted(descriptor: int, length: int, offset: int) -> bytes:
            reads.append(length)
            return real(descriptor, length, offset)

        monkeypatch.setattr("pi_term.coding.session.stored.os.pread", counted)
        fork = origin.fork(origin.tree.leaf, tmp_path / "forks", "/w")
        assert len(fork.tree.branch()) == 3000
        assert reads == []
        assert all(entry.pending_line is None for entry in fork.tree.entries)

    def test_it_is_written_in_pieces(
        self, tmp_path: Path, build: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lines = [build.message(f"e{n}", f"e{n - 1}" if n else None, "x" * 300_000) for n in range(40)]
        origin = SessionFile.open(build.file(tmp_path, *lines))
        fork = origin.fork(origin.tree.leaf, tmp_path / "forks", "/w")
        sizes: list[int] = []
        real = os.write

        def counted(descriptor: int, data: bytes) -> int:
            sizes.append(len(data))
            return real(descriptor, data)

        monkeypatch.setattr("pi_term.base.files.os.write", counted)
        fork.flush()
        assert stored(fork)[1:] == lines
        assert max(sizes) < 2_000_000
        assert len(sizes) < 20


def test_custom_state_is_copied(session: SessionFile, tmp_path: Path) -> None:
    entry = session.append(CustomEntry("x", {"deep": [1, {"a": None}]}))
    fork = session.fork(entry, tmp_path, "/w")
    fork.flush()
    assert fork.tree.entries[-1].data["data"] == {"deep": [1, {"a": None}]}
