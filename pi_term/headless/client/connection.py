"""The child process and the records to and from it."""

from __future__ import annotations

import asyncio
import re
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TypeAlias

from pi_term.base.json import JsonError, JsonObject, dumps, loads
from pi_term.base.listeners import Registry
from pi_term.base.log import log
from pi_term.headless.rpc.lines import LineSplitter

RecordListener: TypeAlias = Callable[[JsonObject], None]
UiHandler: TypeAlias = Callable[[JsonObject], Awaitable[JsonObject | None]]

_ENDED = "The child has ended."
_ID = re.compile(rb'\{"id":"(\d+)",')  # how a response begins
_PIECE = 1 << 16
_PATIENCE = 10.0  # seconds from the end of its input to the child's own end, and again to its killing


class RpcError(Exception):
    """A command failed, or the child ended before it was answered."""


class Connection:
    """One child in RPC mode. Answers find their commands by id, events go to all listeners.

    `ended` is set when the child says nothing more.
    """

    def __init__(self, process: Process, on_record: RecordListener, on_ui_request: UiHandler | None) -> None:
        self.ended = asyncio.Event()
        self._process = process
        self._on_record = on_record
        self._on_ui_request = on_ui_request
        self._ids = count(1)
        self._asked: dict[str, asyncio.Future[JsonObject]] = {}
        self._listeners: Registry[RecordListener] = Registry()
        self._dialogs: set[asyncio.Task[None]] = set()
        self._reader = asyncio.create_task(self._read(), name="RPC records")

    @classmethod
    async def open(
        cls,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        on_record: RecordListener,
        on_ui_request: UiHandler | None = None,
    ) -> Connection:
        """Start the child; what it says on standard error goes to ours. Raises `OSError`.

        `on_record` is called with every record, before anybody else is told of it.
        """
        process = await asyncio.create_subprocess_exec(*argv, stdin=PIPE, stdout=PIPE, cwd=cwd, env=env)
        return cls(process, on_record, on_ui_request)

    def listen(self, listener: RecordListener) -> Callable[[], None]:
        """Call `listener` with every event from now on; returns what ends that."""
        return self._listeners.add(listener)

    async def call(self, type: str, **fields: object) -> JsonObject:
        """Send a command and wait for its answer; fields that are None are left out. Raises `RpcError`."""
        if self.ended.is_set():
            raise RpcError(_ENDED)
        id = f"{next(self._ids)}"
        answered: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        self._asked[id] = answered
        given = {key: value for key, value in fields.items() if value is not None}
        try:
            await self._send({"id": id, "type": type, **given})
            response = await answered
        finally:
            del self._asked[id]
        if not response.get("success"):
            raise RpcError(str(response.get("error", "The command failed.")))
        return response

    async def close(self) -> int:
        """Let the child come to its end, or end it; returns its exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        for end in (self._process.terminate, self._process.kill):
            try:
                async with asyncio.timeout(_PATIENCE):
                    await self._process.wait()
                break
            except TimeoutError:
                end()
        await self._process.wait()
        await self._reader
        for dialog in tuple(self._dialogs):
            dialog.cancel()
        return self._process.returncode or 0

    async def _send(self, record: JsonObject) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(dumps(record) + b"\n")
            await self._process.stdin.drain()
        except OSError as error:
            raise RpcError(f"The child does not read any more: {error}") from error

    async def _read(self) -> None:
        assert self._process.stdout is not None
        splitter = LineSplitter()
        while data := await self._process.stdout.read(_PIECE):
            for line in splitter.feed(data):
                self._take(line)
        self.ended.set()
        for answered in self._asked.values():
            if not answered.done():
                answered.set_exception(RpcError(_ENDED))

    def _take(self, line: bytes | None) -> None:
        try:
            record = None if line is None else loads(line)
        except JsonError as error:
            log.warning("a line of the child cannot be decoded: %s", error)
            found = _ID.match(line or b"")
            record = {"type": "response", "id": found[1].decode(), "error": str(error)} if found else None
        if not isinstance(record, dict):
            return
        self._on_record(record)
        match record.get("type"):
            case "response":
                answered = self._asked.get(str(record.get("id")))
                if answered is not None and not answered.done():
                    answered.set_result(record)
            case "extension_ui_request":
                dialog = asyncio.create_task(self._ask(record), name="RPC dialog")
                self._dialogs.add(dialog)
                dialog.add_done_callback(self._dialogs.discard)
            case _:
                for listener in self._listeners:
                    listener(record)

    async def _ask(self, request: JsonObject) -> None:
        """Ask the person, or whoever stands for one; dismiss what nobody answers."""
        answer = None if self._on_ui_request is None else await self._on_ui_request(request)
        if request.get("method") in ("select", "confirm", "input", "editor"):
            given = {"cancelled": True} if answer is None else answer
            await self._send({"type": "extension_ui_response", "id": request.get("id"), **given})
