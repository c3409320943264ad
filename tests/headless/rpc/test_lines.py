from __future__ import annotations

import asyncio
import os
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pi_term.headless.rpc.lines import LineReader, LineSplitter
from pi_term.testing import until


def split(pieces: list[bytes], limit: int = 1000) -> list[bytes | None]:
    splitter = LineSplitter(limit)
    lines = [line for piece in pieces for line in splitter.feed(piece)]
    return [*lines, *splitter.end()]


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(ends)]


TEXT = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=30)


PLACES = st.lists(st.integers(0, 10_000), max_size=12)


@given(st.lists(TEXT, max_size=8), PLACES, st.sampled_from(["\n", "\r\n"]))
def test_lines_are_the_same_however_they_are_cut(lines: list[str], places: list[int], end: str) -> None:
    data = "".join(line + end for line in lines).encode()

    assert split(cut(data, places)) == [*(line.encode() for line in lines), b""]


def test_only_lf_ends_a_line() -> None:
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf\rg"

    assert split([text.encode() + b"\n"]) == [text.encode(), b""]


@given(st.lists(st.integers(0, 40), max_size=12), PLACES)
def test_a_long_line_is_refused_once_and_the_others_are_taken(sizes: list[int], places: list[int]) -> None:
    data = b"".join(b"x" * size + b"\n" for size in sizes)

    expected = [b"x" * size if size <= 20 else None for size in sizes]
    assert split(cut(data, places), limit=20) == [*expected, b""]


def test_a_line_that_never_ends_is_refused_before_its_end_and_is_not_kept() -> None:
    splitter = LineSplitter(1000)

    refused = [line for _ in range(10_000) for line in splitter.feed(b"x" * 1000)]

    assert refused == [None]
    assert splitter._begun == []
    assert list(splitter.feed(b"the rest of it\nnext\n")) == [b"next"]


async def read(descriptor: int) -> list[bytes | None]:
    lines: list[bytes | None] = []
    ended = asyncio.Event()
    reader = LineReader(descriptor, lines.append, ended.set, limit=1000)
    reader.resume()
    async with asyncio.timeout(30):
        await ended.wait()
    reader.resume()
    return lines


async def test_a_pipe_is_read_to_its_end_and_the_last_line_needs_none() -> None:
    source, target = os.pipe()

    async def write() -> None:
        for byte in 'é\n{"type":"x"}\r\nlast'.encode():
            os.write(target, bytes([byte]))
            await asyncio.sleep(0)
        os.close(target)

    lines, _ = await asyncio.gather(read(source), write())
    os.close(source)

    assert lines == ["é".encode(), b'{"type":"x"}', b"last"]


async def test_a_file_and_the_null_device_are_read_too(tmp_path: Path) -> None:
    file = tmp_path / "commands"
    file.write_bytes(b"one\ntwo\n" + b"x" * 1001 + b"\n")

    for path, expected in ((file, [b"one", b"two", None]), (Path(os.devnull), [])):
        descriptor = os.open(path, os.O_RDONLY)
        assert await read(descriptor) == expected
        os.close(descriptor)


async def test_during_a_pause_all_stays_in_the_pipe() -> None:
    source, target = os.pipe()
    lines: list[bytes | None] = []
    reader = LineReader(source, lines.append, lambda: None)
    reader.resume()
    os.write(target, b"first\n")
    await until(lambda: len(lines) == 1)

    reader.pause()
    os.write(target, b"second\n")
    for _ in range(20):
        await asyncio.sleep(0)
    assert lines == [b"first"]
    reader.resume()
    await until(lambda: len(lines) == 2)

    reader.close()
    os.close(target)
    os.close(source)


async def test_a_reader_that_is_closed_takes_nothing_more(tmp_path: Path) -> None:
    (tmp_path / "commands").write_bytes(b"line\n" * 100_000)
    source = os.open(tmp_path / "commands", os.O_RDONLY)
    lines: list[bytes | None] = []
    reader = LineReader(source, lines.append, lambda: None)
    reader.resume()
    await until(lambda: bool(lines))

    reader.close()
    taken = len(lines)
    await asyncio.sleep(0.05)
    os.close(source)

    assert len(lines) == taken < 100_000
