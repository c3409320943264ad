"""Which files the summarised part of a conversation read and changed."""

from __future__ import annotations

from collections.abc import Iterable

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import AssistantMessage, ToolCall, ToolResultMessage
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.sanitize import sanitize_line

_READERS = frozenset(("read",))
_WRITERS = frozenset(("edit", "write"))
_LIST_CHARS = 8_000  # of one list in a summary; the details have all names
_READ_TAG, _MODIFIED_TAG = "read-files", "modified-files"


@dataclass(frozen=True, slots=True)
class FileLists:
    """Paths as the model named them, sorted; a file that was read and changed is only in `modified`."""

    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()

    @classmethod
    def of(cls, read: Iterable[str], modified: Iterable[str]) -> FileLists:
        """Without repeats, in order."""
        changed = set(modified)
        return cls(tuple(sorted(set(read) - changed)), tuple(sorted(changed)))

    def details(self) -> JsonObject:
        """The shape of `details` in compactions and branch summaries."""
        return {"readFiles": list(self.read), "modifiedFiles": list(self.modified)}


def files_of(messages: Iterable[AgentMessage], details: Iterable[object] = ()) -> FileLists:
    """What the tool calls of `messages` read and changed, and what earlier `details` tell.

    A call that failed counts for nothing; details of an unknown shape tell nothing.
    """
    read: set[str] = set()
    modified: set[str] = set()
    for each in details:
        read.update(_paths(each, "readFiles"))
        modified.update(_paths(each, "modifiedFiles"))
    for call in _done(messages):
        path = call.arguments.get("path")
        if isinstance(path, str) and path.strip():
            (read if call.name in _READERS else modified).add(path)
    return FileLists.of(read, modified)


def _done(messages: Iterable[AgentMessage]) -> Iterable[ToolCall]:
    """The file calls that did not fail. Servers may use an id again in a later message."""
    calls: dict[str, ToolCall] = {}
    for message in messages:
        if isinstance(message, AssistantMessage):
            if message.tool_calls:
                yield from calls.values()
                calls = {call.id: call for call in message.tool_calls if _touches_file(call)}
        elif isinstance(message, ToolResultMessage) and message.is_error:
            calls.pop(message.tool_call_id, None)
    yield from calls.values()


def _touches_file(call: ToolCall) -> bool:
    return (call.name in _READERS or call.name in _WRITERS) and isinstance(call.arguments, dict)


def _paths(details: object, key: str) -> list[str]:
    found = details.get(key) if isinstance(details, dict) else None
    return [path for path in found if isinstance(path, str)] if isinstance(found, list) else []


def with_file_lists(summary: str, files: FileLists) -> str:
    """The summary with its file lists at the end, in place of any that it ends with."""
    lists = (_block(_READ_TAG, files.read), _block(_MODIFIED_TAG, files.modified))
    return "\n\n".join(block for block in (without_file_lists(summary), *lists) if block)


def without_file_lists(summary: str) -> str:
    """The summary without file lists at its end: models copy those of the summary before."""
    text, length = summary.strip(), -1
    while len(text) != length:
        length = len(text)
        for tag in (_READ_TAG, _MODIFIED_TAG):
            start = text.rfind(f"<{tag}>") if text.endswith(f"</{tag}>") else -1
            text = text[:start].rstrip() if start >= 0 else text
    return text


def _block(tag: str, paths: tuple[str, ...]) -> str:
    if not paths:
        return ""
    lines: list[str] = []
    room = _LIST_CHARS
    for path in paths:
        line = sanitize_line(path).replace("<", "&lt;")
        room -= len(line) + 1
        if room < 0:
            lines.append(f"({len(paths) - len(lines)} more)")
            break
        lines.append(line)
    return "\n".join((f"<{tag}>", *lines, f"</{tag}>"))
