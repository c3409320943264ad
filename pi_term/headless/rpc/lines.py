"""Lines from a stream of bytes, however it is cut into pieces. Only LF ends one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from typing import Final

from pi_term.base.log import log

MAX_LINE: Final = 128 * 1024 * 1024
"""Bytes of the longest line that is taken."""
_PIECE = 1 << 16


class LineSplitter:
    """Cuts what comes into lines, without their ends; CRLF is an end, too.

    A line longer than `limit` is None, as soon as that is known; what is left of it is dropped as it comes.
    """

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._begun: list[bytes] = []
        self._size = 0
        self._dropping = False

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        """The lines that `data` completes."""
        first, *others = data.split(b"\n")
        yield from self._more(first)
        for piece in others:
            yield from self.end()
            yield from self._more(piece)

    def end(self) -> Iterator[bytes | None]:
        """The line that was begun, if one was: it is over."""
        line, dropped = b"".join(self._begun), self._dropping
        self._begun, self._size, self._dropping = [], 0, False
        if not dropped:
            yield line.removesuffix(b"\r")

    def _more(self, piece: bytes) -> Iterator[None]:
        if self._dropping or not piece:
            return
        self._size += len(piece)
        if self._size <= self._limit:
            self._begun.append(piece)
            return
        self._begun, self._dropping = [], True
        yield None


class LineReader:
    """Reads the lines of a pipe, socket, terminal or file as they come, the last one also without an end.

    `take` is called with each, on the event loop; None stands for one that was too long. `end` is called
    once, when no more come. The descriptor stays as it is: others may share it.
    """

    def __init__(
        self,
        descriptor: int,
        take: Callable[[bytes | None], None],
        end: Callable[[], None],
        limit: int = MAX_LINE,
    ) -> None:
        self._descriptor = descriptor
        self._take = take
        self._end = end
        self._splitter = LineSplitter(limit)
        self._loop = asyncio.get_running_loop()
        self._is_watched = False
        self._file: asyncio.Task[None] | None = None
        self._wanted = asyncio.Event()
        self._ended = False

    def resume(self) -> None:
        """Begin, or go on after a pause."""
        self._wanted.set()
        if self._ended or self._is_watched or self._file is not None:
            return
        try:
            self._loop.add_reader(self._descriptor, self._read)
            self._is_watched = True
        except PermissionError:  # a file: there is nothing to wait for
            self._file = asyncio.create_task(self._read_file(), name="commands")

    def pause(self) -> None:
        """Leave what comes where it is; lines of the piece that was read last are still taken."""
        self._wanted.clear()
        if self._is_watched:
            self._loop.remove_reader(self._descriptor)
            self._is_watched = False

    def close(self) -> None:
        """Take no more lines."""
        self.pause()
        self._ended = True
        if self._file is not None:
            self._file.cancel()

    def _read(self) -> None:
        try:
            piece = os.read(self._descriptor, _PIECE)
        except BlockingIOError:
            return
        except OSError as error:
            log.info("the protocol input cannot be read any more: %s", error)
            piece = b""
        self._feed(piece)

    async def _read_file(self) -> None:
        while not self._ended:
            await self._wanted.wait()
            self._feed(await asyncio.to_thread(os.read, self._descriptor, _PIECE))

    def _feed(self, piece: bytes) -> None:
        for line in self._splitter.feed(piece) if piece else self._splitter.end():
            if piece or line != b"":
                self._take(line)
        if not piece:
            self.close()
            self._end()
