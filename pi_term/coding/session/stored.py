"""Stored entries: the original lines of a session file, found at once and decoded when asked for."""

from __future__ import annotations

import io
import os
import threading
import zlib
from collections.abc import Container, Iterable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.base.diagnostics import Diagnostic, Severity
from pi_term.base.json import JsonError, JsonObject, dumps, loads
from pi_term.coding.session.bounded import Bounded

if TYPE_CHECKING:
    from pi_term.coding.session.entries import EntryRecord

_CACHE_ENTRIES = 256
_CACHE_BYTES = 4_000_000
_RECENT_BYTES = 2_000_000  # lines we wrote ourselves, should another program cut them out of the file


class StoredEntry:
    """One entry of a session. What is needed to walk the tree is here; the rest is read on demand.

    `parent_id` is what the line says, `parent` the entry it leads to: None at a root, and where the
    file has a gap. `role` is the role of a message entry. `offset` and `length` give the place of the
    line in the file in bytes; while `pending_line` is set, the line is still to be written there.
    A `damaged` entry could not be decoded: it only holds the tree together. One that is `gone` was in
    the file until another program cut it out, and nothing is left of it.
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

    @property
    def gone(self) -> bool:
        """Whether the entry is neither in a file nor waiting to be written there."""
        return self.offset < 0 and self.pending_line is None

    def move_to(self, lines: Lines) -> None:
        """Read from `lines` from now on."""
        self._lines = lines

    @property
    def line(self) -> bytes:
        """The line as it is stored, without its end. Reads the file; raises `OSError`."""
        return self._lines.line_of(self)

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
    every entry has its pending line. What is read may be `nameless`: a file of which `path` only tells
    what was made of it.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.file: io.FileIO | None = None
        self.nameless = False
        self.diagnostics: list[Diagnostic] = []
        self._decoded: Bounded[StoredEntry, JsonObject] = Bounded(_CACHE_ENTRIES, _CACHE_BYTES)
        self._written: Bounded[StoredEntry, bytes] = Bounded(_CACHE_ENTRIES, _RECENT_BYTES)
        self._lock = threading.Lock()

    def open(self, path: Path, moved: Iterable[tuple[StoredEntry, int, int]] = ()) -> None:
        """Open `path` for reading, in place of what was open; raises `OSError`.

        `moved` are entries with the offset and length they have in the new file.
        """
        self.use(io.FileIO(path, "r"), moved)
        self.path, self.nameless = path, False

    def use(self, file: io.FileIO, moved: Iterable[tuple[StoredEntry, int, int]] = ()) -> None:
        """Read from `file` from now on, see `open`. Readers see the old places or the new, no mixture."""
        with self._lock:
            old, self.file = self.file, file
            self._decoded.clear()
            for entry, offset, length in moved:
                self._place(entry, offset)
                if length != entry.length:  # it says something else there
                    self._written.drop(entry)
                entry.length = length
        if old is not None:
            old.close()

    def use_nameless(self, file: io.FileIO) -> None:
        """Read from a file that no name leads to."""
        self.use(file)
        self.nameless = True

    def rewrite(self, entry: StoredEntry, line: bytes) -> None:
        """Let a pending entry have another line."""
        with self._lock:
            entry.pending_line, entry.length = line, len(line)
            self._decoded.drop(entry)

    def wrote(self, entries: Iterable[StoredEntry], offset: int) -> int:
        """Note that the pending lines of `entries` are in the file, from `offset` on; returns their end."""
        with self._lock:
            for entry in entries:
                self._place(entry, offset)
                offset += entry.length + 1
        return offset

    def close(self) -> None:
        """Close the file; entries can still be read, the file is then opened for each.

        One without a name stays open as long as its entries are in use.
        """
        if self.nameless:
            return
        with self._lock:
            old, self.file = self.file, None
        if old is not None:
            old.close()

    def duplicate(self) -> Lines:
        """Lines that read the same file and live longer than these, whatever becomes of its name."""
        twin = Lines(self.path)
        twin.nameless = self.nameless
        with self._lock:
            if self.file is not None:
                twin.file = io.FileIO(os.dup(self.file.fileno()), "r")
        return twin

    def read(self, offset: int, length: int) -> bytes:
        """`length` bytes from `offset`, fewer where the file has become shorter; raises `OSError`."""
        with self._lock:
            return self._read(offset, length)

    def line_of(self, entry: StoredEntry) -> bytes:
        """What `StoredEntry.line` is."""
        with self._lock:
            line = self._line_in_memory(entry)
            if line is not None:
                return line
            return b"" if entry.offset < 0 else self._read(entry.offset, entry.length)

    def known_line(self, entry: StoredEntry) -> bytes | None:
        """The line of an entry without the help of the file, where it was written or decoded lately."""
        with self._lock:
            line = self._line_in_memory(entry)
            data = self._decoded.get(entry)
        return dumps(data) if line is None and data is not None else line

    def _line_in_memory(self, entry: StoredEntry) -> bytes | None:
        return self._written.get(entry) if entry.pending_line is None else entry.pending_line

    def _place(self, entry: StoredEntry, offset: int) -> None:
        if entry.pending_line is not None:
            self._written.put(entry, entry.pending_line, entry.length)
        entry.offset, entry.pending_line = offset, None

    def _read(self, offset: int, length: int) -> bytes:
        if self.file is not None:
            return _read_at(self.file, offset, length)
        if self.path is None:
            return b""
        with io.FileIO(self.path, "r") as file:
            return _read_at(file, offset, length)

    def decode(self, entry: StoredEntry) -> JsonObject:
        """What `StoredEntry.data` is."""
        with self._lock:
            data = self._decoded.get(entry)
        if data is not None:
            return data
        if not entry.damaged:
            line = entry.line
            data = decode_line(line) or decode_start(line)
        if data is None or not _is_of(data, entry):
            self._give_up(entry)
            return {
                "type": entry.type,
                "id": entry.id,
                "parentId": entry.parent_id,
                "timestamp": entry.timestamp,
            }
        with self._lock:
            self._decoded.put(entry, data, entry.length)
        return data

    def report(self, message: str, line: int | None = None, *, severity: Severity = "warning") -> None:
        """Add a finding about this file; the same one is added once."""
        diagnostic = Diagnostic(severity, message, file=self.path, line=line)
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


def made_up_id(line: bytes, before: str, taken: Container[str]) -> str:
    """An id for the entry in `line`, which has none: the same whenever the file is read.

    `before` is the id of what stands before it, so that equal lines get different ids.
    """
    number = zlib.crc32(line, zlib.crc32(before.encode("utf-8", "replace")))
    for attempt in count():
        id = f"{zlib.crc32(b'%d' % attempt, number):08x}"
        if id not in taken:
            break
    return id


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


def _is_of(data: JsonObject, entry: StoredEntry) -> bool:
    """Whether what was read is the entry that was meant: another program may have changed the file."""
    id = data.get("id")
    return id == entry.id or not isinstance(id, str) or not id


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
