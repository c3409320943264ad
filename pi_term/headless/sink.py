"""Writing to a pipe, a socket, a terminal or a file without ever holding up the event loop."""

from __future__ import annotations

import asyncio
import os
import select

_TURN = 1 << 20
"""Bytes after which others have their turn, however fast the reader is."""


class Sink:
    """The writing end of a stream whose reader may be slow.

    The descriptor stays as it is: it may be shared with other processes, which a change to non-blocking
    writes would surprise. A piece of at most `PIPE_BUF` bytes does not block once the system has said that
    there is room.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)

    def write_at_once(self, data: bytes | memoryview) -> int:
        """Write as much of `data` as there certainly is room for; returns how many bytes that were.

        Raises `OSError`, `BrokenPipeError` when nobody reads any more.
        """
        if not self._poll.poll(0):
            return 0
        try:
            return os.write(self._descriptor, data[: select.PIPE_BUF])
        except BlockingIOError:  # somebody else made it non-blocking
            return 0

    async def write(self, data: bytes) -> None:
        """Write all of `data`; raises what `write_at_once` raises."""
        rest, since = memoryview(data), 0
        while rest:
            count = self.write_at_once(rest)
            rest, since = rest[count:], since + count
            if not count:
                await self._room()
            elif since >= _TURN:
                since = 0
                await asyncio.sleep(0)

    async def _room(self) -> None:
        loop = asyncio.get_running_loop()
        arrived = asyncio.Event()
        loop.add_writer(self._descriptor, arrived.set)
        try:
            await arrived.wait()
        finally:
            loop.remove_writer(self._descriptor)
