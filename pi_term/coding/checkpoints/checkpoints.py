"""`Checkpoints`: keeping what files held before the agent changes them, and restoring it.

Loaded at start; what it needs is not, before a tool works.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Container, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.paths import AppPaths
from pi_term.coding.recorder import Recorder
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.tools.mutation import MutationQueue
from pi_term.coding.tools.operations import Operations

if TYPE_CHECKING:
    from pi_term.coding.checkpoints.changes import FileChange
    from pi_term.coding.checkpoints.content import Content
    from pi_term.coding.checkpoints.keeper import Keeper
    from pi_term.coding.checkpoints.plan import Plan
    from pi_term.coding.checkpoints.preview import Preview
    from pi_term.coding.checkpoints.restore import Restored
    from pi_term.coding.session import SessionFile, StoredEntry

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
        self._paths = paths
        self._settings = settings
        self._operations = operations
        self._recorder = recorder
        self._report = report

    @property
    def keeping(self) -> bool:
        """Whether what tools change now can be undone later."""
        return self._noted_in() is not None

    # --- while tools work

    def watched(self) -> Operations:
        """The operations for one tool call: its changes are kept and noted in the session of now.

        They are the plain ones where nothing is to be kept: with the setting off, and in a session that
        lives in memory only.
        """
        file = self._noted_in()
        return self._operations if file is None else self._watched(file)

    @asynccontextmanager
    async def around(self, path: str, operations: Operations) -> AsyncIterator[None]:
        """Keep and note what happens inside to a file in ways that `operations` do not see.

        What it holds is kept before; whether it was changed, and how, is known only afterwards.
        """
        from pi_term.coding.checkpoints.watched import WatchedOperations

        file = None if isinstance(operations, WatchedOperations) else self._noted_in()
        if file is None:
            yield
            return
        async with self._keeper.around(file, path, operations, self._limit):
            yield

    # --- going back

    async def restore_plan(self, entry_id: str) -> Plan:
        """What it takes to have the files as they were at an entry of the open session: the preview.

        Raises `PiTermError("no_entry")`.
        """
        from pi_term.coding.checkpoints.changes import changes_after

        file = self._open_file()
        entry = file.tree.get(entry_id)
        if entry is None:
            raise PiTermError("no_entry", f"This session has no entry {entry_id}.")
        return await self._plan(file, entry, await asyncio.to_thread(changes_after, file.tree, entry))

    async def differing(self, places: Sequence[StoredEntry]) -> dict[str, int]:
        """How many files `restore_plan` would have for each of these entries of the open session, by id."""
        from pi_term.coding.checkpoints.differing import count_differing

        return await count_differing(self._open_file().tree, places, self._operations, self._limit)

    async def first_contents(self, entry_id: str | None) -> dict[str, Content | None]:
        """What each file that was changed later than an entry (None: ever) held before that, by path.

        None: there was no file. Raises `PiTermError("no_entry")`.
        """
        from pi_term.coding.checkpoints.changes import changes_after

        tree = self._open_file().tree
        entry = None if entry_id is None else tree.get(entry_id)
        if entry is None and entry_id is not None:
            raise PiTermError("no_entry", f"This session has no entry {entry_id}.")
        changes = await asyncio.to_thread(changes_after, tree, entry)
        return {change.path: change.before for change in reversed(changes)}

    async def kept(self, content: Content) -> bytes | None:
        """What a file held; None where it is not kept."""
        return await asyncio.to_thread(self._keeper.store.get, content.digest) if content.digest else None

    async def undo_plan(self) -> Plan | None:
        """What it takes to undo the last restore in the open session; None where there was none."""
        from pi_term.coding.checkpoints.changes import changes_of_last_restore

        file = self._open_file()
        found = await asyncio.to_thread(changes_of_last_restore, file.tree)
        return None if found is None else await self._plan(file, *found)

    async def preview(self, plan: Plan) -> Preview:
        """What a plan would change in the files, line by line."""
        from pi_term.coding.checkpoints.preview import preview_of

        return await preview_of(plan, self._keeper.store, self._operations)

    async def apply(self, plan: Plan, confirmed: Container[str] = ()) -> Restored:
        """Restore what has no obstacle, and the confirmable files whose path is among `confirmed`.

        What a file holds now is kept, so that `undo_plan` leads back. A file that is not any more as the
        plan found it is left alone. Raises `PiTermError("other_session")` when the plan is not one of the
        open session.
        """
        from pi_term.coding.checkpoints.changes import restore_entry
        from pi_term.coding.checkpoints.restore import Restored, chosen_files, restore_files

        file = self._open_file()
        if plan.session is not file:
            raise PiTermError("other_session", "Another session is open now.", "Make the plan again.")
        operations, undo = self._operations, None
        if chosen_files(plan, confirmed):
            marker = restore_entry(plan.target)
            await self._keeper.note(file, marker)
            operations, undo = self._watched(file, marker.id), marker.id
        files = await restore_files(plan, confirmed, self._keeper.store, self.mutations, operations)
        return Restored(files, undo)

    async def aclose(self) -> None:
        """End what goes on beside the work."""
        if "_keeper" in self.__dict__:
            await self._keeper.aclose()

    # --- inside

    @cached_property
    def _keeper(self) -> Keeper:
        from pi_term.coding.checkpoints.blobs import BlobStore
        from pi_term.coding.checkpoints.keeper import Keeper
        from pi_term.coding.checkpoints.pruner import Pruner

        store = BlobStore(self._paths.checkpoints_dir)
        pruner = Pruner(store, self._paths.sessions_dir, self._most)
        return Keeper(store, pruner, self._recorder, self._report)

    async def _plan(self, file: SessionFile, entry: StoredEntry, changes: Sequence[FileChange]) -> Plan:
        from pi_term.coding.checkpoints.plan import Plan, plan_files

        files = await plan_files(changes, self._operations, self._keeper.store, self._limit)
        return Plan(file, entry.id, files)

    def _watched(self, file: SessionFile, restore: str | None = None) -> Operations:
        from pi_term.coding.checkpoints.watched import WatchedOperations

        return WatchedOperations(self._operations, self._keeper, file, self._limit, restore)

    @property
    def _limit(self) -> int:
        return self._settings.get(schema.CHECKPOINTS_MAX_FILE) * _MEGABYTE

    def _most(self) -> int:
        return self._settings.get(schema.CHECKPOINTS_MAX_TOTAL) * _MEGABYTE

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
