"""The files that the agent changed, what changed in them, and taking it back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.base.text import fenced
from pi_term.coding.changes.hunks import Hunk, hunks_of, without
from pi_term.coding.session.stored import StoredEntry
from pi_term.coding.tools.edit.whole import MAX_COMPARED_BYTES
from pi_term.coding.tools.encodings import has_nul

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession
    from pi_term.coding.checkpoints.content import Content
    from pi_term.coding.tools.operations import Operations

MOST_BYTES = 2_000_000
"""Larger files are named, but neither compared nor taken back."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs from what it held before the agent changed it first. `path` is absolute.

    `before` and `now` are its contents, None: there was, or is, no file. Where they cannot be compared,
    `problem` says why, and there are no hunks; unless both are `known`, it cannot be taken back either.
    `mode` are the permission bits that it had before.
    """

    path: str
    before: bytes | None
    now: bytes | None
    hunks: tuple[Hunk, ...] = ()
    problem: str = ""
    known: bool = True
    mode: int | None = None

    @property
    def added(self) -> int:
        """How many lines came."""
        return sum(hunk.added for hunk in self.hunks)

    @property
    def removed(self) -> int:
        """How many lines went."""
        return sum(hunk.removed for hunk in self.hunks)


@dataclass(frozen=True, slots=True)
class _Revert:
    path: str
    was: bytes | None
    became: bytes | None
    mode: int | None  # the permission bits of what it was


@dataclass(frozen=True, slots=True)
class _Look:
    """What a file holds, None: there is none; or the `problem` that keeps that from being known."""

    data: bytes | None = None
    mode: int | None = None
    problem: str = ""


class ChangeReview:
    """One look at the changes of a session, with an undo of its own.

    What is taken back is a change like others: checkpoints keep it.
    """

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self._reverts: list[_Revert] = []

    async def files(self, *, since_prompt: bool = False) -> list[ChangedFile]:
        """What the agent changed in this session, or since the last prompt, by path.

        Includes what others changed in the same files since. Files that are as before are not among them.
        """
        prompt = self._last_prompt() if since_prompt else None
        checkpoints = self._session.harness.checkpoints
        first = await checkpoints.first_contents(None if prompt is None else prompt.id)
        found = [await self._file(path, first[path]) for path in sorted(first)]
        return [each for each in found if each is not None]

    async def revert(self, file: ChangedFile, hunk: Hunk | None = None) -> None:
        """Take back one hunk, or the whole file.

        Raises `PiTermError`: "changed_meanwhile" when the file is not any more as it was looked at,
        "not_kept" when it is not known what it held, "busy" during a run, "cannot_write".
        """
        if not file.known:
            text = f"{file.path} cannot be taken back: {file.problem}."
            raise PiTermError("not_kept", text, "Ask the agent to undo it, or change it by hand.")
        wanted = file.before
        if hunk is not None:
            wanted = without(file.now or b"", file.before or b"", hunk)
            if not wanted and file.before is None:  # the last of a file that was not there
                wanted = None
        mode = await self._put(file.path, file.now, wanted, file.mode)
        self._reverts.append(_Revert(file.path, file.now, wanted, mode))

    async def undo(self) -> str | None:
        """Undo the last `revert`; the path of the file, None where there is nothing to undo.

        Raises what `revert` raises.
        """
        if not self._reverts:
            return None
        last = self._reverts[-1]
        await self._put(last.path, last.became, last.was, last.mode)
        self._reverts.pop()
        return last.path

    # --- inside

    def _last_prompt(self) -> StoredEntry | None:
        tree = self._session.file.tree
        return next((entry for entry in tree.walk(tree.leaf) if entry.role == "user"), None)

    async def _file(self, path: str, before: Content | None) -> ChangedFile | None:
        """None where nothing differs."""
        checkpoints = self._session.harness.checkpoints
        old = None if before is None else await checkpoints.kept(before)
        if before is not None and old is None:
            return ChangedFile(path, None, None, problem="what it held before is not kept", known=False)
        try:
            found = await _look(path, checkpoints.watched())
        except OSError as error:
            return ChangedFile(path, old, None, problem=error.strerror or str(error), known=False)
        if found.problem:
            return ChangedFile(path, old, None, problem=found.problem, known=False)
        now, mode = found.data, None if before is None else before.mode
        if now == old:
            return None
        problem = _incomparable(old or b"", now or b"")
        if problem:
            return ChangedFile(path, old, now, problem=problem, mode=mode)
        hunks = await asyncio.to_thread(hunks_of, old or b"", now or b"")
        return ChangedFile(path, old, now, tuple(hunks), mode=mode)

    async def _put(self, path: str, seen: bytes | None, wanted: bytes | None, mode: int | None) -> int | None:
        """Let a file hold what is `wanted`, with the permission bits `mode` if it is made anew.

        Gives the permission bits that it had.
        """
        checkpoints = self._session.harness.checkpoints
        operations = checkpoints.watched()

        async def work(place: str) -> int | None:
            now = await _look(place, operations)
            if now.problem or now.data != seen:
                raise PiTermError("changed_meanwhile", f"{path} has changed meanwhile.", "Look at it again.")
            if wanted is None:
                await operations.remove(place)
            else:
                await operations.write(place, wanted, mode if seen is None else None)
            return now.mode

        async with self._session.occupied():
            try:
                return await checkpoints.mutations.run(path, work, operations)
            except OSError as error:
                reason = error.strerror or str(error)
                text, hint = f"{path} cannot be written: {reason}", "See who may write there."
                raise PiTermError("cannot_write", text, hint) from error


async def _look(path: str, operations: Operations) -> _Look:
    """Raises `OSError`."""
    if await operations.real_path(path) != path:
        return _Look(problem="its path leads to another file now")
    status, data = await operations.load(path, MOST_BYTES)
    if status is None:
        return _Look()
    if status.kind != "file":
        return _Look(problem="it is no file any more")
    if data is None:
        too_large = status.size > MOST_BYTES
        return _Look(problem="it is too large to be compared" if too_large else "it cannot be read")
    return _Look(data, status.mode)


def _incomparable(old: bytes, new: bytes) -> str:
    """Why two contents have no hunks; "" where they have."""
    if has_nul(old) or has_nul(new):
        return "no text"
    return "too large to be compared" if max(len(old), len(new)) > MAX_COMPARED_BYTES else ""


def quoted(hunk: Hunk, name: str) -> str:
    """A hunk as the beginning of a prompt about it; `name` is the file's path as people know it."""
    rows = [f"{row[0]}{row[1:].lstrip().partition(' ')[2]}" for row in hunk.text.split("\n")]
    block = fenced("\n".join(rows), "diff")
    return f"About this change in {name}, {hunk.place}:\n{block}\n"
