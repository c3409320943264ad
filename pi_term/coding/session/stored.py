"""Stored entries: the original lines of a session file, found at once and decoded when asked for."""

from __future__ import annotations

import io
import os
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.base.diagnostics import Diagnostic
from pi_term.base.json import JsonError, JsonObject, loads

if TYPE_CHECKING:
    from pi_term.coding.session.entries import EntryRecord

_CACHE_ENTRIES = 256
_CACHE_BYTES = 4_000_000


class StoredEntry:
    """One entry of a session. What is needed to walk the tree is here; the rest is read on demand.

    `parent_id` is what the line says, `parent` the entry it leads to: None at a root, and where the
    file has a gap. `role` is the role of a message entry. `offset` and `length` give the place of the
    line in the file in bytes; while `pending_line` is set, the line is still to be written there.
    A `damaged` entry could not be decoded: it only holds the tree together.
    """

    __slots__ = (
        "_lines",
        "damaged",
        "id",
        "length",
        "offset",
        "parent",
        "parent_id",
        "pending_line",
        "role",
        "timestamp",
        "type",
    )

    def __init__(
        self,
        id: str,
        parent_id: str | None,
        type: str,
        role: str | None,
        timestamp: str,
        offset: int,
        length: int,
        parent: StoredEntry | None,
        lines: Lines,
    ) -> None:
        self.id = id
        self.parent_id = parent_id
        self.type = type
        self.role = role
        self.timestamp = timestamp
        self.offset = offset
        self.length = length
        self.parent = parent
        self.pending_line: bytes | None = None
        self.damaged = False
        self._lines = lines

    def __repr__(self) -> str:
        return f"<StoredEntry {self.id} {self.type}{f':{self.role}' if self.role else ''}>"

    def move_to(self, lines: Lines) -> None:
        """Read from `lines` from now on."""
        self._lines = lines

    @property
    def line(self) -> bytes:
        """The line as it is stored, without its end. Reads the file; raises `OSError`."""
        pending = self.pending_line
        return self._lines.read(self.offset, self.length) if pending is None else pending

    @property
    def data(self) -> JsonObject:
        """The decoded entry; do not change it. Reads the file unless it was asked for lately.

        Of a damaged line there is only what the index knew: type, id, parentId and timestamp.
        """
        return self._lines.decode(self)

    def record(self) -> EntryRecord | None:
        """The typed entry, made anew at each call; None (and a diagnostic) if its shape is not its type's."""
        from pi_term.coding.session.entries import entry_from_json

        data = self.data
        if self.damaged:
            return None
        try:
            return entry_from_json(data)
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            self._lines.report(f"entry {self.id} ({self.type}) is not understood and left out: {error}")
            return None


class Lines:
    """Reads the lines of one session file and notes what is wrong with them.

    Safe to use from several threads. Without a file (a session that is not stored yet, or never)
    every entry has its pending line.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.file: io.FileIO | None = None
        self.diagnostics: list[Diagnostic] = []
        self._cache: OrderedDict[StoredEntry, JsonObject] = OrderedDict()
        self._cached_bytes = 0
        self._lock = threading.Lock()

    def open(self, path: Path) -> None:
        """Open `path` for reading, in place of what was open; raises `OSError`."""
        file = io.FileIO(path, "r")
        with self._lock:
            old, self.path, self.file = self.file, path, file
        if old is not None:
            old.close()

    def close(self) -> None:
        """Close the file; entries can still be read, the file is then opened for each."""
        with self._lock:
            old, self.file = self.file, None
        if old is not None:
            old.close()

    def read(self, offset: int, length: int) -> bytes:
        """`length` bytes from `offset`, fewer where the file has become shorter; raises `OSError`."""
        with self._lock:
            if self.file is not None:
                return _read_at(self.file, offset, length)
            if self.path is None:
                return b""
            with io.FileIO(self.path, "r") as file:
                return _read_at(file, offset, length)

    def decode(self, entry: StoredEntry) -> JsonObject:
        """What `StoredEntry.data` is."""
        with self._lock:
            found = self._cache.get(entry)
            if found is not None:
                self._cache.move_to_end(entry)
                return found
        data = None
        if not entry.damaged:
            line = entry.line
            data = decode_line(line) or decode_start(line)
        if data is None:
            self._give_up(entry)
            return {
                "type": entry.type,
                "id": entry.id,
                "parentId": entry.parent_id,
                "timestamp": entry.timestamp,
            }
        self._keep(entry, data)
        return data

    def report(self, message: str, line: int | None = None) -> None:
        """Add a warning about this file; the same one is added once."""
        diagnostic = Diagnostic("warning", message, file=self.path, line=line)
        if diagnostic not in self.diagnostics:
            self.diagnostics.append(diagnostic)

    def _give_up(self, entry: StoredEntry) -> None:
        if not entry.damaged:
            entry.damaged = True
            self.report(
                f"entry {entry.id} ({entry.type}) is damaged and left out", self._line_number(entry.offset)
            )

    def _line_number(self, offset: int) -> int:
        """Which line of the file begins at `offset`; reads all that is before it."""
        feeds = position = 0
        while position < offset:
            part = self.read(position, min(1 << 20, offset - position))
            if not part:
                break
            feeds += part.count(b"\n")
            position += len(part)
        return feeds + 1

    def _keep(self, entry: StoredEntry, data: JsonObject) -> None:
        if entry.length > _CACHE_BYTES // 4:
            return
        with self._lock:
            if entry in self._cache:
                return
            self._cache[entry] = data
            self._cached_bytes += entry.length
            while len(self._cache) > _CACHE_ENTRIES or self._cached_bytes > _CACHE_BYTES:
                old, _ = self._cache.popitem(last=False)
                self._cached_bytes -= old.length


def decode_line(line: bytes) -> JsonObject | None:
    """The object a line holds, or None. Bytes that are not UTF-8 become U+FFFD."""
    try:
        data = loads(line)
    except ValueError:
        try:
            data = loads(line.decode("utf-8", "replace"))
        except ValueError:
            return None
    return data if isinstance(data, dict) else None


def decode_start(line: bytes) -> JsonObject | None:
    """The object a line begins with, whatever follows it, or None."""
    text = line.decode("utf-8", "replace")
    try:
        data = loads(text)
    except JsonError as error:
        try:
            data = loads(text[: error.position])
        except ValueError:
            return None
    return data if isinstance(data, dict) else None


def _read_at(file: io.FileIO, offset: int, length: int) -> bytes:
    parts: list[bytes] = []
    while length > 0:
        part = os.pread(file.fileno(), length, offset)
        if not part:
            break
        parts.append(part)
        offset += len(part)
        length -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
