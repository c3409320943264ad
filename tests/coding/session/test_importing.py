"""Taking session files from elsewhere."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from pi_term.base.errors import PiTermError
from pi_term.coding.session import SessionFile, files_in, import_session, list_sessions

NAME = "2026-01-02T03-04-05-678Z_s-1.jsonl"


@pytest.fixture
def path(tmp_path: Path, build: Any) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return Path(build.file(folder, *build.chain(3), b'{"type":"torn', name="my copy.jsonl"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "sessions" / "--w--"


def refused(path: Path, folder: Path) -> PiTermError:
    with pytest.raises(PiTermError) as error:
        import_session(path, folder)
    assert str(path) in error.value.message
    return error.value


class TestCopy:
    def test_byte_for_byte_under_its_name(self, path: Path, folder: Path) -> None:
        path.chmod(0o644)
        os.utime(path, ns=(1, 1_700_000_000_123_456_789))
        copy = import_session(path, folder)
        assert copy == folder / NAME
        assert copy.read_bytes() == path.read_bytes()
        assert copy.stat().st_mode & 0o777 == 0o600
        assert copy.stat().st_mtime_ns == 1_700_000_000_123_456_789
        assert os.listdir(folder) == [NAME]

    def test_it_can_be_opened_and_keeps_id_and_directory(self, path: Path, folder: Path) -> None:
        copy = import_session(path, folder)
        session = SessionFile.open(copy)
        assert (session.header.id, session.header.cwd, len(session.tree.entries)) == ("s-1", "/w", 3)
        session.close()
        assert [each.path for each in list_sessions(files_in(folder))] == [copy]

    def test_files_of_this_program_keep_their_name(self, session: SessionFile, folder: Path) -> None:
        assert session.path is not None
        assert import_session(session.path, folder).name == session.path.name

    def test_one_of_many_pieces(self, path: Path, folder: Path) -> None:
        with path.open("ab") as file:
            file.write(os.urandom(1_000_000))
        assert import_session(path, folder).read_bytes() == path.read_bytes()

    @pytest.mark.parametrize(
        ("version", "stamp"), [(None, "2025-01-01T00:00:00.000Z"), (2, "2025-01-01T00:00:00Z")]
    )
    def test_old_versions(
        self, path: Path, folder: Path, build: Any, version: int | None, stamp: str
    ) -> None:
        header = {"type": "session", "version": version, "id": "old", "timestamp": stamp, "cwd": "/w"}
        path.write_bytes(build.line(header))
        copy = import_session(path, folder)
        assert copy.name == f"{stamp.replace(':', '-').replace('.', '-')}_old.jsonl"
        assert copy.read_bytes() == path.read_bytes()

    @pytest.mark.parametrize("stamp", ["", 5, "../../../etc", "yesterday"])
    def test_without_a_time_the_files_own_counts(
        self, path: Path, folder: Path, build: Any, stamp: Any
    ) -> None:
        path.write_bytes(build.line({**build.header_data, "timestamp": stamp}))
        os.utime(path, ns=(0, 1_700_000_000_123_000_000))
        assert import_session(path, folder) == folder / "2023-11-14T22-13-20-123Z_s-1.jsonl"

    def test_where_no_links_can_be_made(self, path: Path, folder: Path, monkeypatch: Any) -> None:
        def refuse(*_: Any) -> None:
            raise OSError(errno.EPERM, "no links")

        monkeypatch.setattr(os, "link", refuse)
        assert import_session(path, folder).read_bytes() == path.read_bytes()
        assert os.listdir(folder) == [NAME]


class TestAlreadyThere:
    def test_the_same_bytes(self, path: Path, folder: Path) -> None:
        copy = import_session(path, folder)
        before = copy.stat()
        assert import_session(path, folder) == copy
        assert (copy.stat().st_ino, copy.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)

    def test_other_content_is_never_replaced(self, path: Path, folder: Path, build: Any) -> None:
        copy = import_session(path, folder)
        with copy.open("ab") as file:
            file.write(build.message("mine", "e3"))
        mine = copy.read_bytes()
        assert refused(path, folder).code == "session_exists"
        assert copy.read_bytes() == mine
        assert os.listdir(folder) == [NAME]

    def test_a_file_that_comes_at_the_same_moment(self, path: Path, folder: Path, monkeypatch: Any) -> None:
        link = os.link

        def late(source: Path, target: Path) -> None:
            target.write_text("another")
            link(source, target)

        monkeypatch.setattr(os, "link", late)
        assert refused(path, folder).code == "session_exists"
        assert (folder / NAME).read_text() == "another"

    def test_something_else_of_that_name(self, path: Path, folder: Path) -> None:
        folder.mkdir(parents=True)
        os.mkfifo(folder / NAME)
        assert refused(path, folder).code == "session_exists"

    def test_a_file_below_the_sessions_root_stays_where_it_is(
        self, path: Path, folder: Path, tmp_path: Path
    ) -> None:
        copy = import_session(path, folder)
        other = folder.parent / "--other--"
        assert import_session(copy, other, root=folder.parent) == copy
        assert import_session(copy, folder) == copy
        link = tmp_path / "link"
        link.symlink_to(folder)
        assert import_session(link / NAME, other, root=folder.parent) == link / NAME
        assert not other.exists()


class TestRefused:
    @pytest.mark.parametrize("content", ["", "# Notes\n", '{"type":"message"}\n', '{"type":"session"}\n'])
    def test_what_is_no_session(self, path: Path, folder: Path, content: str) -> None:
        path.write_text(content)
        assert refused(path, folder).code == "not_a_session"
        assert not folder.exists()

    def test_folders_pipes_and_nothing(self, path: Path, folder: Path) -> None:
        pipe = path.with_name("pipe.jsonl")
        os.mkfifo(pipe)
        assert refused(pipe, folder).code == refused(path.parent, folder).code == "not_a_session"
        assert refused(path.with_name("none.jsonl"), folder).code == "no_session"

    @pytest.mark.parametrize("id", ["../../evil", "a/b", "", "x\0", ".", "a\nb"])
    def test_an_id_that_would_lead_elsewhere(self, path: Path, folder: Path, build: Any, id: str) -> None:
        path.write_bytes(build.line({**build.header_data, "id": id}))
        assert refused(path, folder).code == "not_a_session"
        assert list(folder.parent.rglob("*.jsonl")) == []

    def test_a_full_disk_leaves_nothing(self, path: Path, folder: Path, monkeypatch: Any) -> None:
        def full(*_: Any) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "write", full)
        error = refused(path, folder)
        monkeypatch.undo()
        assert error.code == "not_imported"
        assert "No space left" in error.message
        assert os.listdir(folder) == []

    def test_a_folder_that_cannot_be_made(self, path: Path, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        assert refused(path, tmp_path / "file" / "sessions").code == "not_imported"
