"""What a session looks like from outside: its facts, how it begins, what was said last or what was found."""

from __future__ import annotations

import io
import re
from datetime import datetime
from pathlib import Path

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import AssistantMessage, SystemMessage, TextContent, ToolResultMessage, UserMessage
from pi_term.base.json import JsonObject
from pi_term.coding.session import SearchHit, entry_from_json
from pi_term.coding.session.scan import LongLine, blocks, entries_of
from pi_term.render.line import EMPTY_LINE, Line
from pi_term.render.theme import Theme
from pi_term.tui.screens.entry_preview import message_rows, shown_message
from pi_term.tui.screens.resume_list import Row
from pi_term.tui.text import home_path, line_of

_TAIL = 1 << 16  # bytes at the end of a file that are looked through
_LAST = 4  # messages that are shown of them
_BEFORE = 300  # characters before what was found


def _excerpt(row: Row) -> list[tuple[str, AgentMessage]]:
    """The message of a place that was found, else what was said last; with their ids."""
    path = row.listed.summary.path
    try:
        hit = row.hit or next(iter(row.listed.hits), None)
        if hit is not None and hit.entry_id is not None:
            return _found_message(path, hit, hit.entry_id)
        return _last_messages(path)
    except OSError:
        return []


def preview_rows(row: Row, width: int, theme: Theme) -> list[Line]:
    """Facts of the session, then what was said. Reads the file: blocks."""
    summary = row.listed.summary
    size = f"{summary.size / 1e6:.1f} MB" if summary.size >= 1e5 else f"{summary.size / 1e3:.0f} kB"
    count = f"{summary.message_count:,} message{'' if summary.message_count == 1 else 's'}"
    facts = [f"{_day(summary.modified)} · {count} · {size}", home_path(Path(summary.cwd)) or "no folder"]
    rows = [line_of((fact[:width], theme.style("muted"))) for fact in facts]
    if row.listed.gone:
        rows.append(line_of(("This folder does not exist any more.", theme.style("warning"))))
    return [*rows, EMPTY_LINE, *message_rows(_excerpt(row), width, theme)]


def _last_messages(path: Path) -> list[tuple[str, AgentMessage]]:
    with io.FileIO(path, "r") as file:
        start = max(0, file.seek(0, io.SEEK_END) - _TAIL)
        file.seek(start)
        data = file.read(_TAIL)
    lines = data.split(b"\n")[1 if start else 0 :]
    found = [each for line in lines for entry in entries_of(line) if (each := _message(entry)) is not None]
    said = [
        (id, message) for id, message in found if not isinstance(message, ToolResultMessage | SystemMessage)
    ]
    spoken = [(id, each) for id, each in said if not isinstance(each, AssistantMessage) or each.text]
    prompts = [place for place, (_, message) in enumerate(spoken) if isinstance(message, UserMessage)]
    first = max(prompts[-1] if prompts else 0, len(spoken) - _LAST)
    return [(id, _without_calls(message)) for id, message in spoken[first:]]


def _found_message(path: Path, hit: SearchHit, id: str) -> list[tuple[str, AgentMessage]]:
    mark = b'"id":"%s"' % id.encode()
    for block in blocks(path):
        at = -1 if isinstance(block, LongLine) else block.find(mark)
        if isinstance(block, LongLine) or at < 0:
            continue
        start, end = block.rfind(b"\n", 0, at) + 1, block.find(b"\n", at)
        for entry in entries_of(block[start : end if end >= 0 else len(block)]):
            message = _message(entry)
            if message is not None:
                return [(message[0], _from_match(_without_calls(message[1]), hit))]
    return []


def _message(entry: JsonObject) -> tuple[str, AgentMessage] | None:
    try:
        message = shown_message(entry_from_json(entry))
    except (ValueError, TypeError, AttributeError, KeyError):
        return None
    return None if message is None else (str(entry.get("id", "")), message)


def _without_calls(message: AgentMessage) -> AgentMessage:
    """What was said of an answer; its calls and thoughts are no part of a short look."""
    if isinstance(message, AssistantMessage):
        message.content = [TextContent(message.text)]
    return message


def _from_match(message: AgentMessage, hit: SearchHit) -> AgentMessage:
    """The message from shortly before what was found."""
    words = re.escape(hit.match).replace(r"\ ", r"\s+")
    if isinstance(message, UserMessage | AssistantMessage) and not isinstance(message.content, str):
        for part in message.content:
            found = re.search(words, part.text) if isinstance(part, TextContent) else None
            if found is not None and isinstance(part, TextContent) and found.start() > _BEFORE:
                part.text = "…" + part.text[found.start() - _BEFORE :]
                break
    return message


def _day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000).astimezone().strftime("%Y-%m-%d %H:%M")
