"""What a session has used so far, and how full the model's context is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import AssistantMessage, ToolResultMessage, Usage
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.coding.session.entries import CONTEXT_TYPES, MessageEntry
from pi_term.coding.session.stored import StoredEntry
from pi_term.coding.session.tree import SessionTree
from pi_term.coding.tokens import known_tokens

_USING_TYPES = frozenset(("compaction", "branch_summary", "usage"))


@dataclass(slots=True)
class SessionStats:
    """Tokens and US dollars of all model calls, and how many messages there are of which kind.

    `messages` counts all kinds, those of the system and the user's own commands among them.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float = 0.0
    user_messages: int = 0
    assistant_messages: int = 0
    tool_calls: int = 0
    tool_results: int = 0
    messages: int = 0

    def add(self, usage: Usage) -> None:
        """Count what was used."""
        self.input += usage.input
        self.output += usage.output
        self.cache_read += usage.cache_read
        self.cache_write += usage.cache_write
        self.cost += usage.cost.total

    def add_message(self, message: AgentMessage) -> None:
        """Count a message, with what it used."""
        self._count(message.role)
        if isinstance(message, AssistantMessage):
            self.tool_calls += len(message.tool_calls)
        usage = message.usage if isinstance(message, AssistantMessage | ToolResultMessage) else None
        if usage is not None:
            self.add(usage)

    def add_stored(self, entry: StoredEntry) -> None:
        """Count an entry of a file; decodes it if it may have used something."""
        if entry.damaged:
            return
        if entry.type == "message":
            self._count(entry.role)
        if not _may_use(entry):
            return
        usage = _usage_in(entry.data)
        if usage is not None:
            self.add(usage)
        self.tool_calls += _calls_in(entry.data)

    def merge(self, other: SessionStats) -> None:
        """Add what `other` counted."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    def _count(self, role: str | None) -> None:
        self.messages += 1
        self.user_messages += role == "user"
        self.assistant_messages += role == "assistant"
        self.tool_results += role == "toolResult"


def _may_use(entry: StoredEntry) -> bool:
    if entry.role == "toolResult":  # few tools call models: a look at the bytes is cheaper than decoding
        return b'"usage":' in entry.line
    return entry.role == "assistant" or entry.type in _USING_TYPES


def _calls_in(data: JsonObject) -> int:
    message = data.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    parts = content if isinstance(content, list) else []
    return sum(isinstance(part, dict) and part.get("type") == "toolCall" for part in parts)


def _usage_in(data: JsonObject) -> Usage | None:
    """The usage of an entry; None where its shape is not known: that counts nothing."""
    try:
        holder = data["message"] if data.get("type") == "message" else data
        usage = Usage.from_json(holder["usage"])
    except (KeyError, ValueError, TypeError, AttributeError):
        return None
    counts = (usage.input, usage.output, usage.cache_read, usage.cache_write, usage.cost.total)
    return usage if all(isinstance(count, (int, float)) for count in counts) else None


def stored_context_tokens(tree: SessionTree) -> int | None:
    """`known_tokens` of a stored branch, from its end: as little as possible is decoded.

    None also when the branch ends soon after a compaction, or an edit of what the model sees: what that
    left over has not been counted yet.
    """
    return known_tokens(_stored_messages(tree))


def _stored_messages(tree: SessionTree) -> Iterator[object]:
    """Messages of the branch, and records that stand for one, from its end to the latest compaction."""
    for entry in tree.walk(tree.leaf):
        if entry.type == "compaction" or _leaves_unknown(tree, entry):
            return
        if entry.type in CONTEXT_TYPES:
            record = entry.record()
            yield record.message if isinstance(record, MessageEntry) else record


def _leaves_unknown(tree: SessionTree, entry: StoredEntry) -> bool:
    """Whether an edit changed what had been counted; that of a failure, which never was, does not."""
    if entry.type != "context_edit":
        return False
    target = tree.get(str(entry.data.get("targetId")))
    message = None if target is None else target.data.get("message")
    failed = isinstance(message, dict) and message.get("stopReason") in ("error", "aborted")
    return target is not None and not failed
