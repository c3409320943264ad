"""The user's own commands, run for a client."""

from __future__ import annotations

import asyncio
import codecs
import threading
from collections import deque
from typing import Any

from pi_term.base.json import JsonObject, dumps
from pi_term.headless.outbox import Due, Outbox
from pi_term.headless.rpc.desk import Data, Desk
from pi_term.headless.rpc.params import Params

_MOST_WAITING = 4_000_000
"""Bytes of output that wait for a client which does not read; of more, the beginning is dropped. The file
of the full output, which the response names, has all of it."""


async def bash(desk: Desk, params: Params) -> Data:
    """Run a command, tell what it prints while it does, and record it."""
    command, exclude = params.text("command"), params.optional_flag("excludeFromContext")
    output = _Output(desk.outbox, params.id)
    record = await desk.session.shell.run(command, exclude=exclude, on_data=output.add)
    output.end()
    told: JsonObject = {"output": record.output}
    if record.exit_code is not None:
        told["exitCode"] = record.exit_code
    told |= {"cancelled": record.cancelled, "truncated": record.truncated}
    if record.full_output_path is not None:
        told["fullOutputPath"] = record.full_output_path
    return told


def abort_bash(desk: Desk, params: Params) -> Data:
    """End the commands that run."""
    desk.session.shell.abort()
    return None


class _Output:
    """What one command prints, on its way to the client."""

    def __init__(self, outbox: Outbox, id: Any) -> None:
        self._outbox = outbox
        self._id = id
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._is_due = False
        self._ended = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, data: bytes) -> None:
        """There is more; called from another thread."""
        with self._lock:
            self._waiting.append(data)
            self._size += len(data)
            while self._size > _MOST_WAITING and len(self._waiting) > 1:
                self._size -= len(self._waiting.popleft())
            was_due, self._is_due = self._is_due, True
        if not was_due:
            self._loop.call_soon_threadsafe(self._outbox.send_later, Due(self._take))

    def end(self) -> None:
        """Nothing more comes."""
        self._ended = True
        self._outbox.send_later(Due(self._take))

    def _take(self) -> bytes:
        with self._lock:
            data = b"".join(self._waiting)
            self._waiting.clear()
            self._size, self._is_due = 0, False
        text = self._decoder.decode(data, self._ended)
        if not text:
            return b""
        record: JsonObject = {"type": "bash_execution_update"}
        if self._id is not None:
            record["id"] = self._id
        return dumps({**record, "delta": text}) + b"\n"
