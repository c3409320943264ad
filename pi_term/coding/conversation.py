"""A session's file and the messages of its agent, which say the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pi_term.agent.agent import Agent
from pi_term.agent.messages import AgentMessage
from pi_term.base.abort import Wanted, always
from pi_term.base.diagnostics import Diagnostic
from pi_term.coding.messages import CustomMessage
from pi_term.coding.recorder import Recorder
from pi_term.coding.session import (
    CompactionEntry,
    ContextEditEntry,
    CustomMessageEntry,
    EntryRecord,
    MessageEntry,
    SessionContext,
    SessionFile,
    StoredEntry,
    UsageEntry,
    build_context,
    count_messages,
)
from pi_term.coding.stats import SessionStats, stored_context_tokens
from pi_term.coding.tokens import context_tokens, known_tokens

if TYPE_CHECKING:
    from pi_term.coding.compaction.desk import SummaryDesk

SUMMARY_FAILED = "summary_failed"
"""Kind of the usage entries for summaries that came to nothing."""


class Conversation:
    """Where the session is: in its file, and in what the model is told of it.

    The messages of a file that was opened are decoded with the first request that needs them, so that a
    long history opens at once. `wanted` is asked while that goes on: when it turns false, it ends.
    `stats` counts what was said and used in the session.
    """

    def __init__(
        self,
        agent: Agent,
        file: SessionFile,
        report: Callable[[Diagnostic], None],
        *,
        is_new: bool,
    ) -> None:
        """`is_new`: nothing was said yet in `file`."""
        self.stats = SessionStats()
        self._spent_before = 0.0  # on other sessions of this process
        self._cost_loaded = 0.0  # of what was in the file already
        self.recorder = Recorder(file, report)
        self._agent = agent
        self._report = report
        self._is_due = not is_new  # what was opened is still to be decoded
        self._outdated = 0  # leading messages whose token counts are of a context that is gone
        self._damage_told = 0
        self._counted: tuple[tuple[StoredEntry | None, int], int] | None = None

    @property
    def file(self) -> SessionFile:
        """The session's file and tree."""
        return self.recorder.file

    @property
    def spent(self) -> float:
        """Dollars that this process has spent, on this session and others."""
        return self._spent_before + self.stats.cost - self._cost_loaded

    # --- reading

    def known_tokens(self) -> int | None:
        """Tokens in the model's context; None where nothing is known yet, as after a compaction."""
        if self._is_due:
            return stored_context_tokens(self.file.tree)
        messages = self._agent.state.messages
        return known_tokens(reversed(messages[self._outdated :])) if messages else 0

    def estimated_tokens(self, more: Sequence[AgentMessage] = ()) -> int:
        """Tokens of the next request with `more` in it; the history is loaded."""
        return context_tokens([*self._agent.state.messages, *more], self._outdated)

    async def messages(self) -> Sequence[AgentMessage]:
        """What the model is told of the branch; decoded for the caller where no request needed it yet."""
        if self._is_due:
            return (await self.project()).messages
        return self._agent.state.messages

    def message_count(self) -> int:
        """How many messages that are; decodes next to nothing."""
        if not self._is_due:
            return len(self._agent.state.messages)
        tree = self.file.tree
        place = (tree.leaf, len(tree.entries))
        if self._counted is None or self._counted[0] != place:
            self._counted = (place, count_messages(tree))
        return self._counted[1]

    async def load(self, wanted: Wanted) -> None:
        """Decode the history that the next request needs; raises `AbortError` when it is not wanted."""
        if self._is_due:
            await self._take(await self.project(wanted))

    async def project(self, wanted: Wanted = always) -> SessionContext:
        """What the model sees of the branch, with the entries that it comes from."""
        return await asyncio.to_thread(build_context, self.file.tree, wanted=wanted)

    # --- changing

    def open(self, file: SessionFile, *, is_new: bool = False) -> None:
        """Let go of the file for another one."""
        self.file.close()
        self.recorder.change_file(file)
        self._spent_before, self._cost_loaded = self.spent, 0.0
        self.stats = SessionStats()
        self.forget(is_new=is_new)
        self._damage_told = 0

    def forget(self, *, is_new: bool = False) -> None:
        """The leaf moved: its branch is decoded when it is needed, unless there `is_new`ly is none."""
        self._agent.state.messages[:] = []
        self._is_due = not is_new
        self._outdated = 0

    async def write(self, record: EntryRecord) -> None:
        """Add an entry that is no message; while a run is under way, behind the messages of its turn."""
        if self._agent.running:
            self.recorder.defer(record)
        else:
            self.recorder.add(record)
            await self.recorder.flush()

    async def add_message(self, message: AgentMessage) -> None:
        """Add a message that no run brought, while none is under way."""
        self.recorder.add(MessageEntry(message))
        self.stats.add_message(message)
        if not self._is_due:
            self._agent.state.messages.append(message)
        await self.recorder.flush()

    async def tell(self, kind: str, text: str) -> None:
        """Tell the model something that people know already, while no run is under way."""
        self.recorder.add(CustomMessageEntry(custom_type=kind, content=text, display=False))
        if not self._is_due:
            self._agent.state.messages.append(CustomMessage(kind, text, display=False))
        await self.recorder.flush()

    async def omit_last(self) -> ContextEditEntry | None:
        """Take the last message out of what the model sees; None when it was not recorded here."""
        entry, messages = self.recorder.last_message, self._agent.state.messages
        if entry is None or not messages:
            return None
        edit = ContextEditEntry(target_id=entry.id)
        self.recorder.add(edit)
        del messages[-1]
        await self.recorder.flush()
        return edit

    async def edit(self, edits: Sequence[ContextEditEntry]) -> None:
        """Change what the model sees of earlier entries; how many tokens that makes is not known then."""
        for edit in edits:
            self.recorder.add(edit)
        await self.recorder.flush()
        await self._take(await self.project())
        self._outdated = len(self._agent.state.messages)

    def add_stored(self, stats: SessionStats) -> None:
        """Count what was in the file when it was opened."""
        self._cost_loaded += stats.cost
        stats.merge(self.stats)
        self.stats = stats

    @asynccontextmanager
    async def charged(self, desk: SummaryDesk) -> AsyncIterator[None]:
        """Inside, a summary is made at `desk`; what one that comes to nothing has cost is recorded."""
        try:
            yield
        except BaseException:
            model, usage = desk.model, desk.usage
            if usage.total_tokens:
                self.stats.add(usage)
                await self.write(UsageEntry(SUMMARY_FAILED, model.provider, model.id, usage))
            raise

    async def compact(self, record: CompactionEntry) -> None:
        """Add a compaction; from now on the model sees what it leaves."""
        self.recorder.add(record)
        if record.usage is not None:
            self.stats.add(record.usage)
        await self.recorder.flush()
        await self._take(await self.project())

    def report_damage(self) -> None:
        """Tell what was found wrong with the file since the last time."""
        found = self.file.diagnostics
        for diagnostic in found[self._damage_told :]:
            self._report(diagnostic)
        self._damage_told = len(found)

    async def _take(self, context: SessionContext) -> None:
        # In place: a run that is under way goes on with the same list.
        self._agent.state.messages[:] = context.messages
        self._outdated = context.kept
        self._is_due = False
        self.report_damage()
