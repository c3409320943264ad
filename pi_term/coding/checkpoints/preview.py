"""What a restore would change in the files, line by line, and what somebody chose of it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace

from pi_term.base.dataclass import dataclass
from pi_term.coding.checkpoints.blobs import BlobStore
from pi_term.coding.checkpoints.content import Content
from pi_term.coding.checkpoints.plan import Plan, PlannedFile
from pi_term.coding.tools.edit.whole import MAX_COMPARED_BYTES, Difference, difference
from pi_term.coding.tools.operations import Operations

_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class FilePreview:
    """A file of a plan and what would change in it.

    `difference` leads from what it holds now to what it would hold; None where that is no text, too large,
    or cannot be restored.
    """

    file: PlannedFile
    difference: Difference | None = None


@dataclass(frozen=True, slots=True)
class Restoration:
    """What is to be restored: all of the plan that has no obstacle, and of the rest what is `confirmed`."""

    plan: Plan
    confirmed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Preview:
    """A plan for people to look at: at least one file, by path."""

    plan: Plan
    files: tuple[FilePreview, ...]

    @property
    def ready(self) -> frozenset[str]:
        """The paths that are restored without being confirmed."""
        return frozenset(each.path for each in self.plan.ready)

    @property
    def added(self) -> int:
        """How many lines would come, in the files that are restored without being confirmed."""
        return sum(each.difference.added for each in self._ready() if each.difference is not None)

    @property
    def removed(self) -> int:
        """How many lines would go, in the same files."""
        return sum(each.difference.removed for each in self._ready() if each.difference is not None)

    def chosen(self, paths: Collection[str]) -> Restoration:
        """What somebody chose who saw this: a doubtful file among `paths` is confirmed by that."""
        files = tuple(each for each in self.plan.files if each.path in paths)
        return Restoration(replace(self.plan, files=files), frozenset(each.path for each in files))

    def _ready(self) -> list[FilePreview]:
        return [each for each in self.files if each.file.obstacle is None]


async def preview_of(plan: Plan, store: BlobStore, operations: Operations) -> Preview:
    """Compare what the files of a plan hold now with what they would hold."""
    turns = asyncio.Semaphore(_AT_ONCE)

    async def previewed(file: PlannedFile) -> FilePreview:
        async with turns:
            return FilePreview(file, await _difference(file, store, operations))

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(previewed(file)) for file in plan.files]
    return Preview(plan, tuple(task.result() for task in tasks))


async def _difference(file: PlannedFile, store: BlobStore, operations: Operations) -> Difference | None:
    if not file.confirmable or max(file.size or 0, file.current_size or 0) > MAX_COMPARED_BYTES:
        return None
    now = b""
    if file.current_size is not None:
        try:
            found = (await operations.load(file.path, MAX_COMPARED_BYTES))[1]
        except OSError:
            found = None
        if found is None:
            return None
        now = found
    return await asyncio.to_thread(_compare, file.path, now, file.target, store)


def _compare(path: str, now: bytes, target: Content | None, store: BlobStore) -> Difference | None:
    then = b"" if target is None else store.get(target.digest or "")
    return None if then is None else difference(now, then, path)
