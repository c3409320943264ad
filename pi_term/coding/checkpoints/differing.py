"""How many files would be different at each of several places, without a plan for any of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from pi_term.base.dataclass import dataclass
from pi_term.coding.checkpoints.changes import FileChange, change_of
from pi_term.coding.checkpoints.content import Content, Seen, look, same
from pi_term.coding.session.stored import StoredEntry
from pi_term.coding.session.tree import SessionTree
from pi_term.coding.tools.operations import Operations

_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class _Step:
    """A place that is asked for, or a change; the newest of a file's changes comes first."""

    place: StoredEntry | None
    change: FileChange | None = None


async def count_differing(
    tree: SessionTree, places: Sequence[StoredEntry], operations: Operations, limit: int
) -> dict[str, int]:
    """By entry id, how many files a plan for going back to it would have, see `plan_files`.

    Each file is looked at once. Files over `limit` bytes are read piece by piece.
    """
    steps = await asyncio.to_thread(_steps, tree, places)
    seen = await _look_at({step.change.path for step in steps if step.change is not None}, operations, limit)
    counts: dict[str, int] = {}
    different: set[str] = set()
    for step in steps:
        if step.place is not None:
            counts[step.place.id] = len(different)
        elif step.change is not None:
            path, now = step.change.path, seen[step.change.path]
            if _holds(now, step.change.before):
                different.discard(path)
            else:
                different.add(path)
    return counts


def _steps(tree: SessionTree, places: Sequence[StoredEntry]) -> list[_Step]:
    """From the end of the file back to the first of the places. Reads the file."""
    left = set(places)
    steps: list[_Step] = []
    for entry in reversed(list(tree.entries)):
        if not left:
            break
        if entry in left:
            left.discard(entry)
            steps.append(_Step(entry))
        elif (change := change_of(entry)) is not None:
            steps.append(_Step(None, change))
    return steps


async def _look_at(paths: Iterable[str], operations: Operations, limit: int) -> dict[str, Seen]:
    turns = asyncio.Semaphore(_AT_ONCE)
    seen: dict[str, Seen] = {}

    async def one(path: str) -> None:
        async with turns:
            try:
                seen[path] = await look(path, operations, limit, thorough=True)
            except OSError:  # such as a link in a circle
                seen[path] = Seen("other")

    async with asyncio.TaskGroup() as group:
        for path in paths:
            group.create_task(one(path))
    return seen


def _holds(now: Seen, content: Content | None) -> bool:
    return now.kind in (None, "file") and same(now.content, content)
