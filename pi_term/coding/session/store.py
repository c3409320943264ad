"""The session file: what was said and done, appended and never rewritten.

Adding to a session is two steps. `add` puts an entry into memory, in no time, on any thread. `flush`
writes what is not written yet, in one write; it blocks and belongs on a worker thread, as do `open`
and `append`. Whatever goes wrong with the disk, memory stays ahead of the file, never beside it:
entries that could not be written stay pending and go before their children with the next flush.
"""

from __future__ import annotations

import os
import stat
import threading
from itertools import chain
from pathlib import Path

from pi_term.base.clock import iso
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.files import atomic_write, private_dir
from pi_term.base.ids import entry_id, session_id
from pi_term.base.json import dumps
from pi_term.coding.session.appender import LockedFile, locked
from pi_term.coding.session.entries import CURRENT_VERSION, EntryRecord, MessageEntry, SessionHeader
from pi_term.coding.session.follow import follow, was_replaced
from pi_term.coding.session.header import read_header
from pi_term.coding.session.index import Index
from pi_term.coding.session.stored import Lines, StoredEntry
from pi_term.coding.session.tree import SessionTree


class SessionFile:
    """One session: its header, its tree, and its file if it has one.

    `path` is None for a session that lives in memory only. `stored` says whether the file exists by
    now: a new one is made by the first `flush`, so that a session without a prompt leaves nothing.
    """

    def __init__(self, header: SessionHeader, path: Path | None, lines: Lines, *, stored: bool) -> None:
        self.header = header
        self.path = path
        self.stored = stored
        self.tree = SessionTree(lines)
        self._lines = lines
        self._index = Index(self.tree, lines)
        self._pending: list[StoredEntry] = []
        self._write_lock = threading.Lock()

    @classmethod
    def create(
        cls, folder: Path, cwd: str | Path, *, id: str | None = None, parent_session: str | None = None
    ) -> SessionFile:
        """A new session whose file will lie in `folder` (see `locate.folder_for_cwd`); touches no disk."""
        header = _new_header(cwd, id, parent_session)
        stamp = header.timestamp.replace(":", "-").replace(".", "-")
        path = folder / f"{stamp}_{header.id}.jsonl"
        return cls(header, path, Lines(path), stored=False)

    @classmethod
    def in_memory(cls, cwd: str | Path, *, id: str | None = None) -> SessionFile:
        """A session that is never written."""
        return cls(_new_header(cwd, id, None), None, Lines(), stored=False)

    @classmethod
    def open(cls, path: Path, *, cwd: str | Path | None = None) -> SessionFile:
        """Open a session file; blocks. The leaf is the last entry of the file.

        An empty file becomes a session of the folder `cwd` (default: the process's). Damage is survived
        and told in `diagnostics`; the file is not changed. Raises `PiTermError`: "no_session",
        "unreadable", "not_a_session", "session_version".
        """
        path = Path(os.path.abspath(path))
        lines = Lines(path)
        try:
            return cls._open(path, lines, cwd)
        except FileNotFoundError:
            raise PiTermError("no_session", f"There is no session file {path}.") from None
        except OSError as error:
            lines.close()
            problem = error.strerror or error
            raise PiTermError("unreadable", f"Cannot read the session file {path}: {problem}.") from error
        except PiTermError:
            lines.close()
            raise

    @classmethod
    def _open(cls, path: Path, lines: Lines, cwd: str | Path | None) -> SessionFile:
        size = _regular_file_size(path)
        lines.open(path)
        if size == 0:
            session = cls(_new_header(cwd or Path.cwd(), None, None), path, lines, stored=False)
            session.flush()
            return session
        header, start = read_header(lines, path)
        session = cls(header, path, lines, stored=True)
        session._index = Index(session.tree, lines, start, line=1 if start else 0)
        session._index.read()
        session.tree.leaf = session._last_whole_entry()
        return session

    @property
    def id(self) -> str:
        """The session's id."""
        return self.header.id

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What was found wrong with the file until now; grows when lines are decoded."""
        return self._lines.diagnostics

    @property
    def unwritten(self) -> int:
        """How many entries wait for the next `flush`."""
        return len(self._pending)

    def add(self, record: EntryRecord) -> StoredEntry:
        """Make `record` the child of the leaf and the new leaf, in memory only; does not block.

        Fills in id, parent and timestamp where they are empty.
        """
        leaf = self.tree.leaf
        record.id = record.id or entry_id(self.tree.by_id)
        record.parent_id = leaf.id if leaf is not None else None
        record.timestamp = record.timestamp or iso()
        data = record.to_json()
        line = dumps(data)
        role = record.message.role if isinstance(record, MessageEntry) else None
        entry = StoredEntry(
            record.id,
            record.parent_id,
            data["type"],
            role,
            record.timestamp,
            -1,
            len(line),
            leaf,
            self._lines,
        )
        entry.pending_line = line
        self.tree.add(entry)
        self.tree.leaf = entry
        if self.path is not None:
            self._pending.append(entry)
        return entry

    def append(self, record: EntryRecord) -> StoredEntry:
        """`add`, and `flush` when the file exists already; blocks, and raises what `flush` raises."""
        entry = self.add(record)
        if self.stored:
            self.flush()
        return entry

    def flush(self) -> None:
        """Write what is pending, making the file if need be; blocks.

        Raises `PiTermError("session_write")`; everything stays pending then, and nothing of it is in
        the file. When it returns, all that was added before is there, whatever happens to the process.
        """
        if self.path is None:
            return
        with self._write_lock:
            try:
                if self.stored:
                    self._append_pending(self.path)
                else:
                    self._make_file(self.path)
            except OSError as error:
                raise PiTermError(
                    "session_write",
                    f"Cannot write the session file {self.path}: {error.strerror or error}.",
                    "What is not stored is kept and written with the next message.",
                ) from error

    def close(self) -> None:
        """Let go of the open file. Entries stay readable; pending ones are not written."""
        self._lines.close()

    def _make_file(self, path: Path) -> None:
        private_dir(path.parent)
        is_new = not path.exists()
        batch = list(self._pending)
        header = dumps(self.header.to_json()) + b"\n"
        with locked(path, create=True) as file:
            if file.status.st_size:
                raise PiTermError("session_exists", f"There is a session file {path} already.")
            try:
                file.append(header + _joined(batch))
            except OSError:
                if is_new:
                    path.unlink()
                raise
        self._lines.open(path)
        self.stored = True
        self._index.wrote(1, len(header))
        self._wrote(batch, len(header))

    def _append_pending(self, path: Path) -> None:
        if not self._pending:
            return
        if not path.exists():
            atomic_write(
                private_dir(path.parent) / path.name, self._lines.read(0, self._index.seen), mode=0o600
            )
            self._lines.open(path)
        with locked(path) as file:
            self._follow_replacement(file)
            if file.status.st_size > self._index.seen:
                self._index.read()  # another process has appended
            batch = list(self._pending)
            self._wrote(batch, file.append(_joined(batch)))

    def _wrote(self, batch: list[StoredEntry], offset: int) -> None:
        for entry in batch:
            entry.offset = offset
            entry.pending_line = None
            offset += entry.length + 1
        del self._pending[: len(batch)]
        self._index.wrote(len(batch), offset)

    def _follow_replacement(self, file: LockedFile) -> None:
        if self.path is not None and was_replaced(self._lines, file.status):
            self._index, lost = follow(self.tree, self._lines, self.path)
            self._pending[:0] = lost
            self._lines.report("another program replaced the session file; what it lacked was added again")

    def _last_whole_entry(self) -> StoredEntry | None:
        """The last entry that can be decoded: the position a session is resumed at."""
        entries = self.tree.entries
        for entry in chain(self.tree.walk(entries[-1] if entries else None), reversed(entries)):
            if not entry.damaged and entry.data and not entry.damaged:
                return entry
        return None


def _new_header(cwd: str | Path, id: str | None, parent_session: str | None) -> SessionHeader:
    return SessionHeader(
        version=CURRENT_VERSION,
        id=id or session_id(),
        timestamp=iso(),
        cwd=str(cwd),
        parent_session=parent_session,
    )


def _joined(batch: list[StoredEntry]) -> bytes:
    return b"".join([(entry.pending_line or b"") + b"\n" for entry in batch])


def _regular_file_size(path: Path) -> int:
    """Size in bytes; raises `PiTermError` for what could block or has no content (pipes, folders)."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise PiTermError("not_a_session", f"{path} is not a file.")
    return status.st_size
