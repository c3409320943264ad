"""Carrying out a plan."""

from __future__ import annotations

import asyncio
from collections.abc import Container

from pi_term.base.dataclass import dataclass
from pi_term.coding.checkpoints.blobs import BlobStore
from pi_term.coding.checkpoints.content import Content, look, same
from pi_term.coding.checkpoints.plan import Action, Plan, PlannedFile
from pi_term.coding.tools.mutation import MutationQueue
from pi_term.coding.tools.operations import Operations

_CHANGED_MEANWHILE = "it has changed in the meantime"
_NOT_KEPT = "what it held is not kept"
_NO_PROBLEM = ""


@dataclass(frozen=True, slots=True)
class RestoredFile:
    """A file of a plan; `problem` tells people why it was left as it is, "" where it was not."""

    path: str
    action: Action
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did with the files of its plan.

    `undo` is the id of the entry whose state is the one before; None where nothing was done.
    """

    files: tuple[RestoredFile, ...]
    undo: str | None = None

    @property
    def done(self) -> tuple[RestoredFile, ...]:
        """The files that are as planned now."""
        return tuple(each for each in self.files if not each.problem)

    @property
    def left(self) -> tuple[RestoredFile, ...]:
        """The files that are as they were before."""
        return tuple(each for each in self.files if each.problem)


def chosen_files(plan: Plan, confirmed: Container[str]) -> list[PlannedFile]:
    """What of a plan is to be done: what has no obstacle, and what is among `confirmed`, by path."""
    doubtful = [each for each in plan.doubtful if each.path in confirmed]
    return [*plan.ready, *doubtful]


async def restore_files(
    plan: Plan, confirmed: Container[str], store: BlobStore, mutations: MutationQueue, operations: Operations
) -> tuple[RestoredFile, ...]:
    """Restore the chosen files through `operations`, each in its turn, so that no tool is in the way."""
    chosen = {each.path for each in chosen_files(plan, confirmed)}

    async def restored(file: PlannedFile) -> str:
        async def work(path: str) -> str:
            return await _restore(file, store, operations)

        try:
            return await mutations.run(file.path, work, operations)
        except OSError as error:
            return error.strerror or str(error)

    return tuple(
        [
            RestoredFile(each.path, each.action, await restored(each) if each.path in chosen else each.reason)
            for each in plan.files
        ]
    )


async def _restore(file: PlannedFile, store: BlobStore, operations: Operations) -> str:
    """Gives the problem; raises `OSError`."""
    seen = await look(file.path, operations, 0, thorough=True)
    if seen.kind not in (None, "file") or not _is_as_planned(file, seen.content):
        return _CHANGED_MEANWHILE
    target = file.target
    if target is None:
        await operations.remove(file.path)
        return _NO_PROBLEM
    data = await asyncio.to_thread(store.get, target.digest or "")
    if data is None:
        return _NOT_KEPT
    await operations.write(file.path, data, target.mode)
    return _NO_PROBLEM


def _is_as_planned(file: PlannedFile, content: Content | None) -> bool:
    planned = file.seen
    if planned is None or content is None or planned.digest is not None:
        return same(content, planned)
    return content.digest is None and content.size == planned.size  # it cannot be read
