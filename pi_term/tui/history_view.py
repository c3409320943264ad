"""The past of a session as blocks: its end at once, the rest when somebody scrolls there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

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
    EntryRecord,
    MessageEntry,
    ModelChangeEntry,
    SessionTree,
    StoredEntry,
    ThinkingLevelChangeEntry,
)
from pi_term.render.blocks.switch import Switch
from pi_term.render.entries import blocks_of
from pi_term.render.line import Block

FIRST_PIECE = 60
"""Entries of a history that are shown at once: more than any screen holds."""

_SHOWN = frozenset(("message", "compaction", "branch_summary", "custom_message"))
_SWITCHES = frozenset((ModelChangeEntry.type, ThinkingLevelChangeEntry.type))
_EDIT = "context_edit"
_BEGINNINGS = frozenset(("user", "bashExecution"))


class History:
    """The branch that ends at `leaf`, given out as blocks from the newest to the oldest.

    Only what is given out is looked at, so that a long history costs nothing.
    """

    def __init__(self, tree: SessionTree, leaf: StoredEntry | None) -> None:
        self._tree = tree
        self._rest = _told(tree, leaf)
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


def _told(tree: SessionTree, leaf: StoredEntry | None) -> Iterator[StoredEntry]:
    """The entries of the branch that the transcript tells of, the newest first.

    A switch is told where something was said before it: the first ones tell what a session begins with.
    """
    switches: list[StoredEntry] = []
    for entry in tree.walk(leaf):
        if entry.type in _SWITCHES:
            switches.append(entry)
        elif is_shown(entry):
            yield from switches
            switches.clear()
            yield entry
        elif entry.type == _EDIT:
            yield entry


def _blocks_of(entries: list[StoredEntry]) -> list[Block]:
    """The blocks of entries, oldest first."""
    return blocks_of(_messages(entries), omitted=_omitted(entries))


def _omitted(entries: list[StoredEntry]) -> set[str]:
    """The ids of entries that models no longer see."""
    edits = (entry.record() for entry in entries if entry.type == _EDIT)
    return {
        edit.target_id for edit in edits if isinstance(edit, ContextEditEntry) and edit.replacement is None
    }


def is_shown(entry: StoredEntry) -> bool:
    """Whether people see the entry in the transcript."""
    return entry.type in _SHOWN and entry.role != "system"


def _messages(entries: Sequence[StoredEntry]) -> Iterator[tuple[str, AgentMessage | Switch]]:
    """What the entries stand for, with their ids; what was switched in one go is one thing."""
    switch: tuple[str, Switch] | None = None
    for entry in entries:
        record = entry.record()
        if (found := _switch_of(record)) is not None:
            switch = entry.id, found if switch is None else switch[1].then(found)
        elif (message := message_of(record)) is not None:
            if switch is not None:
                yield switch
                switch = None
            yield entry.id, message
    if switch is not None:
        yield switch


def _switch_of(record: EntryRecord | None) -> Switch | None:
    match record:
        case ModelChangeEntry():
            return Switch(model=f"{record.provider}/{record.model_id}")
        case ThinkingLevelChangeEntry():
            return Switch(level=record.thinking_level)
        case _:
            return None


def message_of(record: EntryRecord | None) -> AgentMessage | None:
    """The message that an entry stands for in the transcript; None for what is none."""
    match record:
        case MessageEntry(message=message):
            return message
        case CompactionEntry() as compaction:
            return CompactionSummaryMessage(compaction.summary, compaction.tokens_before)
        case BranchSummaryEntry() as branch:
            return BranchSummaryMessage(branch.summary, branch.from_id)
        case CustomMessageEntry() as custom:
            return CustomMessage(custom.custom_type, custom.content, custom.display)
        case _:
            return None
