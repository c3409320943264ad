"""What an entry looks like in a preview: rendered as in the transcript, of very long ones the beginning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import AssistantMessage, TextContent, ThinkingContent, ToolResultMessage, UserMessage
from pi_term.coding.messages import (
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
)
from pi_term.coding.session import (
    EntryRecord,
    StoredEntry,
)
from pi_term.render.blocks import ToolBlock
from pi_term.render.entries import blocks_of
from pi_term.render.line import Line, ViewOptions
from pi_term.render.theme import Theme
from pi_term.tui.history_view import message_of
from pi_term.tui.screens.tree_text import call_of
from pi_term.tui.text import line_of

T = TypeVar("T")
_MOST = 6_000  # characters of a text that are rendered: a few milliseconds


def entry_preview(entry: StoredEntry, width: int, theme: Theme) -> list[Line]:
    """The rows of an entry; of one that nobody said, what it notes. Reads the file."""
    record = entry.record()
    message = shown_message(record)
    if isinstance(message, ToolResultMessage):
        return _result_rows(entry, message, width, theme)
    if message is None:
        data = {key: value for key, value in entry.data.items() if key not in ("id", "parentId")}
        return [
            line_of((f"{key}: {value}"[: width * 2], theme.style("muted"))) for key, value in data.items()
        ]
    return message_rows([(entry.id, message)], width, theme)


def message_rows(messages: Sequence[tuple[str, AgentMessage]], width: int, theme: Theme) -> list[Line]:
    """Messages as in the transcript, opened."""
    view = ViewOptions(theme, expanded=True)
    short = [(id, _shortened(message)) for id, message in messages]
    rows = [line for block in blocks_of(short) for line in block.lines(width, view)]
    return rows[1:] if rows and not rows[0].segments else rows


def shown_message(record: EntryRecord | None) -> AgentMessage | None:
    """The message of an entry, also one that the transcript hides; None for what is none."""
    message = message_of(record)
    return replace(message, display=True) if isinstance(message, CustomMessage) else message


def _result_rows(entry: StoredEntry, result: ToolResultMessage, width: int, theme: Theme) -> list[Line]:
    """A result in the row of its call."""
    call = call_of(entry, result.tool_call_id)
    block = ToolBlock(result.tool_name, call.arguments if call is not None else None, id=entry.id)
    short = _shortened(result)
    assert isinstance(short, ToolResultMessage)
    block.finish(short, duration_ms=result.duration_ms)
    rows = list(block.lines(width, ViewOptions(theme, expanded=True)))
    return rows[1:] if rows and not rows[0].segments else rows


def _shortened(message: AgentMessage) -> AgentMessage:
    """The message with the beginnings of its texts."""
    match message:
        case UserMessage() | ToolResultMessage() if not isinstance(message.content, str):
            return replace(message, content=[_cut(part) for part in message.content])
        case UserMessage():
            return replace(message, content=_text(str(message.content)))
        case AssistantMessage():
            return replace(message, content=[_cut(part) for part in message.content])
        case BashExecutionMessage():
            return replace(message, output=_text(message.output))
        case CompactionSummaryMessage() | BranchSummaryMessage():
            return replace(message, summary=_text(message.summary))
    return message


def _cut(part: T) -> T:
    if isinstance(part, TextContent):
        part.text = _text(part.text)
    elif isinstance(part, ThinkingContent):
        part.thinking = _text(part.thinking)
    return part


def _text(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]}\n\n… {len(text) - _MOST:,} more characters"
