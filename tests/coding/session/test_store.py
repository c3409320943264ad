"""The session file: when it appears, what is in it, what happens when it cannot be written."""

from __future__ import annotations

import json
import os
import resource
import shutil
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.messages import TextContent, UserMessage
from pi_term.base.errors import PiTermError
from pi_term.coding.session import (
    CustomEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionFile,
    SessionInfoEntry,
    ThinkingLevelChangeEntry,
)


def said(text: str) -> MessageEntry:
    return MessageEntry(UserMessage(content=[TextContent(text)]))


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """As on a full disk, the write that would pass `size` bytes is cut short and the next one fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_nothing_is_on_disk_before_the_first_flush(tmp_path: Path) -> None:
    session = SessionFile.create(tmp_path / "sessions", "/w")
    session.append(ModelChangeEntry("mock", "chat"))
    session.append(ThinkingLevelChangeEntry("off"))
    session.close()
    assert not (tmp_path / "sessions").exists()


def test_the_first_flush_writes_what_came_before(tmp_path: Path, build: Any) -> None:
    session = SessionFile.create(tmp_path / "sessions", "/w", id="my.own-id")
    session.append(ModelChangeEntry("mock", "chat"))
    session.append(said("hello"))
    session.flush()
    (path,) = (tmp_path / "sessions").iterdir()
    assert path == session.path
    assert path.name.endswith("Z_my.own-id.jsonl")
    assert path.name[:20].replace("-", "").replace("T", "").isdigit()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    header = json.loads(path.read_bytes().splitlines()[0])
    assert list(header) == ["type", "version", "id", "timestamp", "cwd"]
    assert (header["version"], header["id"], header["cwd"]) == (3, "my.own-id", "/w")
    model, user = build.entries(path)
    assert list(model) == ["type", "id", "parentId", "timestamp", "provider", "modelId"]
    assert (model["parentId"], user["parentId"]) == (None, model["id"])
    assert user["message"]["content"] == [{"type": "text", "text": "hello"}]


def test_a_fork_names_its_origin(tmp_path: Path) -> None:
    session = SessionFile.create(tmp_path, "/w", parent_session="/other.jsonl")
    session.add(said("x"))
    session.flush()
    assert session.path is not None
    assert json.loads(session.path.read_bytes().splitlines()[0])["parentSession"] == "/other.jsonl"


def test_resumed_where_it_ended(session: SessionFile, build: Any) -> None:
    assert session.path is not None
    again = SessionFile.open(session.path)
    assert build.ids(again) == build.ids(session)
    assert again.tree.leaf is not None
    assert again.tree.leaf.data["message"]["content"][0]["text"] == "hi"
    assert again.header == session.header
    assert again.diagnostics == []
    again.append(said("more"))
    entries = build.entries(session.path)
    assert entries[-1]["parentId"] == entries[-2]["id"]


def test_a_session_in_memory_never_has_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = SessionFile.in_memory("/w")
    session.append(said("a"))
    session.flush()
    assert list(tmp_path.iterdir()) == []
    assert session.tree.leaf is not None
    assert session.tree.leaf.data["message"]["content"][0]["text"] == "a"
    assert session.unwritten == 0


def test_entries_are_read_back_from_the_file(session: SessionFile) -> None:
    entry = session.append(said("read me"))
    assert session.path is not None
    stored = session.path.read_bytes()
    assert entry.line == stored[entry.offset : entry.offset + entry.length]
    session.close()
    assert json.loads(entry.line) == entry.data


def test_a_branch_from_an_earlier_entry(session: SessionFile, build: Any) -> None:
    first = build.ids(session)[0]
    session.tree.leaf = session.tree.get(first)
    entry = session.append(said("another way"))
    assert session.path is not None
    again = SessionFile.open(session.path)
    assert build.ids(again) == [first, entry.id]
    assert len(again.tree.children(again.tree.get(first))) == 2


def test_the_name_is_the_last_one_given(session: SessionFile) -> None:
    assert session.tree.name is None
    session.append(SessionInfoEntry("one"))
    session.append(SessionInfoEntry("two"))
    assert session.path is not None
    assert SessionFile.open(session.path).tree.name == "two"


def test_what_json_cannot_hold_changes_nothing(session: SessionFile) -> None:
    leaf = session.tree.leaf
    with pytest.raises(TypeError):
        session.append(CustomEntry("x", {"path": object()}))
    assert session.tree.leaf is leaf
    assert session.unwritten == 0


class TestMissingLastLineFeed:
    """B-027."""

    def test_the_next_entry_gets_a_line_of_its_own(self, tmp_path: Path, build: Any) -> None:
        path = build.file(tmp_path, *build.chain(3))
        path.write_bytes(path.read_bytes().rstrip(b"\n"))
        session = SessionFile.open(path)
        assert session.diagnostics == []
        session.append(said("new"))
        entries = build.entries(path)
        assert [entry["id"] for entry in entries[:3]] == ["e1", "e2", "e3"]
        assert entries[3]["parentId"] == "e3"

    def test_after_the_header_too(self, tmp_path: Path, build: Any) -> None:
        path = build.file(tmp_path, header=build.header.rstrip(b"\n"))
        SessionFile.open(path).append(said("new"))
        assert len(build.entries(path)) == 1
        assert SessionFile.open(path).diagnostics == []

    def test_entries_that_were_glued_by_others_are_both_there(self, tmp_path: Path, build: Any) -> None:
        lines = build.chain(5)
        lines[1] = lines[1].rstrip(b"\n")
        session = SessionFile.open(build.file(tmp_path, *lines))
        assert build.ids(session) == build.names(5)
        assert [entry.data["message"]["content"][0]["text"] for entry in session.tree.branch()][1:3] == [
            "text 2",
            "text 3",
        ]
        assert len(session.diagnostics) == 1


class TestTornLastLine:
    """B-028."""

    TORN = b'{"type":"message","id":"ab'

    def test_everything_before_it_is_there(self, tmp_path: Path, build: Any) -> None:
        session = SessionFile.open(build.file(tmp_path, *build.chain(200), self.TORN))
        assert build.ids(session) == build.names(200)
        (notice,) = session.diagnostics
        assert (notice.severity, notice.line) == ("warning", 202)
        assert "damaged" in notice.message

    def test_the_next_message_parses(self, tmp_path: Path, build: Any) -> None:
        path = build.file(tmp_path, *build.chain(200), self.TORN)
        session = SessionFile.open(path)
        session.append(said("new"))
        session.append(said("newer"))
        stored = path.read_bytes().splitlines()
        assert stored[201] == self.TORN
        assert [json.loads(line)["message"]["content"][0]["text"] for line in stored[202:]] == [
            "new",
            "newer",
        ]
        assert json.loads(stored[202])["parentId"] == "e200"
        assert build.ids(SessionFile.open(path))[:200] == build.names(200)

    def test_a_tail_that_another_program_glued_its_message_to(self, tmp_path: Path, build: Any) -> None:
        path = build.file(tmp_path, *build.chain(3), self.TORN, build.message("e4", "e3"))
        session = SessionFile.open(path)
        assert build.ids(session) == build.names(4)


class TestNotASession:
    """B-032."""

    @pytest.mark.parametrize(
        "content",
        [
            b"# Notes\n\nnot a session\n",
            b'{"name": "x"}\n{"name": "y"}\n',
            b'{"type":"session"}\n',
            b'{"type":"session","version":3,"id":"to',
            b'{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user"}}\n',
            b"\n",
            b"\x00" * 50,
            b"[1, 2]\n",
        ],
    )
    def test_refused_and_left_as_it_is(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "notes.md"
        path.write_bytes(content)
        with pytest.raises(PiTermError) as refused:
            SessionFile.open(path)
        assert refused.value.code == "not_a_session"
        assert str(path) in refused.value.message
        assert path.read_bytes() == content

    def test_an_empty_file_becomes_one(self, tmp_path: Path, build: Any) -> None:
        path = tmp_path / "empty.jsonl"
        path.touch()
        session = SessionFile.open(path, cwd="/somewhere")
        session.append(said("hello"))
        stored = path.read_bytes().splitlines()
        assert json.loads(stored[0])["cwd"] == "/somewhere"
        assert [json.loads(line)["type"] for line in stored] == ["session", "message"]
        assert SessionFile.open(path).header.id == session.id

    def test_what_is_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(PiTermError) as missing:
            SessionFile.open(tmp_path / "gone.jsonl")
        assert missing.value.code == "no_session"
        os.mkfifo(tmp_path / "pipe")
        for path in (tmp_path, tmp_path / "pipe"):
            with pytest.raises(PiTermError) as odd:
                SessionFile.open(path)
            assert odd.value.code == "not_a_session"


class TestWriteErrors:
    """B-031: a failure is shown, and afterwards each parent in the file exists."""

    def check(self, path: Path, texts: list[str], build: Any) -> None:
        entries = build.entries(path)
        known: set[str | None] = {None}
        for entry in entries:
            assert entry["parentId"] in known
            known.add(entry["id"])
        shown = [entry["message"]["content"][0]["text"] for entry in entries if entry["type"] == "message"]
        assert shown == texts
        again = SessionFile.open(path)
        assert again.diagnostics == []
        assert build.ids(again) == [entry["id"] for entry in entries]

    def test_a_full_disk(self, session: SessionFile, build: Any) -> None:
        assert session.path is not None
        size = session.path.stat().st_size
        with no_file_longer_than(size + 40), pytest.raises(PiTermError) as failed:
            session.append(said("lost?"))
        assert failed.value.code == "session_write"
        assert str(session.path) in failed.value.message
        assert session.path.stat().st_size == size  # whole or absent
        assert session.unwritten == 1
        assert session.tree.leaf is not None
        assert session.tree.leaf.data["message"]["content"][0]["text"] == "lost?"
        session.append(said("second"))
        session.append(said("third"))
        self.check(session.path, ["hello", "hi", "lost?", "second", "third"], build)

    def test_a_disk_that_is_full_at_the_first_message(self, tmp_path: Path, build: Any) -> None:
        session = SessionFile.create(tmp_path / "s", "/w")
        session.add(said("one"))
        for room in (0, 30, 200):
            with no_file_longer_than(room), pytest.raises(PiTermError):
                session.flush()
            assert list((tmp_path / "s").iterdir()) == []
        session.flush()
        assert session.path is not None
        self.check(session.path, ["one"], build)

    def test_a_folder_that_cannot_be_made(self, tmp_path: Path, build: Any) -> None:
        (tmp_path / "s").write_text("in the way")
        session = SessionFile.create(tmp_path / "s", "/w")
        session.add(said("one"))
        with pytest.raises(PiTermError, match="Cannot write the session file"):
            session.flush()
        (tmp_path / "s").unlink()
        session.append(said("two"))
        session.flush()
        assert session.path is not None
        self.check(session.path, ["one", "two"], build)

    def test_an_unwritable_file(
        self, session: SessionFile, build: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(path: Any, flags: int, *more: Any, **named: Any) -> int:
            raise PermissionError(13, "Permission denied")

        with monkeypatch.context() as patched:
            patched.setattr("pi_term.coding.session.appender.os.open", refuse)
            with pytest.raises(PiTermError, match="Permission denied"):
                session.append(said("lost?"))
        session.append(said("second"))
        assert session.path is not None
        self.check(session.path, ["hello", "hi", "lost?", "second"], build)

    def test_a_folder_that_was_deleted(self, session: SessionFile, build: Any) -> None:
        assert session.path is not None
        shutil.rmtree(session.path.parent)
        session.append(said("still here"))
        self.check(session.path, ["hello", "hi", "still here"], build)
        assert stat.S_IMODE(session.path.stat().st_mode) == 0o600


def test_the_prompt_is_kept_when_the_program_dies(tmp_path: Path) -> None:
    """B-033: nothing but `flush` stands between a prompt and the disk."""
    session = SessionFile.create(tmp_path, "/w")
    session.append(said("the prompt"))
    session.flush()
    assert session.path is not None
    assert b"the prompt" in session.path.read_bytes()


def test_adding_on_one_thread_while_another_writes(tmp_path: Path, build: Any) -> None:
    session = SessionFile.create(tmp_path, "/w")
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            session.flush()

    writer = threading.Thread(target=write)
    writer.start()
    entries = []
    try:
        for number in range(300):
            entries.append(session.add(said(str(number))))
            assert entries[number // 2].data["message"]["content"][0]["text"] == str(number // 2)
    finally:
        stop.set()
        writer.join()
    session.flush()
    assert session.path is not None
    assert [entry["id"] for entry in build.entries(session.path)] == [entry.id for entry in entries]
    assert [json.loads(entry.line)["id"] for entry in entries] == [entry.id for entry in entries]


def test_public_names() -> None:
    import pi_term.coding.session as package

    assert all(getattr(package, name) for name in package.__all__)
    assert not hasattr(package, "nothing_of_this_name")
