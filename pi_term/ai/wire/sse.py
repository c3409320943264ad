"""Server-sent events from bytes, as they arrive.

The format is that of the HTML standard: lines end in LF, CRLF or CR; a blank line ends an event;
`data` lines of one event are joined by LF; a line that begins with a colon is a comment.
"""

from __future__ import annotations

from typing import NamedTuple

_BOM = b"\xef\xbb\xbf"
MAX_EVENT_BYTES = 64 * 1024 * 1024


class SseEvent(NamedTuple):
    """One event; `name` is "message" where the server names none. `data` is undecoded UTF-8."""

    name: str
    data: bytes


class SseError(ValueError):
    """An event that never ends."""


class SseParser:
    """Feed it bytes cut anywhere; each `feed` gives the events that became complete.

    Work is linear in the bytes: a line that spans many pieces is joined once, when it ends.
    """

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._limit = max_event_bytes
        self._unfinished: list[bytes] = []
        self._data: list[bytes] = []
        self._name = ""
        self._size = 0
        self._skip_lf = False
        self._first_line = True

    def feed(self, piece: bytes) -> list[SseEvent]:
        """Take the next bytes. Raises `SseError` where an event passes the limit."""
        if self._skip_lf and piece:
            # The CR that ended the last piece was a whole line end; its LF may come only now.
            piece = piece.removeprefix(b"\n")
            self._skip_lf = False
        if not piece:
            return []
        self._size += len(piece)
        if b"\n" not in piece and b"\r" not in piece:
            self._unfinished.append(piece)
            self._check_size()
            return []
        self._skip_lf = piece.endswith(b"\r")
        if self._unfinished:
            piece = b"".join(self._unfinished) + piece
            self._unfinished.clear()
        lines = piece.splitlines()
        if not piece.endswith((b"\n", b"\r")):
            self._unfinished.append(lines.pop())
        events = self._take_lines(lines)
        self._check_size()
        return events

    def finish(self) -> list[SseEvent]:
        """The stream has ended: an event whose closing blank line never came is given too."""
        line, self._unfinished = b"".join(self._unfinished), []
        return self._take_lines([line, b""] if line else [b""])

    def _take_lines(self, lines: list[bytes]) -> list[SseEvent]:
        events: list[SseEvent] = []
        if self._first_line and lines:
            lines[0] = lines[0].removeprefix(_BOM)
            self._first_line = False
        for line in lines:
            if line:
                self._take_field(line)
                continue
            if self._data:
                events.append(SseEvent(self._name or "message", b"\n".join(self._data)))
                self._data.clear()
            self._name = ""
            self._size = sum(map(len, self._unfinished))
        return events

    def _take_field(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")

    def _check_size(self) -> None:
        if self._size > self._limit:
            raise SseError(f"a server-sent event passes {self._limit} bytes")
