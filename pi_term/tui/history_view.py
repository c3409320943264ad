"""The past of a session as blocks: its end at once, the rest when somebody scrolls there."""

from __future__ import annotations

from collections.abc import Iterator

from pi_term.agent.messages import AgentMessage
from pi_term.coding.messages import (
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
)
from pi_term.coding.session import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomMessageEntry,
    MessageEntry,
    SessionTree,
    StoredEntry,
)
from pi_term.render.entries import blocks_of
from pi_term.render.line import Block

_SHOWN = frozenset(("message", "compaction", "branch_summary", "custom_message"))
_BEGINNINGS = frozenset(("user", "bashExecution"))


class History:
    """The entries of the branch, given out as blocks from the newest to the oldest."""

    def __init__(self, tree: SessionTree) -> None:
        self._entries = [entry for entry in tree.branch() if entry.type in _SHOWN and entry.role != "system"]
        self._given = len(self._entries)

    @property
    def more(self) -> bool:
        """Whether there are older ones."""
        return self._given > 0

    def older(self, count: int) -> list[Block]:
        """The blocks of about `count` entries before those given so far, oldest first.

        The piece begins with a message of the user, so that no result is parted from its call.
        """
        end, start = self._given, max(0, self._given - count)
        while start > 0 and self._entries[start].role not in _BEGINNINGS:
            start -= 1
        self._given = start
        return blocks_of(_messages(self._entries[start:end]))


def _messages(entries: list[StoredEntry]) -> Iterator[tuple[str, AgentMessage]]:
    for entry in entries:
        match entry.record():
            case MessageEntry(message=message):
                yield entry.id, message
            case CompactionEntry() as compaction:
                yield entry.id, CompactionSummaryMessage(compaction.summary, compaction.tokens_before)
            case BranchSummaryEntry() as branch:
                yield entry.id, BranchSummaryMessage(branch.summary, branch.from_id)
            case CustomMessageEntry() as custom:
                yield entry.id, CustomMessage(custom.custom_type, custom.content, custom.display)
