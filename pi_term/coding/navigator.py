"""Moving in a session's tree, and naming it and its places."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from pi_term.base.abort import AbortController
from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.coding.events import BranchSummaryEnd, BranchSummaryStart, LeafMoved, SessionInfoChanged
from pi_term.coding.session import (
    BranchSummaryEntry,
    LabelEntry,
    SessionInfoEntry,
    StoredEntry,
    abandoned,
    landing,
)
from pi_term.coding.settings import schema

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession
    from pi_term.coding.compaction.summarize import Summary


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where a move ended: `editor_text` is the prompt to edit and send again, if there is one;
    `summary` the entry that tells of the branch that was left."""

    editor_text: str | None = None
    summary: BranchSummaryEntry | None = None


class Navigator:
    """Goes to other places of the session's tree. Only between runs."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self._controller: AbortController | None = None

    @property
    def summarizing(self) -> bool:
        """Whether a summary of the branch to be left is being made."""
        return self._controller is not None

    def abort(self) -> None:
        """Call off the summary that is being made, and with it the move."""
        if self._controller is not None:
            self._controller.abort("Cancelled")

    async def go_to(
        self,
        entry_id: str,
        *,
        summarize: bool = False,
        instructions: str = "",
        before: Callable[[], Awaitable[None]] | None = None,
    ) -> Arrival:
        """Go to an entry: a user's message comes back as text to edit, others are gone on from.

        With `summarize` the entries that are left, back to the common ancestor, are summarised for the
        model at the new place. `before` is awaited when nothing is in the way any more. Raises `PiTermError`:
        "no_entry", "busy" during a run, and what the summary or `before` fails with; `AbortError` when called
        off. The position is as before then. What is sent meanwhile is delivered at the new place.
        """
        async with self._session.occupied():
            return await self._go_to(entry_id, summarize, instructions, before)

    async def label(self, entry_id: str, label: str | None) -> None:
        """Put a bookmark on an entry, or take it away (None or blank)."""
        if self._session.file.tree.get(entry_id) is None:
            raise PiTermError("no_entry", f"This session has no entry {entry_id}.")
        text = (label or "").strip() or None
        await self._session.conversation.write(LabelEntry(target_id=entry_id, label=text))

    async def rename(self, name: str) -> None:
        """Give the session a name; raises `PiTermError("empty_name")` for a blank one."""
        name = clean_name(name)
        await self._session.conversation.write(SessionInfoEntry(name=name))
        await self._session.hub.emit(SessionInfoChanged(name))

    async def _go_to(
        self,
        entry_id: str,
        summarize: bool,
        instructions: str,
        before: Callable[[], Awaitable[None]] | None,
    ) -> Arrival:
        session = self._session
        tree = session.file.tree
        target, old_leaf = tree.get(entry_id), tree.leaf
        if target is None:
            raise PiTermError("no_entry", f"This session has no entry {entry_id}.")
        leaf, text = landing(target)
        stays = leaf is old_leaf
        wanted = summarize and not stays
        told = await self._summary(abandoned(old_leaf, leaf), instructions) if wanted else None
        if before is not None:
            await before()
        if stays:
            return Arrival(text)
        tree.leaf = leaf
        session.conversation.forget()
        session.compactor.forget()
        record = None
        if told is not None and old_leaf is not None:
            record = await self._attach(told, old_leaf)
        await session.hub.emit(LeafMoved())
        return Arrival(text, record)

    async def _attach(self, told: Summary, left: StoredEntry) -> BranchSummaryEntry:
        """Tell the new place of the branch that was `left`."""
        record = BranchSummaryEntry(
            from_id=left.id, summary=told.text, details=told.details, usage=told.usage, from_hook=False
        )
        await self._session.conversation.write(record)
        if told.usage is not None:
            self._session.stats.add(told.usage)
        return record

    async def _summary(self, entries: list[StoredEntry], instructions: str) -> Summary | None:
        from pi_term.coding.compaction.branch import summarize_branch

        session = self._session
        self._controller = controller = AbortController()
        reserve = session.harness.settings.get(schema.BRANCH_SUMMARY_RESERVE)
        budget = max(session.model.context_window - reserve, session.model.context_window // 2)
        desk = session.calls.summary_desk(controller.signal)
        try:
            await session.hub.emit(BranchSummaryStart())
            async with session.conversation.charged(desk):
                return await summarize_branch(entries, desk, budget, instructions)
        finally:
            self._controller = None
            await session.hub.emit(BranchSummaryEnd())


def clean_name(name: str) -> str:
    """A session's name in one line; raises `PiTermError("empty_name")` for a blank one."""
    clean = " ".join(name.split())
    if not clean:
        raise PiTermError("empty_name", "The session's name cannot be empty.")
    return clean
