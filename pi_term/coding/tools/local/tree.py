"""All processes that a command left behind, found in /proc where there is one.

The process group is not enough: jobs get groups of their own, daemons sessions of their own, and a daemon
whose parents are gone is nobody's descendant any more. It still has the environment it was started in, with a
mark of the command. (Making the shell the new parent of its orphans, PR_SET_CHILD_SUBREAPER, would need code
between fork and exec, which is not safe beside threads, and programs would have to wait for strangers.)
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TypeAlias

from pi_term.base.dataclass import dataclass
from pi_term.coding.tools.local.environment import MARK


@dataclass(frozen=True, slots=True)
class Member:
    """A process; `started` tells it from a later one that got the same number."""

    pid: int
    started: int


@dataclass(frozen=True, slots=True)
class _Status:
    parent: int
    session: int
    started: int


_Table: TypeAlias = dict[int, _Status]


def members(leader: int, mark: str, known: Iterable[Member] = ()) -> set[Member]:
    """The living processes of the session that `leader` leads, those with its `mark` in their environment and
    those of `known`, with all descendants."""
    table = dict(_living())
    found = {pid for pid, status in table.items() if status.session == leader or pid == leader}
    found |= {each.pid for each in known if _is_same(each, table)}
    entry = f"{MARK}={mark}\0".encode()
    found |= {pid for pid in table.keys() - found if entry in _environment(pid)}
    children: dict[int, list[int]] = {}
    for pid, status in table.items():
        children.setdefault(status.parent, []).append(pid)
    unseen = list(found)
    while unseen:
        fresh = [pid for pid in children.get(unseen.pop(), ()) if pid not in found]
        found.update(fresh)
        unseen += fresh
    return {Member(pid, table[pid].started) for pid in found}


def send(group: int, processes: Iterable[Member], number: signal.Signals) -> None:
    """Signal the process group and each process. What is gone or not ours is passed over.

    Older ones first: a shell that outlives its child by a moment would print that the child was ended.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
    for each in sorted(processes, key=lambda process: (process.started, process.pid)):
        status = _read(each.pid)
        if status is not None and status.started == each.started:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(each.pid, number)


def _is_same(member: Member, table: _Table) -> bool:
    status = table.get(member.pid)
    return status is not None and status.started == member.started


def _living() -> Iterator[tuple[int, _Status]]:
    try:
        names = os.listdir("/proc")
    except FileNotFoundError:
        return
    for name in names:
        status = _read(int(name)) if name.isdigit() else None
        if status is not None:
            yield int(name), status


def _environment(pid: int) -> bytes:
    """What a process was started with; nothing of somebody else's."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""


def _read(pid: int) -> _Status | None:
    """The status of a process; None if there is none, or only its exit code is left."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name before the last parenthesis may hold anything, spaces and parentheses too.
            fields = file.read().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None
    if len(fields) < 20 or fields[0] in (b"Z", b"X"):
        return None
    return _Status(parent=int(fields[1]), session=int(fields[3]), started=int(fields[19]))
