"""Takes commands, answers each of them once, and tells what happens meanwhile."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import TextIO

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonError, JsonObject, loads
from pi_term.base.sanitize import sanitize
from pi_term.coding.events import DiagnosticRaised, SessionEvent
from pi_term.coding.startup import Started
from pi_term.headless.outbox import Outbox
from pi_term.headless.rpc.answers import Answers
from pi_term.headless.rpc.commands import Command, Glance, Job, all_commands
from pi_term.headless.rpc.desk import Desk
from pi_term.headless.rpc.lines import MAX_LINE, LineReader
from pi_term.headless.rpc.ui import RpcUi
from pi_term.headless.signals import caught_signals
from pi_term.headless.streams import claim_input, claim_output

_BIG = 1_000_000  # bytes of a line whose decoding would hold up the event loop
_MOST_WAITING = 2 * MAX_LINE  # bytes of commands that are read before the first of them has been taken up
_LAST_ANSWERS = 5.0  # seconds that commands have to come to an end once they are called off
_LAST_WORDS = 5.0  # seconds that a client has to take the rest


async def run_rpc_mode(
    started: Started,
    *,
    source: int | None = None,
    sink: int | None = None,
    err: TextIO | None = None,
) -> int:
    """Serve the client on the other end of `source` and `sink` until it goes; returns the exit code.

    The descriptors are those of the standard streams unless given; nothing else can use them then.
    Diagnostics go to `err`. 0: the client closed its end, and all that went on was called off and kept.
    128 + n: signal n did that; a second one ends the process at once. 141: the client does not read any
    more. Raises `OSError` where the output fails otherwise.
    """
    source = claim_input() if source is None else source
    sink = claim_output() if sink is None else sink
    server = _Server(started, source, sink, err or sys.stderr)
    with caught_signals(server.on_signal):
        return await server.serve()


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A command that waits for its turn, or a long line that is still to be decoded; its `size` in bytes."""

    record: JsonObject | bytes
    size: int


class _Server:
    """One client. Commands are taken up in their order and answered when they are done."""

    def __init__(self, started: Started, source: int, sink: int, err: TextIO) -> None:
        self._ending = asyncio.Event()
        self._signals: list[int] = []
        self._outbox = Outbox(sink, self._ending.set)
        self._desk = Desk(started, self._outbox)
        self._answers = Answers(self._desk)
        self._commands = all_commands()
        self._reader = LineReader(source, self._take, self._go)
        self._queue: asyncio.Queue[_Waiting | None] = asyncio.Queue()
        self._behind = 0  # commands that have come and have not been taken up
        self._size = 0  # bytes of their lines
        self._open: set[asyncio.Task[None]] = set()
        self._err = err
        ui = started.session.harness.ui
        self._ui = ui if isinstance(ui, RpcUi) else RpcUi()

    async def serve(self) -> int:
        """Work until the client goes or a signal comes."""
        unsubscribe = self._desk.session.subscribe(self._on_event)
        self._ui.connect(self._outbox.send)
        self._reader.resume()
        working = asyncio.create_task(self._work(), name="commands")
        try:
            await self._ending.wait()
        finally:
            self._reader.close()
            await _end(working)
            await self._leave()
            unsubscribe()
        if self._signals:
            return 128 + self._signals[0]
        return self._outbox.exit_code()

    def on_signal(self, number: int) -> None:
        """A signal that ends the process has come."""
        self._signals.append(number)
        self._ending.set()

    # --- commands

    def _take(self, line: bytes | None) -> None:
        """A line has come."""
        if line is None:
            self._answers.refuse_line(f"it is longer than {MAX_LINE} bytes")
        elif len(line) > _BIG:
            self._put(_Waiting(line, len(line)))
        elif line.strip():
            self._accept(line)

    def _accept(self, line: bytes) -> None:
        try:
            record = _decoded(line)
        except JsonError as error:
            return self._answers.refuse_line(str(error))
        if self._ui.take(record):
            return None
        command = self._command(record)
        if isinstance(command, Glance) and not self._behind:
            return self._answers.glance(record, command)
        return self._put(_Waiting(record, len(line)))

    def _go(self) -> None:
        """No more lines come: once those that came have been taken up, it is over."""
        self._ui.close()
        self._put(None)

    def _put(self, waiting: _Waiting | None) -> None:
        self._behind += 1
        self._size += 0 if waiting is None else waiting.size
        self._queue.put_nowait(waiting)
        if self._size > _MOST_WAITING:
            self._reader.pause()

    async def _work(self) -> None:
        while (waiting := await self._queue.get()) is not None:
            try:
                record = waiting.record
                record = await asyncio.to_thread(_decoded, record) if isinstance(record, bytes) else record
            except JsonError as error:
                self._answers.refuse_line(str(error))
            else:
                if not self._ui.take(record):
                    await self._take_up(record)
            self._behind -= 1
            self._size -= waiting.size
            if self._size <= _MOST_WAITING:
                self._reader.resume()
        self._ending.set()

    async def _take_up(self, record: JsonObject) -> None:
        """Begin a command, as far as it comes without waiting: the next one finds that much done."""
        match self._command(record):
            case Glance() as command:
                self._answers.glance(record, command)
            case Job() as job:
                task = asyncio.create_task(self._answers.carry_out(record, job), name="command")
                self._open.add(task)
                task.add_done_callback(self._open.discard)
                if job.alone:
                    await asyncio.wait([task])
                else:
                    await asyncio.sleep(0)
            case None:
                name = record.get("type")
                known = f"Unknown command: {name}" if isinstance(name, str) else '"type" must be a string.'
                self._answers.refuse(record, known)

    def _command(self, record: JsonObject) -> Command | None:
        name = record.get("type")
        return self._commands.get(name) if isinstance(name, str) else None

    # --- events

    async def _on_event(self, event: SessionEvent) -> None:
        if isinstance(event, DiagnosticRaised):
            self._err.write(f"pi-term: {sanitize(event.diagnostic.text())}\n")
        await self._outbox.on_event(event)

    # --- the end

    async def _leave(self) -> None:
        """Call off what goes on, answer what was asked, and tell the client as much as it takes."""
        session = self._desk.session
        self._ui.close()
        session.abort()
        session.shell.abort()
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_ANSWERS):
                await session.wait_settled()
                if self._open:
                    await asyncio.wait(self._open)
        for task in tuple(self._open):
            await _end(task)
        await self._outbox.close(_LAST_WORDS)


def _decoded(line: bytes) -> JsonObject:
    """The command in a line; raises `JsonError` where that is none."""
    record = loads(line)
    if not isinstance(record, dict):
        raise JsonError("it is not an object")
    return record


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
