"""What the model sees of a session: from the entries of a branch to messages.

A compaction cuts the branch: of what came before it there is only its summary and what it kept. The
walk back from the leaf ends there, so that a long history costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import AssistantMessage, TextContent, ToolResultMessage, UserMessage
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
from pi_term.coding.session.tree import SessionTree

_EDITABLE = (UserMessage, AssistantMessage, ToolResultMessage, CustomMessage)


@dataclass(frozen=True, slots=True)
class ModelRef:
    """A model by provider and id."""

    provider: str
    model_id: str


@dataclass(slots=True)
class SessionContext:
    """The messages that a branch stands for.

    `sources[i]` is the entry that `messages[i]` was made of (a compaction makes two).
    """

    messages: list[AgentMessage] = field(default_factory=list)
    sources: list[StoredEntry] = field(default_factory=list)


def select_entries(tree: SessionTree, leaf: StoredEntry | None = None) -> list[StoredEntry]:
    """The active entries of the branch that ends at `leaf` (default: the tree's), decoding next to none.

    Without a compaction that is the branch. Else: the latest compaction, what it kept but system
    messages, what came after it. Entries that make no message are among them.
    """
    newer: list[StoredEntry] = []
    for entry in tree.walk(tree.leaf if leaf is None else leaf):
        if entry.type == "compaction" and _is_whole(entry):
            return [entry, *_kept(entry), *reversed(newer)]
        newer.append(entry)
    newer.reverse()
    return newer


def _kept(compaction: StoredEntry) -> list[StoredEntry]:
    """What a compaction kept of the entries before it, oldest first, without system messages."""
    first_kept = compaction.data.get("firstKeptEntryId")
    kept: list[StoredEntry] = []
    entry = compaction.parent if first_kept != compaction.id else None
    while entry is not None:
        kept.append(entry)
        if entry.id == first_kept:
            break
        if entry.parent is None and entry.parent_id is None:
            return []  # a true root: the id is nowhere on this branch
        entry = entry.parent
    kept.reverse()
    return [entry for entry in kept if entry.role != "system" and not entry.damaged]


def _is_whole(entry: StoredEntry) -> bool:
    return bool(entry.data) and not entry.damaged  # looking at the data is what finds damage


def chosen_model(tree: SessionTree, leaf: StoredEntry | None = None) -> ModelRef | None:
    """The model of the branch: the one chosen last or, where that is later, the one that answered last."""
    for entry in tree.walk(tree.leaf if leaf is None else leaf):
        if entry.type == "model_change" and _is_whole(entry):
            return ModelRef(str(entry.data.get("provider", "")), str(entry.data.get("modelId", "")))
        if entry.role == "assistant" and _is_whole(entry):
            message = entry.data.get("message", {})
            return ModelRef(str(message.get("provider", "")), str(message.get("model", "")))
    return None


def chosen_thinking_level(tree: SessionTree, leaf: StoredEntry | None = None) -> str | None:
    """The thinking level chosen last on the branch."""
    for entry in tree.walk(tree.leaf if leaf is None else leaf):
        if entry.type == "thinking_level_change" and _is_whole(entry):
            return str(entry.data.get("thinkingLevel", "off"))
    return None


def build_context(tree: SessionTree, leaf: StoredEntry | None = None) -> SessionContext:
    """Decode the active entries of the branch that ends at `leaf` into messages.

    Reads and decodes each of them: a job for a worker thread when there are thousands. Entries that
    cannot be understood are left out and reported in the session's diagnostics.
    """
    context = SessionContext()
    selected = select_entries(tree, leaf)
    edits = _edits(selected)
    for number, entry in enumerate(selected):
        # Only the latest compaction, which comes first, speaks; what it kept may hold an older one.
        if entry.type in CONTEXT_TYPES or (entry.type == "compaction" and number == 0):
            for message in _messages(entry):
                seen = _edited(message, edits[entry.id]) if entry.id in edits else message
                if seen is not None:
                    context.messages.append(seen)
                    context.sources.append(entry)
    return context


def _edits(selected: list[StoredEntry]) -> dict[str, ContextEditEntry]:
    """The edit that counts for each edited entry: the latest."""
    edits: dict[str, ContextEditEntry] = {}
    for entry in selected:
        if entry.type == "context_edit":
            record = entry.record()
            if isinstance(record, ContextEditEntry):
                edits[record.target_id] = record
    return edits


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
