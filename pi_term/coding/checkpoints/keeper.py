"""Keeping what files hold before they change, and noting the changes in a session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.log import log
from pi_term.coding.checkpoints.blobs import BlobStore
from pi_term.coding.checkpoints.changes import FileChange
from pi_term.coding.checkpoints.content import Seen, look, same
from pi_term.coding.checkpoints.pruner import Pruner
from pi_term.coding.recorder import Recorder
from pi_term.coding.session import EntryRecord, SessionFile
from pi_term.coding.tools.operations import Operations


class Keeper:
    """Puts contents into the store and changes into a session.

    Neither may keep a tool from its work: what cannot be kept is reported, once until something can be,
    and the change is noted all the same.
    """

    def __init__(
        self,
        store: BlobStore,
        pruner: Pruner,
        recorder: Callable[[], Recorder | None],
        report: Callable[[Diagnostic], None],
    ) -> None:
        self.store = store
        self._pruner = pruner
        self._recorder = recorder
        self._report = report
        self._problem = ""

    async def change(self, file: SessionFile, before: Seen, change: FileChange) -> None:
        """Keep what there was `before` a change, and note the change; on disk when this returns."""
        await self._keep(file, before)  # one after the other: two threads at once take longer
        await self.note(file, change.entry())

    @asynccontextmanager
    async def around(
        self, file: SessionFile, path: str, operations: Operations, limit: int
    ) -> AsyncIterator[None]:
        """See `Checkpoints.around`."""
        before = await _look(path, operations, limit)
        if before is None:
            yield
            return
        await self._keep(file, before)
        try:
            yield
        finally:
            after = await _look(path, operations, limit)
            if after is not None and not same(before.content, after.content):
                await self.note(file, FileChange(path, before.content, after.content).entry())

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

    async def aclose(self) -> None:
        """End what goes on beside the work."""
        await self._pruner.aclose()

    async def _keep(self, file: SessionFile, seen: Seen) -> None:
        """Keep a content, where it is known and small enough."""
        if seen.data is None or seen.content is None or seen.content.digest is None:
            return
        try:
            size = await asyncio.to_thread(self.store.put, seen.content.digest, seen.data)
        except OSError as error:
            self._tell(error.strerror or str(error))
            return
        self._problem = ""
        if file.path is not None:
            self._pruner.stored(file.path, size)

    def _tell(self, problem: str) -> None:
        if problem != self._problem:
            folder = self.store.folder
            text = f"What changed files held before cannot be kept in {folder}: {problem}"
            self._report(Diagnostic("warning", text, hint="These changes cannot be undone by a restore."))
        self._problem = problem


async def _look(path: str, operations: Operations, limit: int) -> Seen | None:
    """What is there, if it is a file or nothing."""
    try:
        seen = await look(path, operations, limit)
    except OSError:
        return None
    return seen if seen.kind in (None, "file") else None
