"""What other programs, power cuts and odd texts do to a session file while it is open, and before."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.messages import TextContent, UserMessage
from pi_term.base.errors import PiTermError
from pi_term.coding.session import CustomEntry, LabelEntry, MessageEntry, SessionFile, build_context
from pi_term.coding.session.appender import locked


def said(text: str) -> MessageEntry:
    return MessageEntry(UserMessage(content=[TextContent(text)]))


def shown(session: SessionFile) -> list[str]:
    return [message.content[0].text for message in build_context(session.tree).messages]  # type: ignore[union-attr]


def path_of(session: SessionFile) -> Path:
    assert session.path is not None
    return session.path


def check(session: SessionFile, build: Any, texts: list[str]) -> None:
    """The file parses, each parent stands before its child, memory reads it right, and it says `texts`."""
    entries = build.entries(path_of(session))
    known: set[str | None] = {None}
    for entry in entries:
        assert entry["parentId"] in known
        known.add(entry["id"])
    again = SessionFile.open(path_of(session))
    assert again.diagnostics == []
    assert shown(again) == texts == shown(session)
    assert again.header == session.header
    in_file = {entry["id"]: entry for entry in entries}
    for each in session.tree.entries:
        if not each.damaged:
            assert each.data == json.loads(each.line) == in_file[each.id]
    again.close()


def no_space(descriptor: int, data: bytes) -> int:
    raise OSError(28, "No space left on device")


class TestCutShort:
    """Another program cuts the file short or writes it anew, in place, while it is open here."""

    @pytest.fixture
    def long(self, session: SessionFile) -> SessionFile:
        for number in range(10):
            session.append(said(f"{number}"))
        return session

    TEXTS = ("hello", "hi", *(f"{number}" for number in range(10)))

    @pytest.mark.parametrize(
        "left", ["nothing", "half a header", "the header", "half an entry", "some", "one less"]
    )
    def test_what_was_written_here_is_written_again(self, long: SessionFile, build: Any, left: str) -> None:
        path = path_of(long)
        lines = path.read_bytes().splitlines(keepends=True)
        header = len(lines[0])
        size = {
            "nothing": 0,
            "half a header": 40,
            "the header": header,
            "half an entry": sum(map(len, lines[:5])) - 30,
            "some": sum(map(len, lines[:5])),
            "one less": sum(map(len, lines[:-1])),
        }[left]
        os.truncate(path, size)
        long.append(said("new"))
        if left == "half an entry":  # what is torn stays, as a damaged line
            assert json.loads(path.read_bytes().splitlines()[5])["id"]
            assert shown(SessionFile.open(path)) == [*self.TEXTS, "new"] == shown(long)
            return
        check(long, build, [*self.TEXTS, "new"])
        assert any("added again" in each.message for each in long.diagnostics)
        long.append(said("newer"))
        check(long, build, [*self.TEXTS, "new", "newer"])

    @pytest.mark.parametrize("meanwhile", ["nobody", "another process"])
    def test_while_the_disk_is_full(
        self, long: SessionFile, build: Any, monkeypatch: pytest.MonkeyPatch, meanwhile: str
    ) -> None:
        other = SessionFile.open(path_of(long))
        os.truncate(path_of(long), 0)
        with monkeypatch.context() as patched:
            patched.setattr("pi_term.coding.session.appender.os.write", no_space)
            with pytest.raises(PiTermError, match="No space left"):
                long.append(said("new"))
        assert long.unwritten == 14
        if meanwhile == "another process":  # it remembers but the last entry, and puts it back as a root
            theirs = other.append(said("theirs"))
        long.append(said("newer"))
        assert shown(SessionFile.open(path_of(long))) == [*self.TEXTS, "new", "newer"] == shown(long)
        if meanwhile == "another process":
            assert long.tree.get(theirs.id) is not None
        else:
            check(long, build, [*self.TEXTS, "new", "newer"])

    @pytest.mark.parametrize("full", [False, True])
    @pytest.mark.parametrize("left", [0, 800])
    def test_two_sessions_put_back_what_both_know(
        self, long: SessionFile, build: Any, monkeypatch: pytest.MonkeyPatch, left: int, full: bool
    ) -> None:
        other = SessionFile.open(path_of(long))
        other.append(said("theirs"))
        long.append(said("ours"))
        assert all(entry.data for entry in other.tree.entries)
        os.truncate(path_of(long), left)
        if full:
            with monkeypatch.context() as patched:
                patched.setattr("pi_term.coding.session.appender.os.write", no_space)
                with pytest.raises(PiTermError, match="No space left"):
                    long.append(CustomEntry("x"))
                long.tree.leaf = long.tree.branch()[-2]
        other.append(said("theirs again"))
        long.append(said("ours again"))
        ids = [entry.id for entry in SessionFile.open(path_of(long)).tree.entries if not entry.damaged]
        assert len(set(ids)) == len(ids) == 3 + 10 + 4 + full
        assert shown(SessionFile.open(path_of(long))) == [*self.TEXTS, "ours", "ours again"] == shown(long)

    def test_twice(self, long: SessionFile, build: Any) -> None:
        for text in ("new", "newer"):
            os.truncate(path_of(long), 400)
            long.append(said(text))
        assert shown(long) == [*self.TEXTS, "new", "newer"]
        assert shown(SessionFile.open(path_of(long))) == [*self.TEXTS, "new", "newer"]

    def test_what_nobody_remembers_is_lost_and_that_is_said(self, tmp_path: Path, build: Any) -> None:
        lines = build.chain(20)
        session = SessionFile.open(build.file(tmp_path, *lines))
        session.append(LabelEntry("e15", "gone with it"))
        session.append(said("known"))
        seen = session.tree.by_id["e12"]
        assert seen.data
        os.truncate(path_of(session), len(build.header) + sum(map(len, lines[:10])))
        session.append(said("new"))
        # e20 was decoded to see whether it is whole, e12 just now
        left = [*(f"text {n}" for n in range(1, 11)), "text 12", "text 20", "known", "new"]
        check(session, build, left)
        assert any("cut 8 entries" in each.message for each in session.diagnostics)
        assert seen.parent is session.tree.by_id["e10"]
        assert {entry.id for entry in session.tree.entries if entry.gone} == {
            *(f"e{n}" for n in range(11, 20) if n != 12)
        }

    def test_what_is_added_while_the_leaf_is_gone(self, tmp_path: Path, build: Any) -> None:
        lines = [*build.chain(5), build.message("e6", "e5", "x" * 3_000_000)]
        session = SessionFile.open(build.file(tmp_path, *lines))
        os.truncate(path_of(session), len(build.header) + sum(map(len, lines[:5])))
        session.append(said("new"))
        check(session, build, [*(f"text {n}" for n in range(1, 6)), "new"])
        session.tree.leaf = session.tree.get("e6")
        session.append(said("newer"))
        check(session, build, [*(f"text {n}" for n in range(1, 6)), "newer"])

    def test_written_anew_with_an_older_content_and_more(self, long: SessionFile, build: Any) -> None:
        """The length tells nothing: what is there now is longer than what was."""
        path = path_of(long)
        lines = path.read_bytes().splitlines(keepends=True)
        foreign = build.message("f1", json.loads(lines[3])["id"], "f" * 10_000)
        path.write_bytes(b"".join(lines[:4]) + foreign)
        long.append(said("new"))
        entries = build.entries(path)
        assert [entry["id"] for entry in entries][:4] == [json.loads(each)["id"] for each in lines[1:4]] + [
            "f1"
        ]
        assert shown(long) == [*self.TEXTS, "new"] == shown(SessionFile.open(path))
        assert long.tree.get("f1") is not None

    def test_changed_in_the_middle(self, long: SessionFile, build: Any) -> None:
        """As an editor does that writes into the file it has read: each entry has another place."""
        path = path_of(long)
        path.write_bytes(path.read_bytes().replace(b'"text":"hi"', b'"text":"hi there"', 1))
        long.append(said("new"))
        check(long, build, ["hello", "hi there", *self.TEXTS[2:], "new"])

    def test_read_before_anything_is_written(self, long: SessionFile) -> None:
        """What stands at the old place is not taken for the entry."""
        path = path_of(long)
        reader = SessionFile.open(path)
        content = path.read_bytes()
        middle = content.index(b"\n", len(content) // 2) + 1
        path.write_bytes(content[:middle] + content[middle:].replace(b'"id":"', b'"id":"9', 1))
        for entry in reader.tree.entries:
            if entry.data and not entry.damaged:
                assert entry.data["id"] == entry.id
        assert any(entry.damaged for entry in reader.tree.entries)

    def test_something_else_was_written_into_it(self, long: SessionFile, build: Any) -> None:
        path = path_of(long)
        before = path.read_bytes()
        path.write_bytes(b"# my notes\n")
        with pytest.raises(PiTermError, match="not a session"):
            long.append(said("kept"))
        assert path.read_bytes() == b"# my notes\n"
        path.write_bytes(before)
        long.append(said("new"))
        check(long, build, [*self.TEXTS, "kept", "new"])

    def test_an_old_version_was_put_back(self, long: SessionFile) -> None:
        path = path_of(long)
        old = b'{"type":"session","id":"x","cwd":"/w"}\n{"type":"message","message":{"role":"user"}}\n'
        path.write_bytes(old)
        with pytest.raises(PiTermError) as refused:
            long.append(said("kept"))
        assert refused.value.code == "session_version"
        assert path.read_bytes() == old
        assert long.unwritten == 1


class TestDeleted:
    def test_a_large_file_is_made_again(self, tmp_path: Path, build: Any) -> None:
        lines = [build.message(f"e{n}", f"e{n - 1}" if n else None, "x" * 400_000) for n in range(8)]
        session = SessionFile.open(build.file(tmp_path, *lines))
        path_of(session).unlink()
        session.append(said("new"))
        assert path_of(session).read_bytes().startswith(build.header + b"".join(lines))
        assert len(build.entries(path_of(session))) == 9
        session.append(said("newer"))
        assert len(shown(SessionFile.open(path_of(session)))) == 10

    def test_and_there_again_when_two_sessions_miss_it(self, session: SessionFile, build: Any) -> None:
        other = SessionFile.open(path_of(session))
        path_of(session).unlink()
        other.append(said("theirs"))
        session.append(said("ours"))
        texts = [entry["message"]["content"][0]["text"] for entry in build.entries(path_of(session))[1:]]
        assert texts == ["hello", "hi", "theirs", "ours"]


class TestOtherWriters:
    def test_one_that_keeps_to_no_lock_at_the_very_moment(
        self, session: SessionFile, build: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = path_of(session)
        leaf = build.ids(session)[-1]
        real = os.write

        def write(descriptor: int, data: bytes) -> int:
            with path.open("ab") as file:
                file.write(build.message("theirs", leaf, "theirs"))
            return real(descriptor, data)

        with monkeypatch.context() as patched:
            patched.setattr("pi_term.coding.session.appender.os.write", write)
            session.append(said("ours"))
        assert session.tree.get("theirs") is not None
        session.append(said("more"))
        check(session, build, ["hello", "hi", "ours", "more"])

    def test_a_file_that_was_replaced_while_its_lock_was_waited_for(
        self, session: SessionFile, build: Any
    ) -> None:
        path = path_of(session)
        held, done = threading.Event(), threading.Event()

        def replace() -> None:
            with locked(path):
                held.set()
                done.wait(10)
                new = path.with_suffix(".new")
                new.write_bytes(path.read_bytes())
                new.replace(path)

        other = threading.Thread(target=replace)
        other.start()
        held.wait(10)
        timer = threading.Timer(0.05, done.set)
        timer.start()
        session.append(said("new"))
        other.join()
        timer.join()
        check(session, build, ["hello", "hi", "new"])


class TestOddTexts:
    def test_zeros_at_the_end_as_after_a_power_cut(self, tmp_path: Path, build: Any) -> None:
        path = build.file(tmp_path, *build.chain(3), b"\0" * 4096)
        session = SessionFile.open(path)
        assert len(session.diagnostics) == 1
        session.append(said("new"))
        again = SessionFile.open(path)
        assert shown(again) == ["text 1", "text 2", "text 3", "new"]
        assert path.read_bytes().count(b"\0") == 4096

    def test_zeros_before_an_entry(self, tmp_path: Path, build: Any) -> None:
        lines = build.chain(3)
        lines[1] = b"\0" * 100 + lines[1]
        session = SessionFile.open(build.file(tmp_path, *lines))
        assert shown(session) == ["text 1", "text 2", "text 3"]

    def test_byte_order_marks_and_other_line_ends(self, tmp_path: Path, build: Any) -> None:
        content = b"".join([build.header, *build.chain(3)]).replace(b"\n", b"\r\n")
        path = tmp_path / "x.jsonl"
        path.write_bytes(b"\xef\xbb\xbf" + content)
        session = SessionFile.open(path)
        assert (session.id, session.diagnostics) == ("s-1", [])
        session.append(said("new"))
        assert shown(SessionFile.open(path)) == ["text 1", "text 2", "text 3", "new"]
        assert path.read_bytes().startswith(b"\xef\xbb\xbf" + content)

    def test_zeros_and_halves_of_characters_in_texts(self, session: SessionFile, build: Any) -> None:
        text = "a\0b \ud83d \udc00 \u2028 \x7f"
        session.append(said(text))
        check(session, build, ["hello", "hi", text])

    def test_entries_without_an_id_have_the_same_one_each_time(self, tmp_path: Path, build: Any) -> None:
        line = build.line(
            {"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": "x"}]}}
        )
        path = build.file(tmp_path, *build.chain(2), line, line)
        session = SessionFile.open(path)
        session.append(said("child"))
        again = SessionFile.open(path)
        assert shown(again) == ["text 1", "text 2", "x", "x", "child"]
        assert build.ids(again) == build.ids(session)
        assert not any("gap" in each.message for each in again.diagnostics)

    def test_unknown_kinds_and_keys_pass_through_untouched(self, tmp_path: Path, build: Any) -> None:
        lines = [
            build.entry("from_the_future", "a", None, what={"x": 1.0}),
            build.message("b", "a", "hello", mine=[1]),
        ]
        path = build.file(tmp_path, *lines, header=build.line({**build.header_data, "mine": 1}))
        session = SessionFile.open(path)
        assert session.header.to_json()["mine"] == 1
        session.append(said("new"))
        assert path.read_bytes().splitlines(keepends=True)[1:3] == lines


# Opens a session with one huge entry, reads and appends one, within a limit of memory.
HUGE = """
import resource, sys
from pathlib import Path
from pi_term.ai.messages import UserMessage
from pi_term.coding.session import MessageEntry, SessionFile
session = SessionFile.open(Path(sys.argv[1]))
assert [entry.id for entry in session.tree.branch()] == ["e1", "huge", "e3"]
session.append(MessageEntry(UserMessage(content="after it")))
fork = session.fork(session.tree.leaf, Path(sys.argv[2]), "/w")
fork.flush()
print(fork.path)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_an_entry_of_a_hundred_megabytes(tmp_path: Path, build: Any) -> None:
    size = 100_000_000
    start, _, end = build.message("huge", "e1", "HUGE").partition(b"HUGE")
    path = tmp_path / "x.jsonl"
    with path.open("wb") as file:
        file.write(build.header + build.message("e1", None) + start)
        for _ in range(size // 1_000_000):
            file.write(b"x" * 1_000_000)
        file.write(end + build.message("e3", "huge"))
    argv = [sys.executable, "-c", HUGE, str(path), str(tmp_path / "forks")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=True)
    fork, megabytes = done.stdout.splitlines()
    assert Path(fork).stat().st_size > size
    assert int(megabytes) < 700
    lines = Path(fork).read_bytes().splitlines()
    assert len(lines) == 5
    assert len(lines[2]) == len(start) + size + len(end) - 1


def test_half_a_write_is_taken_back(session: SessionFile, build: Any) -> None:
    """The limit lets a part of the append through, and refuses the rest."""
    path = path_of(session)
    size = path.stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    session.add(said("one"))
    session.add(CustomEntry("x", "y" * 5000))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 3000, before[1]))
    try:
        with pytest.raises(PiTermError, match="Cannot write"):
            session.flush()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.stat().st_size == size
    assert session.unwritten == 2
    session.append(said("two"))
    check(session, build, ["hello", "hi", "one", "two"])
