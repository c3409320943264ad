"""Bringing the entries that are pending to the file of their session."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from pi_term.base.errors import PiTermError
from pi_term.base.files import private_dir
from pi_term.base.json import dumps
from pi_term.coding.session.appender import LockedFile, locked, write_new
from pi_term.coding.session.entries import SessionHeader
from pi_term.coding.session.follow import follow, was_replaced
from pi_term.coding.session.index import MARK_BYTES, Index
from pi_term.coding.session.stored import Lines, StoredEntry
from pi_term.coding.session.tree import SessionTree

_PIECE = 1 << 20


class SessionWriter:
    """Writes what is `pending`, in the order it was added.

    `stored` says whether the file exists by now. `upgrade_due`: the file is of an old version, what is
    read is its upgraded text; the two change places before anything is appended. `index` tells how
    much of the file is known.
    """

    def __init__(self, header: SessionHeader, path: Path, tree: SessionTree, *, stored: bool) -> None:
        self.path = path
        self.stored = stored
        self.upgrade_due = False
        self.pending: list[StoredEntry] = []
        self.index = Index(tree, tree.lines)
        self._header = header
        self._tree = tree
        self._mending = False  # what another program cut out is still to be written again
        self._bare = False  # with the header
        self._lock = threading.Lock()

    @property
    def _lines(self) -> Lines:
        return self._tree.lines

    def flush(self) -> None:
        """What `SessionFile.flush` is."""
        with self._lock:
            try:
                if self.stored:
                    self._append_pending()
                else:
                    self._make_file()
            except OSError as error:
                raise PiTermError(
                    "session_write",
                    f"Cannot write the session file {self.path}: {error.strerror or error}.",
                    "What is not stored is kept and written with the next message.",
                ) from error

    # --- the first time

    def _make_file(self) -> None:
        private_dir(self.path.parent)
        batch = self._batch()
        header = self._header_line()
        lengths: list[int] = []
        content = chain([header], _lines(batch, lengths))
        if self.path.exists():
            self._fill_empty(content)
        else:
            write_new(self.path, content)
        end = len(header)
        places = []
        for entry, length in zip(batch, lengths, strict=True):
            places.append((entry, end, length))
            end += length + 1
        self._lines.open(self.path, places)
        self._tree.places_changed()
        self.stored = True
        del self.pending[: len(batch)]
        self.index.wrote(len(batch) + 1, end, self._lines.read(max(end - MARK_BYTES, 0), MARK_BYTES))

    def _fill_empty(self, content: Iterable[bytes]) -> None:
        with locked(self.path) as file:
            if file.status.st_size:
                raise PiTermError("session_exists", f"There is a session file {self.path} already.")
            file.append(b"".join(content))

    # --- later

    def _append_pending(self) -> None:
        if not self.pending:
            return
        if self.upgrade_due:
            self._upgrade()
        if not self.path.exists():
            self._restore()
        with locked(self.path) as file:
            self._keep_up(file)
            header = self._header_line() if self._bare else b""
            batch = self._batch()
            content = header + b"".join([entry.line + b"\n" for entry in batch])
            offset = file.append(content)
            if offset > self.index.seen + 1:  # a program that keeps to no lock was quicker
                self.index.read(offset)
            more = self._bare + (self.index.end < self.index.seen)
            end = self._lines.wrote(batch, offset + len(header))
            self._bare = self._mending = False
            del self.pending[: len(batch)]
            self.index.wrote(len(batch) + more, end, content[-MARK_BYTES:])

    def _batch(self) -> list[StoredEntry]:
        """What is pending now, each with a parent that is in the file or goes before it."""
        batch = list(self.pending)
        for entry in batch:
            if entry.parent is not None and entry.parent.gone:
                self._tree.rehang(entry)
        return batch

    def _keep_up(self, file: LockedFile) -> None:
        """Learn what others did to the file."""
        grown = file.status.st_size > self.index.seen
        replaced = was_replaced(self._lines, file.status)
        unchanged = not replaced and file.ends_with(self.index.mark, self.index.seen)
        if unchanged and not (grown and self._mending):
            if grown:
                self.index.read()  # another process has appended
            return
        found = follow(self._tree, self._lines, self.path, self._header_line(), in_place=not replaced)
        self.index, self._bare = found.index, found.bare
        self._mending |= found.bare or bool(found.again)
        for entry in [each for each in self.pending if each.pending_line is None]:
            self.pending.remove(entry)  # another process has written it
        self.pending[:0] = found.again
        if found.again:
            what = "replaced" if replaced else "changed"
            self._lines.report(f"another program {what} the session file; what it lacked was added again")
        if found.lost:
            self._lines.report(
                f"another program cut {found.lost} entries out of the session file; their text is lost"
            )
        if found.bare:
            file.clear()

    def _header_line(self) -> bytes:
        return dumps(self._header.to_json()) + b"\n"

    def _restore(self) -> None:
        """Make the file anew that was deleted: what is open still can be read."""
        private_dir(self.path.parent)
        seen = self.index.seen
        parts = (self._lines.read(at, min(_PIECE, seen - at)) for at in range(0, seen, _PIECE))
        with suppress(FileExistsError):  # another process was quicker
            write_new(self.path, parts)
            self._lines.open(self.path)

    def _upgrade(self) -> None:
        from pi_term.coding.session.migrate import upgrade_file

        upgrade_file(self.path)
        with locked(self.path) as file:
            if not file.ends_with(self.index.mark, self.index.seen):
                raise PiTermError(
                    "session_write",
                    f"Cannot write the session file {self.path}: another program has changed it.",
                    "Open it again to go on with what is there now.",
                )
        self._lines.open(self.path)
        self.upgrade_due = False


def _lines(batch: Iterable[StoredEntry], lengths: list[int]) -> Iterator[bytes]:
    """The lines of the entries with their line feeds; how long each is (without) goes into `lengths`."""
    for entry in batch:
        line = entry.line
        lengths.append(len(line))
        yield line + b"\n"
