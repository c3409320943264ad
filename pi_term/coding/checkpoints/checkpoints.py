"""`Checkpoints`: keeping what files held before the agent changes them, and restoring it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Container, Sequence
from contextlib import asynccontextmanager

from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.paths import AppPaths
from pi_term.coding.checkpoints.blobs import BlobStore
from pi_term.coding.checkpoints.changes import FileChange, changes_after, last_restore, restore_entry
from pi_term.coding.checkpoints.content import Seen, look, same
from pi_term.coding.checkpoints.keeper import Keeper
from pi_term.coding.checkpoints.plan import Plan, plan_files
from pi_term.coding.checkpoints.pruner import Pruner
from pi_term.coding.checkpoints.restore import Restored, RestoredFile, chosen_files, restore_files
from pi_term.coding.checkpoints.watched import WatchedOperations
from pi_term.coding.recorder import Recorder
from pi_term.coding.session import SessionFile, StoredEntry
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.tools.mutation import MutationQueue
from pi_term.coding.tools.operations import Operations

_MEGABYTE = 1024 * 1024


class Checkpoints:
    """What the agent's tools change in files can be undone: in the session that is open, and in `operations`.

    Tools work with `watched()` operations and share the queue `mutations`. Restore only while no run is
    under way. What was kept can be restored also when the setting is off by now.
    """

    def __init__(
        self,
        paths: AppPaths,
        settings: SettingsStore,
        operations: Operations,
        recorder: Callable[[], Recorder | None],
        report: Callable[[Diagnostic], None],
    ) -> None:
        """`recorder` gives that of the open session; `report` is told what cannot be kept."""
        self.mutations = MutationQueue(self)
        self._settings = settings
        self._operations = operations
        self._recorder = recorder
        self._store = BlobStore(paths.checkpoints_dir)
        self._pruner = Pruner(
            self._store, paths.sessions_dir, lambda: settings.get(schema.CHECKPOINTS_MAX_TOTAL) * _MEGABYTE
        )
        self._keeper = Keeper(self._store, recorder, report, self._stored)

    # --- while tools work

    def watched(self) -> Operations:
        """The operations for one tool call: its changes are kept and noted in the session of now.

        They are the plain ones where nothing is to be kept: with the setting off, and in a session that
        lives in memory only.
        """
        file = self._noted_in()
        if file is None:
            return self._operations
        return WatchedOperations(self._operations, self._keeper, file, self._limit)

    @asynccontextmanager
    async def around(self, path: str, operations: Operations) -> AsyncIterator[None]:
        """Keep and note what happens inside to a file in ways that `operations` do not see.

        What it holds is kept before; whether it was changed, and how, is known only afterwards.
        """
        file = None if isinstance(operations, WatchedOperations) else self._noted_in()
        before = None if file is None else await self._look(path, operations)
        if file is None or before is None:
            yield
            return
        await self._keeper.keep(file, before)
        try:
            yield
        finally:
            after = await self._look(path, operations)
            if after is not None and not same(before.content, after.content):
                await self._keeper.note(file, FileChange(path, before.content, after.content).entry())

    # --- going back

    async def restore_plan(self, entry_id: str) -> Plan:
        """What it takes to have the files as they were at an entry of the open session: the preview.

        Raises `PiTermError("no_entry")`.
        """
        file = self._open_file()
        entry = file.tree.get(entry_id)
        if entry is None:
            raise PiTermError("no_entry", f"This session has no entry {entry_id}.")
        return await self._plan(file, entry, await asyncio.to_thread(changes_after, file.tree, entry))

    async def undo_plan(self) -> Plan | None:
        """What it takes to undo the last restore in the open session; None where there was none."""
        file = self._open_file()
        entry = await asyncio.to_thread(last_restore, file.tree)
        if entry is None:
            return None
        later = await asyncio.to_thread(changes_after, file.tree, entry)
        return await self._plan(file, entry, [each for each in later if each.restore == entry.id])

    async def apply(self, plan: Plan, confirmed: Container[str] = ()) -> Restored:
        """Restore what has no obstacle, and the confirmable files whose path is among `confirmed`.

        What a file holds now is kept, so that `undo_plan` leads back. A file that is not any more as the
        plan found it is left alone. Raises `PiTermError("other_session")` when the plan is not one of the
        open session.
        """
        file = self._open_file()
        if plan.session is not file:
            raise PiTermError("other_session", "Another session is open now.", "Make the plan again.")
        if not chosen_files(plan, confirmed):
            left = [RestoredFile(each.path, each.action, each.reason) for each in plan.files]
            return Restored(tuple(left))
        marker = restore_entry(plan.target)
        await self._keeper.note(file, marker)
        operations = WatchedOperations(self._operations, self._keeper, file, self._limit, marker.id)
        files = await restore_files(plan, confirmed, self._store, self.mutations, operations)
        return Restored(files, marker.id)

    async def aclose(self) -> None:
        """End what goes on beside the work."""
        await self._pruner.aclose()

    # --- inside

    @property
    def _limit(self) -> int:
        return self._settings.get(schema.CHECKPOINTS_MAX_FILE) * _MEGABYTE

    def _noted_in(self) -> SessionFile | None:
        """The session that changes are noted in, if they are."""
        recorder = self._recorder()
        if recorder is None or recorder.file.path is None:
            return None
        return recorder.file if self._settings.get(schema.CHECKPOINTS_ENABLED) else None

    def _open_file(self) -> SessionFile:
        recorder = self._recorder()
        if recorder is None:
            raise PiTermError("no_session", "No session is open.")
        return recorder.file

    async def _look(self, path: str, operations: Operations) -> Seen | None:
        """What is there, if it is a file or nothing."""
        try:
            seen = await look(path, operations, self._limit)
        except OSError:
            return None
        return seen if seen.kind in (None, "file") else None

    async def _plan(self, file: SessionFile, entry: StoredEntry, changes: Sequence[FileChange]) -> Plan:
        files = await plan_files(changes, self._operations, self._store, self._limit)
        return Plan(file, entry.id, files)

    def _stored(self, file: SessionFile, size: int) -> None:
        if file.path is not None:
            self._pruner.stored(file.path, size)
