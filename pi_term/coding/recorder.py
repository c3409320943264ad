"""Brings what happens in a session to its file, before anybody is shown that it happened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pi_term.agent.events import AgentEvent, MessageEnd, TurnEnd
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.coding.session import EntryRecord, MessageEntry, SessionFile, SessionInfoEntry, StoredEntry

_SAID = ("user", "assistant", "custom")  # roles whose first message brings the file into being


class Recorder:
    """Writes messages as they become final, and other entries at the next save point.

    A file comes into being with the first message that is said. When a write fails, `report` is told,
    once until one works again, and what is missing goes before the next entry. `problem` is why
    something that was said is not in the file; "" when all of it is. `last_message` is the entry of the
    message that a run recorded last.
    """

    def __init__(self, file: SessionFile, report: Callable[[Diagnostic], None]) -> None:
        self.problem = ""
        self.last_message: StoredEntry | None = None
        self._report = report
        self._deferred: list[EntryRecord] = []
        self.change_file(file)

    def change_file(self, file: SessionFile) -> None:
        """Record in `file` from now on; what could not be written into the old one is told."""
        if self.problem:
            self._report(Diagnostic("error", f"The end of the session before is lost. {self.problem}"))
        self.problem = ""
        self.file = file
        self.last_message = None
        self._is_due = file.stored

    @property
    def name(self) -> str | None:
        """What the session is called, also where that is to be written at the next save point."""
        waiting = (each.name for each in reversed(self._deferred) if isinstance(each, SessionInfoEntry))
        return next(waiting, self.file.tree.name)

    async def on_event(self, event: AgentEvent) -> None:
        """A listener of the agent; the first, so that what front ends show as finished is on disk."""
        if isinstance(event, MessageEnd):
            self.last_message = self.file.add(MessageEntry(event.message))
            self._is_due = self._is_due or event.message.role in _SAID
            await self.flush()
        elif isinstance(event, TurnEnd):
            await self.save_point()

    def add(self, record: EntryRecord) -> None:
        """Add an entry now; it is written with the next flush."""
        self.file.add(record)

    def defer(self, record: EntryRecord) -> None:
        """Add an entry after the messages of the turn that is under way."""
        self._deferred.append(record)

    async def save_point(self) -> None:
        """A turn's messages are written: now the entries that were deferred meanwhile."""
        deferred, self._deferred = self._deferred, []
        for record in deferred:
            self.file.add(record)
        await self.flush()

    async def flush(self, *, force: bool = False) -> None:
        """Write what is pending, if the file exists or is due; a failure is reported, nothing is lost.

        `force` makes the file of a session in which nothing was said.
        """
        self._is_due = self._is_due or force
        if not self.file.unwritten or not self._is_due:
            return
        try:
            await asyncio.to_thread(self.file.flush)
        except PiTermError as error:
            if error.message != self.problem:
                self._report(Diagnostic("error", error.message, hint=error.hint))
            self.problem = error.message
        else:
            self.problem = ""
