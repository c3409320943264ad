"""The past of a session as blocks: its end at once, the rest when somebody scrolls there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pi_term.agent.messages import AgentMessage
from pi_term.coding.messages import (
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
)
from pi_term.coding.session import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomMessageEntry,
    MessageEntry,
    SessionTree,
    StoredEntry,
)
from pi_term.render.entries import blocks_of
from pi_term.render.line import Block

_SHOWN = frozenset(("message", "compaction", "branch_summary", "custom_message"))
_EDIT = "context_edit"
_BEGINNINGS = frozenset(("user", "bashExecution"))


class History:
    """The branch that ends at `leaf`, given out as blocks from the newest to the oldest.

    Only what is given out is looked at, so that a long history costs nothing.
    """

    def __init__(self, tree: SessionTree, leaf: StoredEntry | None) -> None:
        self._tree = tree
        self._rest = (entry for entry in tree.walk(leaf) if is_shown(entry) or entry.type == _EDIT)
        self._next = next(self._rest, None)

    @property
    def more(self) -> bool:
        """Whether there are older ones."""
        return self._next is not None

    def older(self, count: int) -> list[Block]:
        """The blocks of about `count` entries before those given so far, oldest first.

        The piece begins with a message of the user, so that no result is parted from its call.
        """
        piece: list[StoredEntry] = []
        while (entry := self._next) is not None:
            piece.append(entry)
            self._next = next(self._rest, None)
            if len(piece) >= count and entry.role in _BEGINNINGS:
                break
        piece.reverse()
        return _blocks_of(piece)

    def earlier(self, wanted: Callable[[bytes], bool]) -> Iterator[Block | None]:
        """The blocks that `older` has not given yet, the newest first; it will still give them.

        Only of turns with a stored line that is `wanted`. None after each little piece of work: room for
        others.
        """
        rest = History(self._tree, self._next)
        turn: list[StoredEntry] = []
        found = False
        while (entry := rest._next) is not None:
            turn.append(entry)
            found = found or wanted(entry.line)
            rest._next = next(rest._rest, None)
            yield None
            if entry.role in _BEGINNINGS or rest._next is None:
                if found:
                    yield from reversed(_blocks_of(turn[::-1]))
                turn, found = [], False


def _blocks_of(entries: list[StoredEntry]) -> list[Block]:
    """The blocks of entries, oldest first."""
    return blocks_of(_messages(entries), omitted=_omitted(entries))


def _omitted(entries: list[StoredEntry]) -> set[str]:
    """The ids of entries that models no longer see."""
    edits = (entry.record() for entry in entries if entry.type == _EDIT)
    return {
        edit.target_id for edit in edits if isinstance(edit, ContextEditEntry) and edit.replacement is None
    }


def kept_messages(tree: SessionTree, first_kept: str) -> int:
    """How many messages the latest compaction of the branch left as they were, from `first_kept` on."""
    entries = tree.walk(tree.leaf)
    compaction = next((entry for entry in entries if entry.type == CompactionEntry.type), None)
    kept = 0
    for entry in entries:  # what comes before the compaction
        if compaction is None or compaction.id == first_kept:
            break
        kept += entry.type == MessageEntry.type and entry.role != "system"
        if entry.id == first_kept:
            break
    return kept


def is_shown(entry: StoredEntry) -> bool:
    """Whether people see the entry in the transcript."""
    return entry.type in _SHOWN and entry.role != "system"


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
