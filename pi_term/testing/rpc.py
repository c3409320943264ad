"""RPC mode in this process, and the client at the other end of its pipes."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any

from pi_term.base.json import JsonError, JsonObject, dumps, loads
from pi_term.coding.startup import Started
from pi_term.headless.rpc import run_rpc_mode

_GUARD = 60.0  # seconds after which a test hangs


class RpcPeer:
    """Writes commands, and keeps the `records` (and raw `lines`) that come back, in their order.

    A line that cannot be decoded is a record of the type "undecodable".

    The program must have been started with an `RpcUi`. `err` is what the server writes to standard error.
    Make it on a running event loop; `aclose` ends the server and the program.
    """

    def __init__(self, started: Started) -> None:
        self.started = started
        self.records: list[JsonObject] = []
        self.lines: list[bytes] = []
        self.err = io.StringIO()
        self._begun = b""
        self._ids = count(1)
        self._read = 0
        source, self._to_server = os.pipe()
        self._from_server, sink = os.pipe()
        os.set_blocking(self._from_server, False)
        self.listen()
        self._server = asyncio.create_task(self._serve(source, sink))

    async def _serve(self, source: int, sink: int) -> int:
        try:
            return await run_rpc_mode(self.started, source=source, sink=sink, err=self.err)
        finally:
            os.close(source)
            os.close(sink)

    # --- writing

    async def write(self, data: bytes) -> None:
        """Raw bytes; waits until the server has taken them."""
        while data:
            data = data[await asyncio.to_thread(os.write, self._to_server, data[: 1 << 20]) :]

    async def send(self, type: str, **fields: Any) -> str:
        """Send a command; returns its id."""
        id = f"c{next(self._ids)}"
        await self.write(dumps({"id": id, "type": type, **fields}) + b"\n")
        return id

    def hang_up(self) -> None:
        """Write nothing more."""
        if self._to_server >= 0:
            os.close(self._to_server)
            self._to_server = -1

    # --- reading

    def listen(self) -> None:
        """Take what comes; a peer does from the start."""
        asyncio.get_running_loop().add_reader(self._from_server, self._take)

    def stop_listening(self) -> None:
        """Leave what comes in the pipe."""
        asyncio.get_running_loop().remove_reader(self._from_server)

    def go_deaf(self) -> None:
        """Close the reading end."""
        self.stop_listening()
        os.close(self._from_server)
        self._from_server = -1

    def of(self, *types: str) -> list[JsonObject]:
        """The records of these kinds so far."""
        return [record for record in self.records if record["type"] in types]

    async def record(self, test: Callable[[JsonObject], bool], *, after: int = 0) -> JsonObject:
        """The first record, from number `after` on, that passes the test; waits for it."""
        async with asyncio.timeout(_GUARD):
            while True:
                for record in self.records[after:]:
                    if test(record):
                        return record
                after = len(self.records)
                while len(self.records) == after:
                    await asyncio.sleep(0.001)

    async def response(self, id: Any) -> JsonObject:
        """The response to the command of this id; waits for it."""
        return await self.record(lambda each: each["type"] == "response" and each.get("id") == id)

    async def call(self, type: str, **fields: Any) -> JsonObject:
        """Send a command and wait for its response."""
        return await self.response(await self.send(type, **fields))

    async def data(self, type: str, **fields: Any) -> Any:
        """What a command that succeeds returns."""
        response = await self.call(type, **fields)
        assert response["success"], response
        return response.get("data")

    async def event(self, type: str, **fields: Any) -> JsonObject:
        """The next event of this kind after the last one that was waited for."""

        def fits(record: JsonObject) -> bool:
            return record["type"] == type and all(record.get(key) == value for key, value in fields.items())

        found = await self.record(fits, after=self._read)
        self._read = next(number for number, each in enumerate(self.records) if each is found) + 1
        return found

    async def ask(self, message: str, **fields: Any) -> JsonObject:
        """Send a prompt and wait until it has settled."""
        self._read = len(self.records)
        await self.data("prompt", message=message, **fields)
        return await self.event("agent_settled")

    # --- the end

    async def end(self) -> int:
        """Hang up and wait for the server's end; its exit code."""
        self.hang_up()
        async with asyncio.timeout(_GUARD):
            code = await self._server
        self._take()
        return code

    async def aclose(self) -> None:
        """End the server and the program."""
        self.hang_up()
        async with asyncio.timeout(_GUARD):
            await asyncio.wait([self._server])
        if self._from_server >= 0:
            self.go_deaf()
        await self.started.aclose()

    def _take(self) -> None:
        with suppress(BlockingIOError):
            while self._from_server >= 0:
                data = os.read(self._from_server, 1 << 16)
                if not data:
                    return self.stop_listening()
                *lines, self._begun = (self._begun + data).split(b"\n")
                self.lines += lines
                self.records += [_decoded(line) for line in lines]
        return None


def _decoded(line: bytes) -> JsonObject:
    """The record in a line; one of the type "undecodable" where that is none, or nests too deeply."""
    try:
        record: JsonObject = loads(line)
    except JsonError:
        return {"type": "undecodable"}
    return record
