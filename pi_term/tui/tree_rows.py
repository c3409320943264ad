"""The tree of a session as rows to choose from, a row for each thing that was said."""

from __future__ import annotations

from dataclasses import dataclass

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import AssistantMessage, ToolCall, UserMessage, text_of
from pi_term.coding.messages import BashExecutionMessage
from pi_term.coding.session import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomMessageEntry,
    MessageEntry,
    SessionTree,
    StoredEntry,
)
from pi_term.tui.history_view import is_shown
from pi_term.tui.text import one_line

_DEEPEST = 24  # cells of branches before a row; of more, the last are shown


@dataclass(frozen=True, slots=True)
class TreeRow:
    """An entry, and the branches that are drawn before it."""

    entry: StoredEntry
    branches: str


def tree_rows(tree: SessionTree) -> list[TreeRow]:
    """The entries that people see in the transcript, but for tool results; parents before children.

    Where several go on from one, each is the beginning of a branch; a line without branches is flat.
    Decodes nothing. Takes about a microsecond an entry, so that it belongs on a thread.
    """
    children = _children(tree)
    rows: list[TreeRow] = []
    waiting = _begin(children[None], "")
    while waiting:
        row, below = waiting.pop()
        rows.append(row)
        waiting += _begin(children.get(row.entry, []), below)
    return rows


def place_of(rows: list[TreeRow], leaf: StoredEntry | None) -> int:
    """The row of `leaf`, or of its nearest ancestor that has one; -1 before the first."""
    places = {row.entry: place for place, row in enumerate(rows)}
    while leaf is not None and leaf not in places:
        leaf = leaf.parent
    return -1 if leaf is None else places[leaf]


def row_text(entry: StoredEntry) -> str:
    """What an entry says, in a line. Reads the file."""
    match entry.record():
        case MessageEntry(message=message):
            return _message_text(message)
        case CompactionEntry(summary=summary):
            return f"compaction: {one_line(summary)}"
        case BranchSummaryEntry(summary=summary):
            return f"summary of a branch: {one_line(summary)}"
        case CustomMessageEntry() as custom:
            return f"{custom.custom_type}: {one_line(text_of(custom.content))}"
    return f"({entry.type})"


def _children(tree: SessionTree) -> dict[StoredEntry | None, list[StoredEntry]]:
    """What has rows, by its nearest ancestor that has one, oldest first."""
    children: dict[StoredEntry | None, list[StoredEntry]] = {None: []}
    for entry in list(tree.entries):
        if _has_row(entry):
            parent = entry.parent
            while parent is not None and not _has_row(parent):
                parent = parent.parent
            children.setdefault(parent, []).append(entry)
    return children


def _has_row(entry: StoredEntry) -> bool:
    return is_shown(entry) and entry.role != "toolResult" and not entry.damaged


def _begin(entries: list[StoredEntry], branches: str) -> list[tuple[TreeRow, str]]:
    """Rows for the children of one entry, the oldest last, each with the branches for what is below it."""
    if len(entries) == 1:
        return [(TreeRow(entries[0], branches), branches)]
    shown = branches if len(branches) <= _DEEPEST else f"…{branches[-_DEEPEST:]}"
    last = entries[-1:]
    begun = [(TreeRow(entry, f"{shown}├─ "), f"{shown}│  ") for entry in entries[:-1]]
    return [*((TreeRow(entry, f"{shown}└─ "), f"{shown}   ") for entry in last), *reversed(begun)]


def _message_text(message: AgentMessage) -> str:
    match message:
        case UserMessage():
            return f"you: {one_line(text_of(message.content)) or '(no text)'}"
        case AssistantMessage():
            return _answer_text(message)
        case BashExecutionMessage():
            mark = "!!" if message.exclude_from_context else "!"
            return f"{mark} {one_line(message.command)}"
    return f"({message.role})"


def _answer_text(message: AssistantMessage) -> str:
    said = one_line(message.text)
    calls = ", ".join(_call_text(call) for call in message.tool_calls)
    if message.stop_reason == "error":
        said = f"{said} failed: {one_line(message.error_message or '')}".lstrip()
    return said or (f"● {one_line(calls)}" if calls else "(no text)")


def _call_text(call: ToolCall) -> str:
    subject = call.arguments.get("command") or call.arguments.get("path")
    return f"{call.name} {one_line(subject, 60)}" if isinstance(subject, str) else call.name
