"""What the model sees of a session: from the entries of a branch to messages.

A compaction cuts the branch: of what came before it there is only its summary and what it kept. The
walk back from the leaf ends there, so that a long history costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from datetime import datetime

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import AssistantMessage, TextContent, ToolResultMessage, UserMessage
from pi_term.base.abort import Wanted, always, check
from pi_term.base.dataclass import dataclass
from pi_term.coding.messages import (
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
)
from pi_term.coding.session.entries import (
    CONTEXT_TYPES,
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomMessageEntry,
    MessageEntry,
)
from pi_term.coding.session.stored import StoredEntry
from pi_term.coding.session.tree import SessionTree, is_whole

_EDITABLE = (UserMessage, AssistantMessage, ToolResultMessage, CustomMessage)


@dataclass(frozen=True, slots=True)
class ModelRef:
    """A model by provider and id."""

    provider: str
    model_id: str


@dataclass(slots=True)
class SessionContext:
    """The messages that a branch stands for.

    `sources[i]` is the entry that `messages[i]` was made of (a compaction makes two). The first `kept`
    messages stand for what was before the latest compaction, its own messages included: the usage they
    tell of is that of a context that is no more. Without a compaction `kept` is 0.
    """

    messages: list[AgentMessage] = field(default_factory=list)
    sources: list[StoredEntry] = field(default_factory=list)
    kept: int = 0


def select_entries(tree: SessionTree) -> list[StoredEntry]:
    """The active entries of the tree's branch, decoding next to none.

    Without a compaction that is the branch. Else: the latest compaction, what it kept but system
    messages, what came after it. Entries that make no message are among them.
    """
    older, newer = _selected(tree)
    return older + newer


def _selected(tree: SessionTree) -> tuple[list[StoredEntry], list[StoredEntry]]:
    """The latest compaction with what it kept, and what came after it."""
    newer: list[StoredEntry] = []
    for entry in tree.walk(tree.leaf):
        if entry.type == "compaction" and is_whole(entry):
            newer.reverse()
            return [entry, *_kept(tree, entry)], newer
        newer.append(entry)
    newer.reverse()
    return [], newer


def _kept(tree: SessionTree, compaction: StoredEntry) -> list[StoredEntry]:
    """What a compaction kept of the entries before it, oldest first, without system messages.

    Nothing, where the first kept entry is not on the branch. Where the branch ends in a gap, that
    entry may have been lost: what is left of the branch was kept then.
    """
    first = compaction.data.get("firstKeptEntryId")
    known = isinstance(first, str) and (first in tree.by_id or tree.has_gaps)
    if not known or first == compaction.id:
        return []
    kept: list[StoredEntry] = []
    entry = compaction.parent
    while entry is not None:
        kept.append(entry)
        if entry.id == first:
            break
        if entry.parent is None and entry.parent_id is None:
            return []  # a true root: the id is nowhere on this branch
        entry = entry.parent
    kept.reverse()
    return [entry for entry in kept if entry.role != "system" and not entry.damaged]


def chosen_model(tree: SessionTree) -> ModelRef | None:
    """The model of the branch: the one chosen last or, where that is later, the one that answered last."""
    for entry in tree.walk(tree.leaf):
        if entry.type == "model_change" and is_whole(entry):
            return ModelRef(str(entry.data.get("provider", "")), str(entry.data.get("modelId", "")))
        if entry.role == "assistant" and is_whole(entry):
            message = entry.data.get("message", {})
            return ModelRef(str(message.get("provider", "")), str(message.get("model", "")))
    return None


def chosen_thinking_level(tree: SessionTree) -> str | None:
    """The thinking level chosen last on the branch."""
    for entry in tree.walk(tree.leaf):
        if entry.type == "thinking_level_change" and is_whole(entry):
            return str(entry.data.get("thinkingLevel", "off"))
    return None


def build_context(tree: SessionTree, *, wanted: Wanted = always) -> SessionContext:
    """Decode the active entries of the tree's branch into messages.

    Reads and decodes each of them: a job for a worker thread when there are thousands. Entries that
    cannot be understood are left out and reported in the session's diagnostics. Raises `AbortError`
    soon after `wanted()` has become false.
    """
    context = SessionContext()
    older, newer = _selected(tree)
    selected = older + newer
    edits = edits_of(selected)
    for number, entry in enumerate(selected):
        check(wanted)
        # Only the latest compaction, which comes first, speaks; what it kept may hold an older one.
        if entry.type in CONTEXT_TYPES or (entry.type == "compaction" and number == 0):
            for message in seen_messages(entry, edits):
                context.messages.append(message)
                context.sources.append(entry)
        if number + 1 == len(older):
            context.kept = len(context.messages)
    return context


def count_messages(tree: SessionTree) -> int:
    """How many messages `build_context` makes of the tree's branch; decodes compactions and edits only."""
    selected = select_entries(tree)
    edits = edits_of(selected)
    count = sum(len(seen_messages(entry, edits)) for entry in selected[:1] if entry.type == "compaction")
    for entry in selected:
        edit = edits.get(entry.id)
        count += entry.type in CONTEXT_TYPES and not (edit is not None and edit.replacement is None)
    return count


def edits_of(entries: Iterable[StoredEntry]) -> dict[str, ContextEditEntry]:
    """The edit that counts for each edited entry: the latest. `entries` come oldest first."""
    edits: dict[str, ContextEditEntry] = {}
    for entry in entries:
        if entry.type == "context_edit":
            record = entry.record()
            if isinstance(record, ContextEditEntry):
                edits[record.target_id] = record
    return edits


def seen_messages(entry: StoredEntry, edits: Mapping[str, ContextEditEntry]) -> list[AgentMessage]:
    """The messages that an entry stands for in the context, as the edits of the branch have them."""
    edit = edits.get(entry.id)
    if edit is None:
        return _messages(entry)
    changed = (_edited(message, edit) for message in _messages(entry))
    return [message for message in changed if message is not None]


def _edited(message: AgentMessage, edit: ContextEditEntry) -> AgentMessage | None:
    """`message` as the model is to see it: with other content where its kind allows that, or not at all."""
    content = edit.replacement
    if content is None:
        return None
    if not isinstance(message, _EDITABLE):
        return message
    if isinstance(content, str) and isinstance(message, AssistantMessage | ToolResultMessage):
        content = [TextContent(content)]
    return replace(message, content=content)  # type: ignore[arg-type]  # any block may stand in any role


def _messages(entry: StoredEntry) -> list[AgentMessage]:
    """The messages an entry stands for in the context."""
    record = entry.record()
    match record:
        case MessageEntry():
            return [record.message]
        case CustomMessageEntry():
            return [
                CustomMessage(
                    custom_type=record.custom_type,
                    content=record.content,
                    display=record.display,
                    details=record.details,
                    timestamp=_milliseconds(entry.timestamp),
                )
            ]
        case BranchSummaryEntry():
            when = _milliseconds(entry.timestamp)
            return [BranchSummaryMessage(summary=record.summary, from_id=record.from_id, timestamp=when)]
        case CompactionEntry():
            return _compacted(record, _milliseconds(entry.timestamp))
        case _:
            return []


def _compacted(record: CompactionEntry, when: int) -> list[AgentMessage]:
    summary = CompactionSummaryMessage(
        summary=record.summary, tokens_before=record.tokens_before, timestamp=when
    )
    return [summary] if record.system_message is None else [record.system_message, summary]


def _milliseconds(timestamp: str) -> int:
    """An entry's ISO time as a message's time; 0 where it cannot be read."""
    try:
        return round(datetime.fromisoformat(timestamp).timestamp() * 1000)
    except ValueError:
        return 0
