"""`read`: what a model gets of a file."""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
import struct
import tempfile
import threading
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_term.agent.tools import ToolResult
from pi_term.ai.messages import ImageContent, TextContent
from pi_term.base.abort import AbortError
from pi_term.coding.tools import ImageLimits, LocalOperations, excerpt
from pi_term.coding.tools import read as read_module

FIVE = "one\ntwo\nthree\nfour\nfive\n"


def text_of(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"".join(b"\0" + b"\x28\x5a\xc8" * width for _ in range(height))))
    return b"\x89PNG\r\n\x1a\n" + header + pixels + chunk(b"IEND", b"")


def write_numbered(path: Path, lines: int) -> None:
    with open(path, "wb") as file:
        for start in range(0, lines, 100_000):
            file.write(b"".join(b"line %d\n" % n for n in range(start + 1, start + 100_001)))


def write_sparse(path: Path, start: bytes, size: int) -> None:
    with open(path, "wb") as file:
        file.write(start)
        file.truncate(size)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, FIVE),
        ({"offset": 3}, "three\nfour\nfive\n"),
        ({"offset": 2, "limit": 2}, "two\nthree\n\n[3 more lines in file. Use offset=4 to continue.]"),
        ({"limit": 5}, "one\ntwo\nthree\nfour\nfive\n\n[1 more lines in file. Use offset=6 to continue.]"),
        ({"limit": 6}, FIVE),
        ({"offset": 0, "limit": 1}, "one\n\n[5 more lines in file. Use offset=2 to continue.]"),
        ({"offset": -2, "limit": 1}, "one\n\n[5 more lines in file. Use offset=2 to continue.]"),
        ({"offset": 6}, ""),
        ({"offset": 2.5}, "two\nthree\nfour\nfive\n"),
        ({"limit": 0}, FIVE),
        ({"limit": -1}, FIVE),
    ],
)
async def test_offset_and_limit(bench: Any, args: dict[str, Any], expected: str) -> None:
    (bench.cwd / "five.txt").write_text(FIVE)
    result = await bench.run("read", path="five.txt", **args)
    assert text_of(result) == expected
    assert not result.is_error
    assert result.details is None


async def test_offset_past_the_end_tells_how_many_lines_there_are(bench: Any) -> None:
    (bench.cwd / "five.txt").write_text(FIVE)
    result = await bench.run("read", path="five.txt", offset=7)
    assert result.is_error
    assert "7" in text_of(result)
    assert "6" in text_of(result)


@pytest.mark.parametrize("content", ["", "alpha\nbeta", "\n", "a\r\nb\r\n", "\ufeffmark\n"])
async def test_a_whole_file_comes_back_as_it_is(bench: Any, content: str) -> None:
    (bench.cwd / "f").write_bytes(content.encode())
    assert text_of(await bench.run("read", path="f")) == content


async def test_2000_lines_come_back_and_how_to_go_on(bench: Any) -> None:
    lines = [f"line {n}" for n in range(1, 5001)]
    (bench.cwd / "long.txt").write_text("\n".join(lines) + "\n")
    result = await bench.run("read", path="long.txt")
    note = "[Showing lines 1-2000 of 5001. Use offset=2001 to continue.]"
    assert text_of(result) == "\n".join(lines[:2000]) + f"\n\n{note}"
    truncation = dict(result.details["truncation"])
    assert truncation.pop("content") == "\n".join(lines[:2000])
    assert truncation == {
        "truncated": True,
        "truncatedBy": "lines",
        "totalLines": 5000,
        "totalBytes": 48893,
        "outputLines": 2000,
        "outputBytes": 18892,
        "lastLinePartial": False,
        "firstLineExceedsLimit": False,
        "maxLines": 2000,
        "maxBytes": 51200,
    }


async def test_a_limit_over_2000_is_cut_to_it(bench: Any) -> None:
    (bench.cwd / "long.txt").write_text("".join(f"line {n}\n" for n in range(1, 5001)))
    result = await bench.run("read", path="long.txt", offset=10, limit=3000)
    assert text_of(result).endswith("[Showing lines 10-2009 of 5001. Use offset=2010 to continue.]")
    assert result.details["truncation"]["totalLines"] == 3000
    assert result.details["truncation"]["totalBytes"] == 28919


async def test_50_kb_come_back_in_whole_lines(bench: Any) -> None:
    (bench.cwd / "wide.txt").write_text("".join(f"{n:04d} " + "x" * 95 + "\n" for n in range(1, 1001)))
    result = await bench.run("read", path="wide.txt")
    assert text_of(result).endswith(
        "[Showing lines 1-506 of 1001 (50.0KB limit). Use offset=507 to continue.]"
    )
    assert result.details["truncation"]["outputBytes"] == 51105
    assert result.details["truncation"]["totalBytes"] == 101000


async def test_a_line_over_the_limit_is_not_shown_but_told_how_to_get_at(bench: Any) -> None:
    (bench.cwd / "huge line.txt").write_text("y" * 60000 + "\nsecond\n")
    result = await bench.run("read", path="huge line.txt")
    text = text_of(result)
    assert "58.6KB" in text
    command = text[text.index("sed") : text.rindex("]")]
    assert text_of(await bench.run("bash", command=command)) == "y" * 51200
    assert result.details["truncation"]["firstLineExceedsLimit"]
    assert result.details["truncation"]["content"] == ""
    assert text_of(await bench.run("read", path="huge line.txt", offset=2)) == "second\n"


async def test_the_cut_never_falls_inside_a_character(bench: Any) -> None:
    (bench.cwd / "wide.txt").write_text("中" * 10 + "\n" + "é" * 25589 + "\nrest\n")
    shown = text_of(await bench.run("read", path="wide.txt")).split("\n\n[")[0]
    assert shown == "中" * 10


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"caf\xe9 cr\xe8me\n", "caf\ufffd cr\ufffdme\n"),
        (b"ab\0cd\1\xff\xfe\n", "ab\0cd\1\ufffd\ufffd\n"),
        (b"cut \xe4\xb8", "cut \ufffd"),
        (b"\xff\xfeodd", "\ufffd\ufffdodd"),
    ],
)
async def test_bytes_that_are_not_utf8_are_replaced_and_told(bench: Any, data: bytes, expected: str) -> None:
    (bench.cwd / "f").write_bytes(data)
    content, note = text_of(await bench.run("read", path="f")).split("\n\n[")
    assert content == expected
    assert note.startswith("Not UTF-8")


async def test_only_what_is_shown_counts_as_not_utf8(bench: Any) -> None:
    (bench.cwd / "f").write_bytes(b"good\nb\xe4d\n\xef\xbf\xbd\n")
    assert text_of(await bench.run("read", path="f", limit=1)).startswith("good\n\n[3 more lines")
    assert text_of(await bench.run("read", path="f", offset=3)) == "\ufffd\n"
    both = text_of(await bench.run("read", path="f", limit=2))
    assert "Use offset=3 to continue.]\n[Not UTF-8" in both


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
async def test_a_byte_order_mark_tells_the_encoding(bench: Any, codec: str) -> None:
    text = "".join(f"Zeile {n} ünï 中 😀\r\n" for n in range(1, 4000))
    (bench.cwd / "f").write_bytes(f"\ufeff{text}".encode(codec))
    shown = text_of(await bench.run("read", path="f", offset=2, limit=2))
    assert shown.startswith("Zeile 2 ünï 中 😀\r\nZeile 3 ünï 中 😀\r\n\n[3997 more lines in file.")
    assert f"[The file is {codec[:6].upper()} (" in shown


async def test_what_cannot_be_read_says_why(bench: Any) -> None:
    (bench.cwd / "folder").mkdir()
    os.mkfifo(bench.cwd / "pipe")
    (bench.cwd / "loop").symlink_to("loop")
    for path, cause in [
        ("missing.txt", "no such file"),
        ("folder", "directory"),
        ("pipe", "not a regular file"),
        ("loop", "symbolic link"),
        ("/dev/zero", "not a regular file"),
        ("", "empty"),
        ("a\0b", "NUL"),
        ("\ud800", "valid text"),
        ("x" * 300, "name too long"),
    ]:
        result = await bench.run("read", path=path)
        assert result.is_error
        assert cause in text_of(result)
        assert path in text_of(result) or cause in ("NUL", "valid text")


@pytest.mark.parametrize("name", ["small.png", "noext", "wrong.txt"])
async def test_an_image_is_known_by_its_content(bench: Any, name: str) -> None:
    (bench.cwd / name).write_bytes(png(4, 3))
    result = await bench.run("read", path=name)
    image = result.content[1]
    assert text_of(result) == "Read image file [image/png]"
    assert isinstance(image, ImageContent)
    assert image.mime_type == "image/png"
    assert base64.b64decode(image.data) == png(4, 3)
    assert result.details is None


async def test_a_model_without_image_input_is_noted_beside_the_image(bench: Any) -> None:
    (bench.cwd / "small.png").write_bytes(png(4, 3))
    bench.supports_images, bench.model_id = False, "plain"
    result = await bench.run("read", path="small.png")
    assert isinstance(result.content[1], ImageContent)
    assert result.details == {"imageUnsupportedByModel": "plain"}


async def test_b007_an_image_name_with_other_content_is_text(bench: Any) -> None:
    html = "<!DOCTYPE html><html>oops</html>"
    (bench.cwd / "fake.png").write_text(html)
    result = await bench.run("read", path="fake.png")
    assert result.content == [TextContent(html)]


async def test_b007_a_torn_image_is_an_error_and_no_image(bench: Any) -> None:
    (bench.cwd / "torn.png").write_bytes(png(40, 30)[:-20])
    result = await bench.run("read", path="torn.png")
    assert result.is_error
    assert "damaged" in text_of(result)
    assert len(result.content) == 1


async def test_an_image_is_made_to_fit_and_the_model_told_how(bench: Any) -> None:
    pytest.importorskip("PIL")
    (bench.cwd / "wide.png").write_bytes(png(9000, 3))
    result = await bench.run("read", path="wide.png")
    assert text_of(result).startswith("Read image file [image/png]\n[The image is 9000x3 and shown at 2000x1")
    assert isinstance(result.content[1], ImageContent)


async def test_an_image_that_may_not_be_changed_and_is_too_large_is_an_error(bench: Any) -> None:
    bench.images = ImageLimits(resize=False)
    (bench.cwd / "wide.png").write_bytes(png(9000, 1))
    result = await bench.run("read", path="wide.png")
    assert result.is_error
    assert "9000x1" in text_of(result)
    assert len(result.content) == 1


async def test_an_image_file_too_large_to_look_at_is_an_error(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_module, "MAX_IMAGE_FILE_BYTES", 1000)
    (bench.cwd / "heavy.png").write_bytes(png(1, 1) + bytes(2000))
    result = await bench.run("read", path="heavy.png")
    assert result.is_error
    assert "too large" in text_of(result)
    (bench.cwd / "prose").write_text("GIF89a" + " and so on" * 200)
    assert not (await bench.run("read", path="prose")).is_error


async def test_b008_a_name_with_another_kind_of_space_is_found(bench: Any) -> None:
    for half in ("AM", "am"):
        (bench.cwd / f"Shot 2025-01-02 at 9.15.00\u202f{half}.txt").write_text(half)
        assert text_of(await bench.run("read", path=f"Shot 2025-01-02 at 9.15.00 {half}.txt")) == half
    (bench.cwd / "Shot 2025-01-02 at 9.15.00 AM.txt").write_text("exact")
    assert text_of(await bench.run("read", path="Shot 2025-01-02 at 9.15.00 AM.txt")) == "exact"


async def test_b009_a_few_lines_of_a_large_file_take_little_memory(bench: Any) -> None:
    lines = 3_000_000
    write_numbered(bench.cwd / "large.txt", lines)
    tracemalloc.start()
    try:
        result = await bench.run("read", path="large.txt", offset=1000, limit=5)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    expected = "\n".join(f"line {n}" for n in range(1000, 1005))
    assert (
        text_of(result) == f"{expected}\n\n[{lines - 1003} more lines in file. Use offset=1005 to continue.]"
    )
    assert peak < 5_000_000


async def test_b009_lines_far_past_the_wanted_ones_are_not_counted(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excerpt, "COUNT_AHEAD_BYTES", 1_000_000)
    write_sparse(bench.cwd / "sparse.txt", b"one\ntwo\nthree\n", 50_000_000_000)
    result = await bench.run("read", path="sparse.txt", offset=2, limit=1)
    assert text_of(result) == "two\n\n[More than 2 more lines in file. Use offset=3 to continue.]"


async def test_b009_an_abort_ends_a_long_read(bench: Any) -> None:
    write_sparse(bench.cwd / "sparse.txt", b"", 500_000_000_000)
    reading = asyncio.create_task(bench.run("read", path="sparse.txt", offset=2))
    await asyncio.sleep(0.1)
    bench.controller.abort()
    with pytest.raises(AbortError):
        await reading


@pytest.mark.parametrize("start", ["GIF", "GIF89a", "BM", "BMW and (\0\0", "RIFF", "RIFFxxxxWEBP", "PK"])
async def test_b010_text_that_begins_like_an_image_is_text(bench: Any, start: str) -> None:
    content = f"{start} is how this ordinary prose begins; it goes on for a while, and ends.\n"
    (bench.cwd / "prose.txt").write_text(content)
    assert (await bench.run("read", path="prose.txt")).content == [TextContent(content)]


async def test_b011_optional_numbers_may_be_null_or_strings(bench: Any) -> None:
    content = "".join(f"{n}\n" for n in range(1, 21))
    (bench.cwd / "f").write_text(content)
    assert text_of(await bench.run("read", path="f", offset=None, limit=None)) == content
    assert text_of(await bench.run("read", path="f", offset="10", limit="3")).startswith("10\n11\n12\n\n[")
    (bench.cwd / "three").write_text("1\n2\n3")
    result = await bench.run("read", path="three", offset=99999)
    assert result.is_error
    assert "3 lines" in text_of(result)


async def test_the_loop_runs_on_while_a_file_is_read(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    readers: list[int] = []
    taken = excerpt._Taker.feed

    def feed(self: excerpt._Taker, chunk: bytes) -> None:
        readers.append(threading.get_ident())
        taken(self, chunk)

    monkeypatch.setattr(excerpt._Taker, "feed", feed)
    (bench.cwd / "f").write_text(FIVE)
    await bench.run("read", path="f")
    assert readers
    assert threading.get_ident() not in readers


def test_the_path_in_a_hint_is_one_the_shell_understands(local_bench: Any, clean_environment: Path) -> None:
    (clean_environment / "it's long.txt").write_text("y" * 60000)
    bench = local_bench
    result = asyncio.run(bench.run("read", path="~/it's long.txt"))
    command = text_of(result)[text_of(result).index("sed") : -1]
    assert text_of(asyncio.run(bench.run("bash", command=command))) == "y" * 51200


@pytest.fixture
def nobody(local_bench: Any) -> Iterator[Any]:
    """Tools run by somebody without rights, in a folder of theirs."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody without rights here")
    local_bench.cwd = Path(tempfile.mkdtemp())
    os.chown(local_bench.cwd, 65534, -1)
    os.seteuid(65534)
    try:
        yield local_bench
    finally:
        os.seteuid(0)
        shutil.rmtree(local_bench.cwd)


async def test_what_may_not_be_read_says_so(nobody: Any) -> None:
    secret, closed = nobody.cwd / "secret", nobody.cwd / "closed"
    secret.write_text("x")
    secret.chmod(0)
    closed.mkdir()
    closed.chmod(0)
    for path in ("secret", "closed/file", "closed/a b"):
        result = await nobody.run("read", path=path)
        assert result.is_error
        assert text_of(result) == f"Cannot read {path}: permission denied"
    closed.chmod(0o700)


async def test_rights_that_go_while_a_tool_works_leave_the_file_whole(
    nobody: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = nobody.cwd / "f"
    path.write_text("old")
    really = LocalOperations.write

    async def too_late(self: LocalOperations, target: str, data: bytes) -> None:
        nobody.cwd.chmod(0o555)
        await really(self, target, data)

    monkeypatch.setattr(LocalOperations, "write", too_late)
    for name, args in [
        ("write", {"content": "new"}),
        ("edit", {"edits": [{"oldText": "old", "newText": "new"}]}),
    ]:
        result = await nobody.run(name, path="f", **args)
        assert result.is_error
        assert text_of(result) == "Cannot write f: permission denied"
        assert path.read_text() == "old"
        nobody.cwd.chmod(0o700)
