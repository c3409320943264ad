from __future__ import annotations

import os
from pathlib import Path

import pytest

from pi_term.base.errors import PiTermError
from pi_term.base.files import atomic_write, private_dir, read_text
from pi_term.base.locks import file_lock


def test_a_new_file_gets_the_umask_or_the_mode(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        atomic_write(tmp_path / "plain", b"x")
        atomic_write(tmp_path / "secret", b"x", mode=0o600)
    finally:
        os.umask(old)
    assert (tmp_path / "plain").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


def test_mode_and_link_survive(tmp_path: Path) -> None:
    """B-019, B-020: a link stays a link, a script stays executable."""
    real, link = tmp_path / "real.sh", tmp_path / "link.sh"
    real.write_text("old")
    real.chmod(0o755)
    link.symlink_to("real.sh")
    atomic_write(link, b"new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o755


def test_prepared_links_are_not_followed(tmp_path: Path) -> None:
    """B-075: whatever lies beside the target, only the target is written."""
    outside = tmp_path / "outside"
    outside.write_text("precious")
    for name in ("x.txt.tmp", ".x.txt.swp", "x.txt~", ".x.txt.tmp"):
        (tmp_path / name).symlink_to(outside)
    atomic_write(tmp_path / "x.txt", b"new")
    assert outside.read_text() == "precious"
    assert (tmp_path / "x.txt").read_text() == "new"


def test_the_longest_possible_name_can_be_written(tmp_path: Path) -> None:
    target = tmp_path / ("漢" * 85)
    atomic_write(target, b"new")
    assert target.read_bytes() == b"new"


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "file"
    target.write_text("old")

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        atomic_write(target, b"new")
    assert target.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_private_dir_is_private_all_the_way(tmp_path: Path) -> None:
    folder = private_dir(tmp_path / "a" / "b")
    assert [each.stat().st_mode & 0o777 for each in (folder, folder.parent)] == [0o700, 0o700]


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbfhello")
    assert read_text(tmp_path / "f") == "hello"


def test_unreadable_files_say_why(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xff")
    with pytest.raises(PiTermError, match="not UTF-8"):
        read_text(tmp_path / "f")
    with pytest.raises(PiTermError, match="No such file"):
        read_text(tmp_path / "missing")


def test_a_lock_held_elsewhere_is_told(tmp_path: Path) -> None:
    with (
        file_lock(tmp_path / "lock"),
        pytest.raises(PiTermError, match="Another process"),
        file_lock(tmp_path / "lock", timeout=0.05),
    ):
        pass


def test_where_no_lock_can_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where a folder should be")
    with (
        pytest.raises(PiTermError, match=r"Cannot write .*: Not a directory"),
        file_lock(tmp_path / "home" / "locks" / "settings.lock"),
    ):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files to others")
def test_a_replaced_file_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    path.chmod(0o640)
    os.chown(path, 1234, 4321)
    atomic_write(path, b"new")
    found = path.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o7777) == (1234, 4321, 0o640)
    assert path.read_text() == "new"
