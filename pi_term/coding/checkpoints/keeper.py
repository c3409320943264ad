"""Keeping what files hold before they change, and noting the changes in a session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.log import log
from pi_term.coding.checkpoints.blobs import BlobStore
from pi_term.coding.checkpoints.changes import FileChange
from pi_term.coding.checkpoints.content import Seen
from pi_term.coding.recorder import Recorder
from pi_term.coding.session import EntryRecord, SessionFile


class Keeper:
    """Puts contents into the store and changes into a session.

    Neither may keep a tool from its work: what cannot be kept is reported, once until something can be,
    and the change is noted all the same. `stored` is told the bytes that a content took, and the session.
    """

    def __init__(
        self,
        store: BlobStore,
        recorder: Callable[[], Recorder | None],
        report: Callable[[Diagnostic], None],
        stored: Callable[[SessionFile, int], None],
    ) -> None:
        self._store = store
        self._recorder = recorder
        self._report = report
        self._stored = stored
        self._problem = ""

    async def change(self, file: SessionFile, before: Seen, change: FileChange) -> None:
        """Keep what there was `before` a change, and note the change; on disk when this returns."""
        await asyncio.gather(self.keep(file, before), self.note(file, change.entry()))

    async def keep(self, file: SessionFile, seen: Seen) -> None:
        """Keep a content, where it is known and small enough."""
        if seen.data is None or seen.content is None or seen.content.digest is None:
            return
        try:
            size = await asyncio.to_thread(self._store.put, seen.content.digest, seen.data)
        except OSError as error:
            self._tell(error.strerror or str(error))
        else:
            self._problem = ""
            self._stored(file, size)

    async def note(self, file: SessionFile, record: EntryRecord) -> None:
        """Add an entry to a session, which may have been left meanwhile, and write it."""
        file.add(record)
        recorder = self._recorder()
        if recorder is not None and recorder.file is file:
            await recorder.flush()
            return
        try:
            await asyncio.to_thread(file.flush)
        except PiTermError as error:
            log.warning("a change of a file was not noted: %s", error)

    def _tell(self, problem: str) -> None:
        if problem != self._problem:
            folder = self._store.folder
            text = f"What changed files held before cannot be kept in {folder}: {problem}"
            self._report(Diagnostic("warning", text, hint="These changes cannot be undone by a restore."))
        self._problem = problem
