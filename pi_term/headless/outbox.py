"""The records that wait for the reader of a protocol stream."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject, dumps
from pi_term.base.log import log
from pi_term.coding.events import SessionEvent
from pi_term.coding.feed import EventFeed
from pi_term.headless.event_json import event_json
from pi_term.headless.sink import Sink

_BROKEN_PIPE = 141  # what shells make of SIGPIPE


@dataclass(frozen=True, slots=True)
class Due:
    """A line, with its end, that is made when its turn comes; b"" when nothing is left to say."""

    make: Callable[[], bytes]


class Outbox:
    """Everything for one reader in one order: events of the session, and what else is sent.

    Sending never waits. What waits for a slow reader merges as in every feed: deltas of one block, and
    progress of one tool call. Once nobody reads any more, the outbox is `broken`: `on_broken` is called, and
    all that comes is dropped.
    """

    def __init__(self, descriptor: int, on_broken: Callable[[], None]) -> None:
        self._failure: OSError | None = None
        self._on_broken = on_broken
        self._is_writing = False
        self._sink = Sink(descriptor)
        self._feed: EventFeed[SessionEvent | Due] = EventFeed()
        self._writer = asyncio.create_task(self._write_all(), name="protocol output")

    @property
    def broken(self) -> bool:
        """Whether nothing can be written any more."""
        return self._failure is not None

    def exit_code(self) -> int:
        """That of a program which said all it had to say: 141 when nobody reads any more.

        Raises the `OSError` of an output that fails in another way, such as a full disk.
        """
        if self._failure is None:
            return 0
        if isinstance(self._failure, BrokenPipeError):
            return _BROKEN_PIPE
        raise self._failure

    async def on_event(self, event: SessionEvent) -> None:
        """A listener of the session, which it does not hold up."""
        self._put(event)

    def send(self, record: JsonObject) -> None:
        """Send a record."""
        self.send_line(dumps(record) + b"\n")

    def send_line(self, line: bytes) -> None:
        """Send a record that is encoded already, with its line end."""
        self._put(Due(lambda: line))

    def send_later(self, due: Due) -> None:
        """Send what `due` makes when it is written."""
        self._put(due)

    async def close(self, seconds: float | None = None) -> None:
        """Write what waits, as far as it is taken within `seconds` (None: however long that lasts)."""
        self._feed.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._writer

    def _put(self, item: SessionEvent | Due) -> None:
        if self.broken:
            return None
        if self._is_writing or self._feed:
            self._feed.push(item)
            return None
        line = _line(item)
        try:
            written = self._sink.write_at_once(line) if line else 0
        except OSError as error:
            return self._break(error)
        if written < len(line):
            self._feed.push(Due(lambda: line[written:]))
        return None

    async def _write_all(self) -> None:
        try:
            while items := await self._feed.take():
                self._is_writing = True
                for item in items:
                    await self._sink.write(_line(item))
                self._is_writing = False
        except OSError as error:
            self._break(error)

    def _break(self, error: OSError) -> None:
        log.info("the protocol output is closed: %s", error)
        self._failure = error
        self._on_broken()


def _line(item: SessionEvent | Due) -> bytes:
    """The line of an item with its end; b"" for what is not told."""
    try:
        if isinstance(item, Due):
            return item.make()
        record = event_json(item)
        return b"" if record is None else dumps(record) + b"\n"
    except Exception:  # noqa: BLE001 - details of a tool may hold anything; the others are still to be told
        log.exception("a record could not be encoded")
        return b""
