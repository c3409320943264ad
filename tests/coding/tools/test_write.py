"""`write`: whole files, safely."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest

from pi_term.agent.tools import ToolResult
from pi_term.ai.messages import TextContent


def text_of(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


@pytest.mark.parametrize(
    "content", ["hello", "", "x\ny\n", "a\r\nb\r", "ünï ✓ 日本 👩‍👩‍👧\u2028end\n", "\ufeffmark", "nul\0"]
)
async def test_content_is_written_as_it_is(bench: Any, content: str) -> None:
    (bench.cwd / "f").write_bytes(b"old\r\ncontent\r\n")
    result = await bench.run("write", path="f", content=content)
    assert not result.is_error
    assert (bench.cwd / "f").read_bytes() == content.encode()


async def test_halves_of_characters_become_replacement_characters(bench: Any) -> None:
    await bench.run("write", path="f", content="a\ud83db")
    assert (bench.cwd / "f").read_text() == "a\ufffdb"


async def test_the_result_names_the_file(bench: Any) -> None:
    assert "deep/er/file.md" in text_of(await bench.run("write", path="deep/er/file.md", content="# T\n"))


async def test_content_that_is_there_already_is_told_and_left_alone(bench: Any) -> None:
    path = bench.cwd / "f"
    path.write_text("same ✓\n")
    os.utime(path, ns=(1, 1))
    result = await bench.run("write", path="f", content="same ✓\n")
    assert not result.is_error
    assert "f was not touched" in text_of(result)
    assert path.stat().st_mtime_ns == 1
    assert "Wrote" in text_of(await bench.run("write", path="f", content="Same ✓\n"))
    assert path.read_text() == "Same ✓\n"


async def test_what_became_of_a_file_is_told_to_people(bench: Any) -> None:
    (bench.cwd / "f").write_text("one\r\ntwo\r\nthree\r\n")
    result = await bench.run("write", path="f", content="one\nTWO\nthree\n")
    assert result.details == {"diff": " 1 one\n-2 two\n+2 TWO\n 3 three"}
    assert "two" not in text_of(result)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "new\n"),
        (b"", "new\n"),
        (b"\x00\x01\x02", "text\n"),
        (b"only\r\nends\r\n", "only\nends\n"),
        (b"x\n" * 700_000, "x\n"),  # too long to be compared
        (b"line\n" * 20_000, "other\n" * 20_000),  # and too long to be told
    ],
    ids=["new", "empty", "binary", "line ends", "long", "all new"],
)
async def test_where_a_difference_says_little_there_is_none(
    bench: Any, before: bytes | None, after: str
) -> None:
    if before is not None:
        (bench.cwd / "f").write_bytes(before)
    result = await bench.run("write", path="f", content=after)
    assert not result.is_error
    assert result.details is None
    assert (bench.cwd / "f").read_text() == after


async def test_b019_a_symbolic_link_stays_one(bench: Any) -> None:
    (bench.cwd / "real.txt").write_text("old\n")
    (bench.cwd / "link.txt").symlink_to("real.txt")
    await bench.run("write", path="link.txt", content="first\n")
    assert (bench.cwd / "link.txt").is_symlink()
    assert (bench.cwd / "real.txt").read_text() == "first\n"
    await bench.run("edit", path="link.txt", edits=[{"oldText": "first", "newText": "second"}])
    assert (bench.cwd / "link.txt").is_symlink()
    assert (bench.cwd / "real.txt").read_text() == "second\n"


async def test_a_dangling_link_makes_its_target(bench: Any) -> None:
    (bench.cwd / "link.txt").symlink_to("new.txt")
    await bench.run("write", path="link.txt", content="x")
    assert (bench.cwd / "new.txt").read_text() == "x"


@pytest.mark.parametrize("mode", [0o755, 0o600])
async def test_b020_the_mode_of_a_file_stays(bench: Any, mode: int) -> None:
    path = bench.cwd / "script"
    path.write_text("echo 1\n")
    path.chmod(mode)
    await bench.run("write", path="script", content="echo 2\n")
    await bench.run("edit", path="script", edits=[{"oldText": "2", "newText": "3"}])
    assert path.read_text() == "echo 3\n"
    assert stat.S_IMODE(path.stat().st_mode) == mode


async def test_b020_a_new_file_gets_the_mode_of_the_umask(bench: Any) -> None:
    before = os.umask(0o027)
    try:
        await bench.run("write", path="new", content="")
    finally:
        os.umask(before)
    assert stat.S_IMODE((bench.cwd / "new").stat().st_mode) == 0o640


async def test_b022_a_parent_that_is_a_file_is_an_error(bench: Any) -> None:
    (bench.cwd / "file").write_text("old")
    result = await bench.run("write", path="file/below.txt", content="x")
    assert result.is_error
    assert "file/below.txt" in text_of(result)
    assert "not a directory" in text_of(result).lower() or "file exists" in text_of(result).lower()
    assert (bench.cwd / "file").read_text() == "old"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody without rights here")
async def test_b022_a_folder_without_write_permission_is_an_error(local_bench: Any) -> None:
    bench = local_bench
    bench.cwd = Path(tempfile.mkdtemp())
    bench.cwd.chmod(0o555)
    os.seteuid(65534)
    try:
        result = await bench.run("write", path="new.txt", content="x")
    finally:
        os.seteuid(0)
        bench.cwd.rmdir()
    assert result.is_error
    assert "new.txt" in text_of(result)
    assert "permission denied" in text_of(result)


async def test_b022_missing_folders_are_made(bench: Any) -> None:
    await bench.run("write", path="a/b/c/new.txt", content="x")
    assert (bench.cwd / "a/b/c/new.txt").read_text() == "x"


async def test_folders_and_devices_are_not_replaced(bench: Any) -> None:
    (bench.cwd / "folder").mkdir()
    os.mkfifo(bench.cwd / "pipe")
    for path in ("folder", "pipe"):
        result = await bench.run("write", path=path, content="no")
        assert result.is_error
        assert path in text_of(result)
    assert (bench.cwd / "pipe").is_fifo()
    assert not list((bench.cwd / "folder").iterdir())
