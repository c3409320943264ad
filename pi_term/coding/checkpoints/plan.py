"""What a restore would do: which files of those that the agent changed would change back, and how."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import field
from itertools import pairwise
from typing import Literal, TypeAlias

from pi_term.base.dataclass import dataclass
from pi_term.coding.checkpoints.blobs import BlobStore
from pi_term.coding.checkpoints.changes import FileChange
from pi_term.coding.checkpoints.content import Content, Seen, look, same
from pi_term.coding.session import SessionFile
from pi_term.coding.tools.operations import Operations

_AT_ONCE = 8

Action: TypeAlias = Literal["write", "create", "delete"]
Obstacle: TypeAlias = Literal[
    "changed", "gone", "changed_between", "elsewhere", "too_large", "not_kept", "no_file"
]
"""What stands in the way of restoring a file:

- `changed`, `gone`: somebody else changed or removed it since the agent changed it last
- `changed_between`: somebody else changed it between two changes that would be undone
- `elsewhere`: its path leads to another file now
- `too_large`: it is too large to be kept now, so that the restore could not be undone
- `not_kept`: what it held is not there: it was too large, could not be read, or was pruned
- `no_file`: something else is in its place
"""
_NEVER: frozenset[Obstacle] = frozenset(("not_kept", "no_file"))
_WORDS: dict[Obstacle, str] = {
    "changed": "somebody else has changed it since",
    "gone": "somebody else has removed it since",
    "changed_between": "somebody else has changed it in between",
    "elsewhere": "its path leads to another file now",
    "too_large": "what it holds now is too large to be kept",
    "not_kept": "what it held is not kept",
    "no_file": "something else is in its place",
}


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file that would change. `path` is absolute, links followed.

    `size` is how many bytes it would hold, `current_size` how many it holds now; None: no file. Without an
    `obstacle` it is restored; one that is `confirmable` only when that is confirmed, others never.
    """

    path: str
    action: Action
    size: int | None
    current_size: int | None
    obstacle: Obstacle | None = None
    target: Content | None = field(default=None, repr=False)
    seen: Content | None = field(default=None, repr=False)

    @property
    def confirmable(self) -> bool:
        """Whether it can be restored, if it is confirmed."""
        return self.obstacle not in _NEVER

    @property
    def reason(self) -> str:
        """The obstacle in words for people; "" without one."""
        return "" if self.obstacle is None else _WORDS[self.obstacle]


@dataclass(frozen=True, slots=True)
class Plan:
    """What it takes to have the files as they were at the entry `target` of the session `session`.

    `files`, by path, are those that the agent changed since and that would be different.
    """

    session: SessionFile = field(repr=False)
    target: str
    files: tuple[PlannedFile, ...]

    @property
    def ready(self) -> tuple[PlannedFile, ...]:
        """What is restored without being confirmed."""
        return tuple(each for each in self.files if each.obstacle is None)

    @property
    def doubtful(self) -> tuple[PlannedFile, ...]:
        """What is restored only if it is confirmed."""
        return tuple(each for each in self.files if each.obstacle is not None and each.confirmable)


async def plan_files(
    changes: Iterable[FileChange], operations: Operations, store: BlobStore, limit: int
) -> tuple[PlannedFile, ...]:
    """What it takes to undo `changes`, oldest first; `limit` is the size up to which files are kept now."""
    by_path: dict[str, list[FileChange]] = {}
    for change in changes:
        by_path.setdefault(change.path, []).append(change)
    turns = asyncio.Semaphore(_AT_ONCE)

    async def planned(path: str) -> PlannedFile | None:
        async with turns:
            return await _planned(path, by_path[path], operations, store, limit)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(planned(path)) for path in sorted(by_path)]
    return tuple(found for task in tasks if (found := task.result()) is not None)


async def _planned(
    path: str, changes: Sequence[FileChange], operations: Operations, store: BlobStore, limit: int
) -> PlannedFile | None:
    """None where nothing is to be done."""
    target = changes[0].before
    try:
        leads_to = await operations.real_path(path)
        seen = await look(path, operations, limit, thorough=True)
    except OSError:  # such as a link in a circle
        leads_to, seen = path, Seen("other")
    if seen.kind in (None, "file") and same(seen.content, target):
        return None
    return PlannedFile(
        path=path,
        action="delete" if target is None else "create" if seen.kind is None else "write",
        size=None if target is None else target.size,
        current_size=None if seen.content is None else seen.content.size,
        obstacle=await _obstacle(path, leads_to, seen, changes, store),
        target=target,
        seen=seen.content,
    )


async def _obstacle(
    path: str, leads_to: str, seen: Seen, changes: Sequence[FileChange], store: BlobStore
) -> Obstacle | None:
    target, last = changes[0].before, changes[-1]
    if target is not None and not await _is_kept(target, store):
        return "not_kept"
    if seen.kind not in (None, "file"):
        return "no_file"
    if leads_to != path:
        return "elsewhere"
    # What the agent was about to change and did not is as well known as what it left.
    if not (same(seen.content, last.after) or same(seen.content, last.before)):
        return "gone" if seen.content is None else "changed"
    if any(not _follows(earlier, later) for earlier, later in pairwise(changes)):
        return "changed_between"
    return "too_large" if seen.content is not None and seen.data is None else None


async def _is_kept(content: Content, store: BlobStore) -> bool:
    return content.digest is not None and await asyncio.to_thread(store.has, content.digest)


def _follows(earlier: FileChange, later: FileChange) -> bool:
    """Whether nobody else changed the file between two changes, of which the first may have failed."""
    found = later.before
    if same(found, earlier.after) or same(found, earlier.before):
        return True
    # One that was not looked into is believed to be what its size says.
    left = earlier.after
    return found is not None and left is not None and found.digest is None and found.size == left.size
