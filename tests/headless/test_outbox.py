from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from pi_term.agent.events import AgentStart, MessageUpdate, ToolExecutionUpdate, TurnStart
from pi_term.agent.tools import text_result
from pi_term.ai.events import TextDelta
from pi_term.ai.messages import AssistantMessage
from pi_term.coding.events import StatsCounted
from pi_term.headless.outbox import Due, Outbox
from pi_term.headless.sink import Sink
from pi_term.testing import until


def ignore() -> None:
    """Nobody minds."""


@contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    try:
        yield reader, writer
    finally:
        for descriptor in (reader, writer):
            with suppress(OSError):
                os.close(descriptor)


def read(reader: int) -> bytes:
    data = b""
    with suppress(BlockingIOError):
        while piece := os.read(reader, 1 << 16):
            data += piece
    return data


async def read_lines(reader: int, count: int) -> list[dict[str, object]]:
    data = b""
    async with asyncio.timeout(30):
        while data.count(b"\n") < count:
            data += read(reader)
            await asyncio.sleep(0.001)
    return [json.loads(line) for line in data.splitlines()]


async def test_records_and_events_come_in_one_order() -> None:
    with pipe() as (reader, writer):
        outbox = Outbox(writer, ignore)
        outbox.send({"n": 1})
        await outbox.on_event(AgentStart())
        outbox.send_later(Due(lambda: b'{"n":2}\n'))
        await outbox.on_event(StatsCounted())  # is told to nobody
        outbox.send({"n": 3})
        await outbox.close()

        assert await read_lines(reader, 4) == [{"n": 1}, {"type": "agent_start"}, {"n": 2}, {"n": 3}]


async def test_a_slow_reader_holds_nobody_up_and_deltas_merge_meanwhile() -> None:
    message = AssistantMessage()
    with pipe() as (reader, writer):
        outbox = Outbox(writer, ignore)
        outbox.send({"much": "x" * 200_000})
        for number in range(10_000):
            await outbox.on_event(MessageUpdate(message, TextDelta(0, message, f"{number} ")))
        for number in range(10_000):
            await outbox.on_event(ToolExecutionUpdate("c", "bash", {}, text_result(str(number))))
        await outbox.on_event(TurnStart())
        outbox.send({"last": True})

        records = await read_lines(reader, 5)
        await outbox.close()

    assert len(records) == 5
    assert records[1]["assistantMessageEvent"]["delta"] == "".join(f"{n} " for n in range(10_000))  # type: ignore[index]
    assert records[2]["partialResult"] == {"content": [{"type": "text", "text": "9999"}]}
    assert records[3:] == [{"type": "turn_start"}, {"last": True}]


async def test_a_record_that_cannot_be_encoded_is_left_out() -> None:
    with pipe() as (reader, writer):
        outbox = Outbox(writer, ignore)
        await outbox.on_event(ToolExecutionUpdate("c", "mine", {}, text_result("x", details=object())))
        outbox.send({"next": 1})
        await outbox.close()

        assert await read_lines(reader, 1) == [{"next": 1}]


async def test_a_reader_that_is_gone_is_noticed_once() -> None:
    with pipe() as (reader, writer):
        gone: list[bool] = []
        outbox = Outbox(writer, lambda: gone.append(True))
        os.close(reader)
        for number in range(3):
            outbox.send({"n": number})

        assert (outbox.broken, gone) == (True, [True])
        await outbox.close()


async def test_a_reader_that_goes_while_much_waits_for_it() -> None:
    with pipe() as (reader, writer):
        gone = asyncio.Event()
        outbox = Outbox(writer, gone.set)
        outbox.send({"much": "x" * 500_000})
        await asyncio.sleep(0)
        os.close(reader)

        async with asyncio.timeout(30):
            await gone.wait()
            await outbox.close()


async def test_closing_waits_no_longer_than_it_is_told_to() -> None:
    with pipe() as (_, writer):
        outbox = Outbox(writer, ignore)
        outbox.send({"much": "x" * 500_000})
        async with asyncio.timeout(30):
            await outbox.close(0.01)


@pytest.mark.parametrize("size", [1, 4096, 4097, 70_000, 3_000_000])
async def test_all_of_it_arrives_through_a_pipe_and_a_socket(size: int) -> None:
    data = os.urandom(size)
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    with ours, theirs, pipe() as (reader, writer):
        for source, target in ((reader, writer), (theirs.fileno(), ours.fileno())):
            writing = asyncio.create_task(Sink(target).write(data))
            got = b""
            async with asyncio.timeout(30):
                while len(got) < size:
                    got += read(source)
                    await asyncio.sleep(0)
                await writing
            assert got == data


async def test_a_file_takes_all_at_once_and_flags_stay_as_they_are(tmp_path: Path) -> None:
    file = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT)
    await Sink(file).write(b"x" * 100_000)

    assert os.get_blocking(file)
    os.close(file)
    assert (tmp_path / "out").stat().st_size == 100_000


async def test_somebody_else_made_the_pipe_non_blocking() -> None:
    with pipe() as (reader, writer):
        os.set_blocking(writer, False)
        writing = asyncio.create_task(Sink(writer).write(b"x" * 300_000))
        got = 0

        def all_there() -> bool:
            nonlocal got
            got += len(read(reader))
            return got == 300_000

        await until(all_there)
        await writing
