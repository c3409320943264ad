"""A session's file and the messages of its agent, which say the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from pi_term.agent.agent import Agent
from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import Usage
from pi_term.ai.models import Model
from pi_term.base.diagnostics import Diagnostic
from pi_term.coding.recorder import Recorder
from pi_term.coding.session import (
    CompactionEntry,
    ContextEditEntry,
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
    ) -> None:
        self.stats = SessionStats()
        self._spent_before = 0.0  # on other sessions of this process
        self._cost_loaded = 0.0  # of what was in the file already
        self.recorder = Recorder(file, report)
        self._agent = agent
        self._report = report
        self._is_due = False  # what was opened is still to be decoded
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
            return (await self.project(lambda: True)).messages
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

    async def load(self, wanted: Callable[[], bool]) -> None:
        """Decode the history that the next request needs; raises `AbortError` when it is not wanted."""
        if self._is_due:
            await self._take(await self.project(wanted))

    async def project(self, wanted: Callable[[], bool]) -> SessionContext:
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
        self.report_damage()

    def forget(self, *, is_new: bool = False) -> None:
        """The leaf moved: its branch is decoded when it is needed, unless there `is_new`ly is none."""
        self._agent.state.messages[:] = []
        self._agent.state.last_error = None
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

    def add_stored(self, stats: SessionStats) -> None:
        """Count what was in the file when it was opened."""
        self._cost_loaded += stats.cost
        stats.merge(self.stats)
        self.stats = stats

    async def write_usage(self, kind: str, model: Model, usage: Usage | None) -> None:
        """Add what was paid for and came to nothing."""
        if usage is not None and usage.total_tokens:
            self.stats.add(usage)
            await self.write(UsageEntry(kind, model.provider, model.id, usage))

    async def compact(self, record: CompactionEntry) -> None:
        """Add a compaction; from now on the model sees what it leaves."""
        self.recorder.add(record)
        if record.usage is not None:
            self.stats.add(record.usage)
        await self.recorder.flush()
        await self._take(await self.project(lambda: True))

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
