"""Finding sessions by folder, path and id."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pi_term.base.errors import PiTermError
from pi_term.coding.session import (
    FoundSession,
    find,
    folder_for_cwd,
    latest_for_cwd,
    valid_session_id,
    with_id,
)


@pytest.fixture
def put(tmp_path: Path, build: Any) -> Any:
    """Writes a session of a working directory that was last used at `time`."""

    def write(id: str, cwd: str, time: int, folder: Path | None = None, name: str | None = None) -> Path:
        folder = folder or folder_for_cwd(tmp_path, cwd)
        folder.mkdir(parents=True, exist_ok=True)
        header = build.line({**build.header_data, "id": id, "cwd": cwd})
        path = build.file(
            folder, *build.chain(2), header=header, name=name or f"2026-01-01T00-00-00-000Z_{id}.jsonl"
        )
        os.utime(path, (time, time))
        return Path(path)

    return write


@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        ("/home/me/proj", "--home-me-proj--"),
        ("/", "----"),
        ("/a:b\\c", "--a-b-c--"),
        ("/with space/ü", "--with space-ü--"),
    ],
)
def test_the_folder_of_a_working_directory(tmp_path: Path, cwd: str, name: str) -> None:
    assert folder_for_cwd(tmp_path, cwd) == tmp_path / name


@pytest.mark.parametrize("id", ["a", "my.own-id", "0190a-b_c.9"])
def test_ids_people_may_give(id: str) -> None:
    assert valid_session_id(id)


@pytest.mark.parametrize("id", ["", "-a", "a-", ".", "a/b", "..", "a b", "a\n", "ä", "a/../b"])
def test_ids_they_may_not(id: str) -> None:
    assert not valid_session_id(id)


class TestLatest:
    def test_the_one_last_written_to(self, tmp_path: Path, put: Any) -> None:
        put("s1", "/w", 300)
        used = put("s2", "/w", 400)
        put("s3", "/w", 200)
        assert latest_for_cwd(folder_for_cwd(tmp_path, "/w"), "/w") == used

    def test_only_of_this_directory(self, tmp_path: Path, put: Any) -> None:
        mine = put("s1", "/a-b", 300)
        put("s2", "/a/b", 400)
        assert folder_for_cwd(tmp_path, "/a/b") == mine.parent
        assert latest_for_cwd(mine.parent, "/a-b") == mine
        assert latest_for_cwd(mine.parent, "/a:b") is None

    def test_what_is_no_session_is_passed_over(self, tmp_path: Path, put: Any) -> None:
        path = put("s1", "/w", 300)
        for name in ("z.jsonl", "empty.jsonl", "notes.txt"):
            (path.parent / name).write_text("" if name == "empty.jsonl" else "no session\n")
        (path.parent / "folder.jsonl").mkdir()
        (path.parent / "gone.jsonl").symlink_to("nowhere")
        os.mkfifo(path.parent / "pipe.jsonl")
        assert latest_for_cwd(path.parent, "/w") == path

    def test_a_torn_session_is_found(self, tmp_path: Path, put: Any) -> None:
        """B-028, for `--continue`."""
        path = put("s1", "/w", 300)
        path.write_bytes(path.read_bytes() + b'{"type":"message","id":"ab')
        assert latest_for_cwd(path.parent, "/w") == path

    def test_no_folder(self, tmp_path: Path) -> None:
        assert latest_for_cwd(tmp_path / "nothing", "/w") is None

    def test_a_directory_reached_by_a_link(self, tmp_path: Path, put: Any) -> None:
        real = tmp_path / "real"
        real.mkdir()
        (tmp_path / "link").symlink_to(real)
        path = put("s1", str(real), 300, folder=tmp_path / "flat")
        assert latest_for_cwd(tmp_path / "flat", tmp_path / "link") == path


class TestFind:
    def look(self, root: Path, spec: str, cwd: str = "/w") -> FoundSession:
        return find(spec, cwd=cwd, folder=folder_for_cwd(root, cwd), root=root)

    def test_by_the_beginning_of_an_id(self, tmp_path: Path, put: Any) -> None:
        path = put("0190-aaaa", "/w", 1)
        put("0191-bbbb", "/w", 2)
        found = self.look(tmp_path, "0190")
        assert (found.path, found.here, found.header.id) == (path, True, "0190-aaaa")

    def test_a_whole_id_goes_before_beginnings(self, tmp_path: Path, put: Any) -> None:
        path = put("abc", "/w", 1)
        put("abcdef", "/w", 2)
        assert self.look(tmp_path, "abc").path == path

    def test_several(self, tmp_path: Path, put: Any) -> None:
        put("abc1", "/w", 1)
        put("abc2", "/w", 2)
        with pytest.raises(PiTermError, match="abc1") as several:
            self.look(tmp_path, "abc")
        assert several.value.code == "ambiguous_session"

    def test_here_before_elsewhere(self, tmp_path: Path, put: Any) -> None:
        put("abc1", "/other", 1)
        here = put("abc2", "/w", 2)
        assert self.look(tmp_path, "abc").path == here
        elsewhere = self.look(tmp_path, "abc1")
        assert (elsewhere.here, elsewhere.header.cwd) == (False, "/other")

    def test_in_a_renamed_file(self, tmp_path: Path, put: Any) -> None:
        path = put("abc", "/w", 1, name="renamed.jsonl")
        assert self.look(tmp_path, "ab").path == path

    def test_by_path(self, tmp_path: Path, put: Any) -> None:
        path = put("abc", "/other", 1)
        for spec in (str(path), f"{path.parent.name}/{path.name}"):
            found = find(spec, cwd=tmp_path, folder=tmp_path / "none")
            assert (found.path, found.header.id, found.here) == (path, "abc", False)

    def test_by_the_bare_name_of_a_file(self, tmp_path: Path) -> None:
        """B-032: it is refused as what it is, not as an unknown id."""
        notes = tmp_path / "notes.md"
        notes.write_text("# Notes\n")
        assert self.look(tmp_path, "notes.md", str(tmp_path)).path == notes

    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.jsonl")
        assert self.look(tmp_path, "pipe.jsonl", str(tmp_path)).header.id == ""

    @pytest.mark.parametrize("spec", ["nosuchid", "gone.jsonl", "./gone"])
    def test_nothing(self, tmp_path: Path, spec: str) -> None:
        with pytest.raises(PiTermError) as missing:
            self.look(tmp_path, spec, str(tmp_path))
        assert missing.value.code == "no_session"

    def test_an_exact_id_of_this_directory(self, tmp_path: Path, put: Any) -> None:
        path = put("abc", "/w", 1)
        put("abcd", "/w", 1)
        put("xyz", "/other", 1)
        folder = folder_for_cwd(tmp_path, "/w")
        found = with_id("abc", cwd="/w", folder=folder)
        assert found is not None
        assert found.path == path
        assert with_id("ab", cwd="/w", folder=folder) is None
        assert with_id("xyz", cwd="/w", folder=folder) is None
