"""The session file: what was said and done, appended and never rewritten.

Adding to a session is two steps. `add` puts an entry into memory, in no time, on any thread. `flush`
writes what is not written yet, in one write; it blocks and belongs on a worker thread, as do `open`
and `append`. Whatever goes wrong with the disk, memory stays ahead of the file, never beside it:
entries that could not be written stay pending and go before their children with the next flush.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from pi_term.base.clock import iso
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.ids import entry_id, session_id
from pi_term.base.json import dumps
from pi_term.coding.session.entries import CURRENT_VERSION, EntryRecord, MessageEntry, SessionHeader
from pi_term.coding.session.fork import copy_branch, missing_labels
from pi_term.coding.session.header import needs_upgrade, read_header
from pi_term.coding.session.index import Index
from pi_term.coding.session.stored import Lines, StoredEntry
from pi_term.coding.session.tree import SessionTree, last_whole_entry
from pi_term.coding.session.writer import SessionWriter


class SessionFile:
    """One session: its header, its tree, and its file if it has one.

    `path` is None for a session that lives in memory only.
    """

    def __init__(self, header: SessionHeader, path: Path | None, lines: Lines, *, stored: bool) -> None:
        self.header = header
        self.path = path
        self.tree = SessionTree(lines)
        self._lines = lines
        self._writer = SessionWriter(header, path, self.tree, stored=stored) if path is not None else None

    @classmethod
    def create(
        cls, folder: Path, cwd: str | Path, *, id: str | None = None, parent_session: str | None = None
    ) -> SessionFile:
        """A new session whose file will lie in `folder` (see `locate.folder_for_cwd`); touches no disk."""
        header = _new_header(cwd, id, parent_session)
        path = folder / _file_name(header)
        return cls(header, path, Lines(path), stored=False)

    @classmethod
    def in_memory(cls, cwd: str | Path, *, id: str | None = None) -> SessionFile:
        """A session that is never written."""
        return cls(_new_header(cwd, id, None), None, Lines(), stored=False)

    @classmethod
    def open(cls, path: Path, *, cwd: str | Path | None = None) -> SessionFile:
        """Open a session file; blocks. The leaf is the last entry of the file.

        An empty file becomes a session of the folder `cwd` (default: the process's). One of an old
        version is upgraded, see `migrate`; where that cannot be written, the session is there all the
        same. Damage is survived and told in `diagnostics`; the file is not changed. Raises
        `PiTermError`: "no_session", "unreadable", "not_a_session".
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
        upgrade_due = False
        if needs_upgrade(header):
            upgrade_due = not _upgraded(path, lines)
            header, start = read_header(lines, path)
        session = cls(header, path, lines, stored=True)
        if session._writer is not None:
            session._writer.upgrade_due = upgrade_due
            session._writer.index = Index(session.tree, lines, start, line=1 if start else 0)
            session._writer.index.read()
        session.tree.leaf = last_whole_entry(session.tree)
        return session

    def fork(
        self, leaf: StoredEntry | None, folder: Path | None, cwd: str | Path, *, id: str | None = None
    ) -> SessionFile:
        """A new session of the entries from the root to `leaf`, with their ids and lines; blocks.

        It names this one's file as its origin, and has its bookmarks on what was copied. Its file will
        lie in `folder`, and is made whole by the first `flush`; None: it lives in memory.
        """
        lines = self._lines.duplicate()
        header = _new_header(cwd, id, str(self.path) if self.path is not None else None)
        path = folder / _file_name(header) if folder is not None else None
        copy = SessionFile(header, path, lines, stored=False)
        copied = copy_branch(leaf, copy.tree, lines)
        if copy._writer is not None:
            copy._writer.pending += copied
        for label in missing_labels(self.tree, copy.tree):
            copy.add(label)
        return copy

    @property
    def stored(self) -> bool:
        """Whether the file exists by now: a new one is made by the first `flush`, so that a session
        without a prompt leaves nothing."""
        return self._writer is not None and self._writer.stored

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
        return len(self._writer.pending) if self._writer is not None else 0

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
        if self._writer is not None:
            self._writer.pending.append(entry)
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
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Let go of the open file. Entries stay readable; pending ones are not written."""
        self._lines.close()


def _new_header(cwd: str | Path, id: str | None, parent_session: str | None) -> SessionHeader:
    return SessionHeader(
        version=CURRENT_VERSION,
        id=id or session_id(),
        timestamp=iso(),
        cwd=str(cwd),
        parent_session=parent_session,
    )


def _file_name(header: SessionHeader) -> str:
    return f"{header.timestamp.replace(':', '-').replace('.', '-')}_{header.id}.jsonl"


def _upgraded(path: Path, lines: Lines) -> bool:
    """Whether the file at `path`, of an old version, was brought to the current one.

    `lines` read the upgraded text in either case.
    """
    from pi_term.coding.session.migrate import upgrade_file, upgraded_copy

    try:
        kept = upgrade_file(path)
    except (OSError, PiTermError) as error:
        reason = error.message if isinstance(error, PiTermError) else error.strerror or str(error)
        lines.use_nameless(upgraded_copy(path))
        lines.report(
            f"a session of an old format that cannot be converted here ({reason}); "
            "what is added is stored once that is possible"
        )
        return False
    lines.open(path)
    if kept is not None:
        lines.report(f"converted from an old format; the old file is kept as {kept.name}", severity="info")
    return True


def _regular_file_size(path: Path) -> int:
    """Size in bytes; raises `PiTermError` for what could block or has no content (pipes, folders)."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise PiTermError("not_a_session", f"{path} is not a file.")
    return status.st_size
