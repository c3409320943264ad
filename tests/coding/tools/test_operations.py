"""What tools may count on, wherever their files and commands are: on this machine and in a sandbox."""

from __future__ import annotations

import asyncio
import os
import stat
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pi_term.base.abort import AbortController
from pi_term.coding.tools import Command, Exit, FileStatus, FolderEntry, Operations

NAMES = ["plain", "with space", "-rf", "$(touch PWNED)", "a\nb", "end\n", "日本", "caf\udce9", "'\"", "*"]


@pytest.fixture
def operations(bench: Any) -> Operations:
    found: Operations = bench.operations
    return found


async def content(operations: Operations, path: Path) -> bytes:
    async with aclosing(operations.read(str(path))) as pieces:
        return b"".join([piece async for piece in pieces])


async def beginning(operations: Operations, path: Path) -> bytes:
    async with aclosing(operations.read(str(path))) as pieces:
        return await anext(pieces)


async def ran(operations: Operations, bench: Any, *argv: str) -> tuple[Exit, bytes]:
    output = bytearray()
    command = Command(argv, str(bench.cwd))
    return await operations.run(command, output.extend, AbortController().signal), bytes(output)


@pytest.mark.parametrize("name", NAMES)
async def test_any_name_is_a_name_and_nothing_else(bench: Any, operations: Operations, name: str) -> None:
    path = bench.cwd / name
    await operations.write(str(path), b"content")
    assert path.read_bytes() == b"content"
    assert await content(operations, path) == b"content"
    assert await operations.status(str(path)) == FileStatus("file", 7)
    assert await operations.entries(str(bench.cwd)) == [FolderEntry(name, "file")]
    assert await operations.real_path(str(path)) == str(path)
    assert os.listdir(os.fsencode(bench.cwd)) == [os.fsencode(name)]


async def test_a_status_follows_links(bench: Any, operations: Operations) -> None:
    (bench.cwd / "file").write_bytes(b"12345")
    (bench.cwd / "folder").mkdir()
    os.mkfifo(bench.cwd / "pipe")
    for name, target in [("to-file", "file"), ("to-folder", "folder"), ("nowhere", "gone"), ("loop", "loop")]:
        (bench.cwd / name).symlink_to(target)
    found = {
        name: await operations.status(f"{bench.cwd}/{name}")
        for name in ("file", "folder", "pipe", "to-file", "to-folder", "nowhere", "gone", "file/below")
    }
    assert found["file"] == found["to-file"] == FileStatus("file", 5)
    assert found["folder"] is not None
    assert found["folder"].kind == "folder"
    assert found["to-folder"] == found["folder"]
    assert found["pipe"] is not None
    assert found["pipe"].kind == "other"
    assert found["nowhere"] is found["gone"] is found["file/below"] is None
    with pytest.raises(OSError, match="symbolic links"):
        await operations.status(f"{bench.cwd}/loop")
    kinds = {entry.name: entry.kind for entry in await operations.entries(str(bench.cwd))}
    assert kinds == {
        "file": "file",
        "to-file": "file",
        "folder": "folder",
        "to-folder": "folder",
        "pipe": "other",
        "nowhere": "other",
        "loop": "other",
    }


async def test_real_paths_lead_through_links_also_to_what_is_not_there(
    bench: Any, operations: Operations
) -> None:
    (bench.cwd / "folder").mkdir()
    (bench.cwd / "link").symlink_to("folder")
    assert await operations.real_path(f"{bench.cwd}/link/new/file") == f"{bench.cwd}/folder/new/file"
    assert await operations.real_path(f"{bench.cwd}/./folder/../x") == f"{bench.cwd}/x"


async def test_large_content_comes_in_pieces_and_may_be_left_early(
    bench: Any, operations: Operations
) -> None:
    data = os.urandom(3_000_000)
    await operations.write(f"{bench.cwd}/f", data)
    assert await content(operations, bench.cwd / "f") == data
    async with asyncio.timeout(20):
        for first in await asyncio.gather(*(beginning(operations, bench.cwd / "f") for _ in range(8))):
            assert data.startswith(first)
            assert 0 < len(first) < len(data)


async def test_what_cannot_be_done_says_why(bench: Any, operations: Operations) -> None:
    (bench.cwd / "file").write_text("x")
    (bench.cwd / "folder").mkdir()
    os.mkfifo(bench.cwd / "pipe")
    with pytest.raises(OSError) as missing:  # noqa: PT011 - what it says is looked at below
        await content(operations, bench.cwd / "gone")
    assert missing.value.strerror == "No such file or directory"
    with pytest.raises(OSError, match=r"Not a directory|File exists"):
        await operations.write(f"{bench.cwd}/file/below/f", b"")
    with pytest.raises(OSError, match=r"Is a directory|cannot overwrite"):
        await operations.write(f"{bench.cwd}/folder", b"")
    with pytest.raises(OSError, match="No such file"):
        await operations.entries(f"{bench.cwd}/gone")
    assert sorted(os.listdir(bench.cwd)) == ["file", "folder", "pipe"]


async def test_a_pipe_is_not_waited_for(bench: Any, operations: Operations) -> None:
    os.mkfifo(bench.cwd / "pipe")
    async with asyncio.timeout(20):
        with suppress(OSError):
            assert await content(operations, bench.cwd / "pipe") == b""


async def test_writing_keeps_links_and_modes_and_leaves_nothing_else(
    bench: Any, operations: Operations
) -> None:
    script = bench.cwd / "script"
    script.write_text("old")
    script.chmod(0o750)
    (bench.cwd / "link").symlink_to("script")
    await operations.write(f"{bench.cwd}/link", b"new")
    assert (bench.cwd / "link").is_symlink()
    assert script.read_text() == "new"
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    before = os.umask(0o027)
    try:
        await operations.write(f"{bench.cwd}/a/b/new", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((bench.cwd / "a/b/new").stat().st_mode) == 0o640
    assert sorted(os.listdir(bench.cwd)) == ["a", "link", "script"]
    assert os.listdir(bench.cwd / "a/b") == ["new"]


async def test_the_mode_of_a_file_is_known_and_can_be_given_to_a_new_one(
    bench: Any, operations: Operations
) -> None:
    path = bench.cwd / "secret"
    for wanted, given in ((0o600, 0o600), (0o600, 0o755)):
        await operations.write(str(path), b"x", given)
        assert stat.S_IMODE(path.stat().st_mode) == wanted
        found = await operations.status(str(path))
        assert found is not None
        assert found.mode == wanted


async def test_removing_takes_a_file_away_and_nothing_else(bench: Any, operations: Operations) -> None:
    for name in ("plain", "-rf", "$(touch PWNED)", "a\nb", "target"):
        (bench.cwd / name).write_text("x")
    (bench.cwd / "link").symlink_to("target")
    (bench.cwd / "folder").mkdir()
    for name in ("plain", "-rf", "$(touch PWNED)", "a\nb", "link", "gone", "folder/gone", "link"):
        await operations.remove(f"{bench.cwd}/{name}")
    assert sorted(os.listdir(bench.cwd)) == ["folder", "link"]
    assert (bench.cwd / "link").is_symlink()
    with pytest.raises(OSError, match=r"Is a directory|not permitted"):
        await operations.remove(f"{bench.cwd}/folder")


@pytest.mark.parametrize(("size", "limit"), [(0, 0), (0, 9), (10, 10), (11, 10), (1_000_000, 999_999)])
async def test_loading_gives_status_and_content_up_to_a_limit(
    bench: Any, operations: Operations, size: int, limit: int
) -> None:
    data = os.urandom(size)
    (bench.cwd / "-f").write_bytes(data)
    status, content = await operations.load(f"{bench.cwd}/-f", limit)
    assert status == FileStatus("file", size)
    assert content == (data if size <= limit else None)


async def test_loading_what_is_no_file_gives_no_content(bench: Any, operations: Operations) -> None:
    os.mkfifo(bench.cwd / "pipe")
    async with asyncio.timeout(20):
        found = {name: await operations.load(f"{bench.cwd}/{name}", 100) for name in ("", "pipe", "gone")}
    assert found["gone"] == (None, None)
    for name, kind in (("", "folder"), ("pipe", "other")):
        status, content = found[name]
        assert status is not None
        assert (status.kind, content) == (kind, None)


async def test_a_command_gets_its_folder_environment_and_arguments(
    bench: Any, operations: Operations
) -> None:
    exit_, output = await ran(operations, bench, "pwd")
    assert (exit_, output) == (Exit(0), f"{bench.cwd}\n".encode())
    exit_, output = await ran(operations, bench, "printf", "%s|", "a b", "$HOME", "*", "'", "")
    assert output == b"a b|$HOME|*|'||"
    command = Command(["sh", "-c", 'printf "$WORD"'], str(bench.cwd), {"WORD": "a $b 'c'"})
    said = bytearray()
    await operations.run(command, said.extend, AbortController().signal)
    assert said == b"a $b 'c'"


async def test_a_command_that_is_called_off_before_it_starts_does_not(
    bench: Any, operations: Operations
) -> None:
    controller = AbortController()
    controller.abort()
    command = Command(["touch", "ran"], str(bench.cwd))
    assert await operations.run(command, lambda data: None, controller.signal) == Exit(None)
    assert not (bench.cwd / "ran").exists()


@pytest.mark.parametrize("field", ["argv", "cwd", "env"])
async def test_a_command_that_cannot_be_run_is_an_os_error_or_fails(bench: Any, field: str) -> None:
    wrong = {"argv": ["no-such-program"], "cwd": f"{bench.cwd}/gone", "env": {"A\0": "b"}}
    command = replace(Command(["true"], str(bench.cwd)), **{field: wrong[field]})
    with suppress(OSError):
        exit_ = await bench.operations.run(command, lambda data: None, AbortController().signal)
        assert exit_.code
