"""Answering commands, each of them once."""

from __future__ import annotations

import asyncio
from typing import Any

from pi_term.base.abort import AbortError
from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonObject, dumps
from pi_term.base.log import log
from pi_term.headless.outbox import Outbox
from pi_term.headless.rpc.commands import Glance, Job
from pi_term.headless.rpc.desk import Data, Desk, Encoded
from pi_term.headless.rpc.params import Params


class Answers:
    """Carries commands out at a `desk` and sends what they came to."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def _outbox(self) -> Outbox:
        return self._desk.outbox

    def glance(self, record: JsonObject, command: Glance) -> None:
        """Carry out and answer a command that waits for nothing."""
        try:
            data = command.handler(self._desk, Params(record))
        except Exception as error:  # noqa: BLE001 - a client that gets no answer would wait for ever
            self.refuse(record, _problem(error))
        else:
            self._answer(record, data)

    async def carry_out(self, record: JsonObject, job: Job) -> None:
        """Carry out and answer any other command."""
        try:
            data = await job.handler(self._desk, Params(record))
        except asyncio.CancelledError:
            self.refuse(record, "The program is ending.")
            raise
        except Exception as error:  # noqa: BLE001 - see above
            self.refuse(record, _problem(error))
        else:
            self._answer(record, data)

    def refuse(self, record: JsonObject, problem: str) -> None:
        """Answer a command that failed."""
        self._outbox.send({**_response(record, False), "error": problem})

    def refuse_line(self, problem: str) -> None:
        """Answer a line that is no command."""
        text = f"Failed to parse command: {problem}"
        self._outbox.send({"type": "response", "command": "parse", "success": False, "error": text})

    def _answer(self, record: JsonObject, data: Data) -> None:
        response = _response(record, True)
        if isinstance(data, Encoded):
            self._outbox.send_line(dumps(response)[:-1] + b',"data":' + data.json + b"}\n")
        else:
            self._outbox.send(response if data is None else {**response, "data": data})


def _response(record: JsonObject, success: bool) -> JsonObject:
    id, name = record.get("id"), record.get("type")
    named: dict[str, Any] = {} if id is None else {"id": id}
    command = name if isinstance(name, str) else "unknown"
    return {**named, "type": "response", "command": command, "success": success}


def _problem(error: Exception) -> str:
    match error:
        case PiTermError():
            return error.text()
        case AbortError():
            return str(error)
        case OSError():
            place = f": {error.filename}" if error.filename else ""
            return f"{error.strerror or error}{place}"
    log.error("a command failed", exc_info=error)
    return f"The command failed: {error or type(error).__name__}"
