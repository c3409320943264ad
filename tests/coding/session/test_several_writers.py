"""Several programs, and programs that die, on one session file."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.messages import TextContent, UserMessage
from pi_term.base.errors import PiTermError
from pi_term.coding.session import MessageEntry, SessionFile

# Appends to the session given as the first argument and prints the id of each entry once it is stored.
WRITER = """
import sys
from pathlib import Path
from pi_term.ai.messages import UserMessage
from pi_term.coding.session import MessageEntry, SessionFile
session = SessionFile.open(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    entry = session.append(MessageEntry(UserMessage(content=f"{number} " + "x" * (number * 7919 % 20000))))
    print(entry.id, entry.parent_id, flush=True)
"""


def writer(path: Path, entries: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(entries)], stdout=subprocess.PIPE)


def said(text: str) -> MessageEntry:
    return MessageEntry(UserMessage(content=[TextContent(text)]))


def test_two_processes_on_one_file(session: SessionFile, build: Any) -> None:
    assert session.path is not None
    programs = [writer(session.path, 60) for _ in range(2)]
    printed = [program.communicate(timeout=60)[0].split() for program in programs]
    entries = build.entries(session.path)
    assert len(entries) == 3 + 2 * 60
    parents = {entry["id"]: entry["parentId"] for entry in entries}
    assert len(parents) == len(entries)
    for words in printed:
        for id, parent in zip(words[::2], words[1::2], strict=True):
            assert parents[id.decode()] == parent.decode()
    assert SessionFile.open(session.path).diagnostics == []


def test_a_program_sees_what_another_added_and_keeps_its_place(session: SessionFile, build: Any) -> None:
    assert session.path is not None
    other = SessionFile.open(session.path)
    theirs = other.append(said("theirs"))
    assert session.tree.get(theirs.id) is None
    ours = session.append(said("ours"))
    known = session.tree.get(theirs.id)
    assert known is not None
    assert known.data["message"]["content"][0]["text"] == "theirs"
    assert ours.parent_id == theirs.parent_id
    assert session.tree.leaf is ours
    again = SessionFile.open(session.path)
    assert [entry.id for entry in again.tree.entries[-2:]] == [theirs.id, ours.id]
    assert again.diagnostics == session.diagnostics == []


def test_killed_at_any_moment_no_stored_entry_is_lost(session: SessionFile) -> None:
    assert session.path is not None
    chance = random.Random(7)
    finished: list[str] = [entry.id for entry in session.tree.entries]
    for _ in range(20):
        program = writer(session.path, 1000)
        assert program.stdout is not None
        finished.append(program.stdout.readline().split()[0].decode())
        time.sleep(chance.random() * 0.02)
        os.kill(program.pid, signal.SIGKILL)
        finished += [line.split()[0].decode() for line in program.stdout if line.endswith(b"\n")]
        program.wait()
        program.stdout.close()
        again = SessionFile.open(session.path)
        stored = [entry.id for entry in again.tree.entries if entry.data and not entry.damaged]
        assert set(finished) <= set(stored)
        assert again.tree.leaf is not None
        assert again.tree.leaf.id in (finished[-1], stored[-1])
        again.close()
    lines = session.path.read_bytes().splitlines()
    assert sum(1 for line in lines if not _parses(line)) <= 20


def _parses(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


class TestReplacedFile:
    """Sync tools and editors put a new file in the place of the old one."""

    def replace(self, path: Path, content: bytes) -> None:
        new = path.with_suffix(".new")
        new.write_bytes(content)
        new.replace(path)

    def test_by_the_same(self, session: SessionFile, build: Any) -> None:
        assert session.path is not None
        self.replace(session.path, session.path.read_bytes())
        session.append(said("more"))
        entries = build.entries(session.path)
        assert [entry["id"] for entry in entries] == [entry.id for entry in session.tree.entries]
        assert [json.loads(entry.line) for entry in session.tree.entries] == entries

    def test_by_an_older_and_a_changed_one(self, session: SessionFile, build: Any) -> None:
        assert session.path is not None
        lines = session.path.read_bytes().splitlines(keepends=True)
        session.append(said("lost by the other program"))
        foreign = build.message("f1", json.loads(lines[1])["id"], "foreign")
        self.replace(session.path, b"".join(lines[:2]) + foreign)
        session.append(said("new"))
        entries = build.entries(session.path)
        parents = {None} | {entry["id"] for entry in entries}
        assert all(entry["parentId"] in parents for entry in entries)
        assert len(entries) == 6
        assert {entry["id"] for entry in entries} == {entry.id for entry in session.tree.entries}
        assert [json.loads(entry.line)["id"] for entry in session.tree.branch()] == build.ids(session)
        again = SessionFile.open(session.path)
        assert again.diagnostics == []
        assert build.ids(again) == build.ids(session)

    def test_by_something_else(self, session: SessionFile, build: Any) -> None:
        assert session.path is not None
        before = session.path.read_bytes()
        self.replace(session.path, b"# notes\n")
        with pytest.raises(PiTermError, match="not a session"):
            session.append(said("kept"))
        assert session.path.read_bytes() == b"# notes\n"
        self.replace(session.path, before)
        session.append(said("more"))
        assert [entry["id"] for entry in build.entries(session.path)] == [e.id for e in session.tree.entries]


def test_a_lock_that_is_never_given_back(
    session: SessionFile, build: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    monkeypatch.setattr("pi_term.coding.session.appender._LOCK_SECONDS", 0.02)
    assert session.path is not None
    with session.path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(PiTermError, match="locked"):
            session.append(said("waits"))
    session.append(said("follows"))
    assert [entry["id"] for entry in build.entries(session.path)] == [e.id for e in session.tree.entries]
