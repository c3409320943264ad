"""What an entry of the tree says: in a row, whole, and in words that are searched."""

from __future__ import annotations

import re

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from pi_term.coding.messages import BashExecutionMessage
from pi_term.coding.session import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomEntry,
    CustomMessageEntry,
    EntryRecord,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionInfoEntry,
    StoredEntry,
    ThinkingLevelChangeEntry,
    UsageEntry,
)
from pi_term.tui.text import one_line

_MARKS = re.compile(r"\*\*|^#+ |^```\w*$", re.MULTILINE)
_READ = 1_000  # characters of a text for its row
_FARTHEST = 100  # entries that are looked at for the call of a result
_SUBJECTS = ("command", "path", "pattern", "query")
_SUBJECT = 80  # characters of what a call is about


def row_text(entry: StoredEntry) -> tuple[str, str]:
    """What an entry says, in a line, and the theme's token for it. Reads the file."""
    record = entry.record()
    if isinstance(record, MessageEntry):
        return _message_row(entry, record.message)
    match record:
        case CompactionEntry(summary=summary):
            return f"compaction: {_plain(summary)}", "customMessageLabel"
        case BranchSummaryEntry(summary=summary):
            return f"summary of a branch: {_plain(summary)}", "customMessageLabel"
        case CustomMessageEntry() as custom:
            return f"{custom.custom_type}: {one_line(text_of(custom.content))}", "customMessageLabel"
    return f"({_bookkeeping(entry, record)})", "dim"


def full_text(entry: StoredEntry) -> str:
    """All that an entry says, as it was written: for the clipboard. Reads the file."""
    match entry.record():
        case MessageEntry(message=message):
            return _whole(message)
        case CompactionEntry(summary=summary) | BranchSummaryEntry(summary=summary):
            return summary
        case CustomMessageEntry() as custom:
            return text_of(custom.content)
    return ""


def searched_text(entry: StoredEntry) -> str:
    """The text that is searched: of a tool's result also what it was called with. Reads the file."""
    return f"{row_text(entry)[0]}\n{full_text(entry)}"


def call_of(entry: StoredEntry, call_id: str) -> ToolCall | None:
    """The call that an entry holds the result of; None where it is not near above it. Reads the file."""
    above = entry.parent
    for _ in range(_FARTHEST):
        if above is None or above.role == "user":
            return None
        record = above.record() if above.role == "assistant" else None
        if isinstance(record, MessageEntry) and isinstance(record.message, AssistantMessage):
            for call in record.message.tool_calls:
                if call.id == call_id:
                    return call
        above = above.parent
    return None


def _message_row(entry: StoredEntry, message: AgentMessage) -> tuple[str, str]:
    match message:
        case UserMessage():
            return f"you: {one_line(text_of(message.content)) or '(no text)'}", "accent"
        case AssistantMessage():
            return _answer_text(message), "error" if message.stop_reason == "error" else "text"
        case BashExecutionMessage():
            mark = "!!" if message.exclude_from_context else "!"
            return f"{mark} {one_line(message.command)}", "bashMode"
        case ToolResultMessage():
            call = call_of(entry, message.tool_call_id)
            mark = "✗" if message.is_error else "●"
            said = _call_text(call) if call is not None else message.tool_name
            return f"{mark} {said}", "error" if message.is_error else "muted"
        case SystemMessage():
            return "(system prompt)", "dim"
    return f"({message.role})", "dim"


def _answer_text(message: AssistantMessage) -> str:
    said = _plain(message.text)
    calls = ", ".join(_call_text(call) for call in message.tool_calls)
    if message.stop_reason == "error":
        said = f"{said} failed: {one_line(message.error_message or '')}".lstrip()
    return said or (f"● {one_line(calls)}" if calls else "(no text)")


def _plain(text: str) -> str:
    """The beginning of a text in a row, without the marks of Markdown that only stand in the way there."""
    return one_line(_MARKS.sub("", text[:_READ]))


def _call_text(call: ToolCall) -> str:
    given = (call.arguments.get(key) for key in _SUBJECTS)
    subject = next((each for each in given if isinstance(each, str)), None)
    return call.name if subject is None else f"{call.name} {one_line(subject, _SUBJECT)}"


def _whole(message: AgentMessage) -> str:
    match message:
        case UserMessage() | ToolResultMessage():
            return text_of(message.content)
        case AssistantMessage():
            return message.text or "\n".join(_call_text(call) for call in message.tool_calls)
        case BashExecutionMessage():
            return f"{message.command}\n{message.output}"
    return ""


def _bookkeeping(entry: StoredEntry, record: EntryRecord | None) -> str:
    """What an entry notes that nobody said."""
    match record:
        case ModelChangeEntry():
            return f"model: {record.provider}/{record.model_id}"
        case ThinkingLevelChangeEntry():
            return f"thinking: {record.thinking_level}"
        case SessionInfoEntry():
            return f"name: {record.name or 'none'}"
        case LabelEntry():
            return f"label: {record.label}" if record.label else "label taken away"
        case ContextEditEntry():
            return "left out of what the model sees" if record.replacement is None else "edited for the model"
        case CustomEntry():
            return f"note of {record.custom_type}"
        case UsageEntry():
            return f"used: {record.kind}"
    return entry.type
