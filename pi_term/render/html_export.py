"""A session as a page for people: one file, which needs nothing else and runs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import (
    AssistantMessage,
    ImageContent,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    parts_of,
)
from pi_term.base.errors import PiTermError
from pi_term.base.files import atomic_write
from pi_term.base.json import dumps_str
from pi_term.base.sanitize import sanitize
from pi_term.coding.messages import BashExecutionMessage, CustomMessage
from pi_term.coding.session import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomMessageEntry,
    EntryRecord,
    MessageEntry,
    SessionFile,
)

_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]*={0,2}\s*")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
header { border-bottom: 1px solid #8886; margin-bottom: 1.5rem; }
section { margin: 0 0 1rem; padding: .5rem .8rem; border-left: 3px solid #8886; }
section.user { border-color: #3b82f6; } section.error { border-color: #dc2626; }
h2 { font-size: .8rem; margin: 0 0 .3rem; opacity: .7; font-weight: 600; }
pre { font: 13px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
img { max-width: 100%; }
""".strip()


def export_session(file: SessionFile, cwd: Path, path: str | None = None) -> Path:
    """Write the branch that the session is at to `path`, taken from `cwd`; blocks.

    By default it is a file in `cwd` named for the session. Raises `PiTermError("nothing_to_export")`,
    `OSError`.
    """
    parts = [section for entry in file.tree.branch() for section in _sections(entry.record())]
    if not parts:
        raise PiTermError("nothing_to_export", "Nothing was said yet in this session.")
    stem = file.id if file.path is None else file.path.stem
    target = cwd / (Path(path).expanduser() if path else f"pi-session-{stem}.html")
    atomic_write(target, _page(file, parts).encode("utf-8", "replace"))
    return target


def _page(file: SessionFile, sections: list[str]) -> str:
    title = _text(file.tree.name or f"Session {file.id}")
    about = _text(f"{file.header.timestamp} · {file.header.cwd} · {file.id}")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<header><h1>{title}</h1><p>{about}</p></header>
{"".join(sections)}</body>
</html>
"""


def _sections(record: EntryRecord | None) -> Iterator[str]:
    """What is shown of an entry; the prompt and what only programs need is not."""
    match record:
        case MessageEntry(message=SystemMessage()):
            return
        case MessageEntry():
            yield _message(record.message)
        case CustomMessageEntry() if record.display:
            shown = CustomMessage(custom_type=record.custom_type, content=record.content)
            yield _message(shown)
        case CompactionEntry():
            yield _section("summary", "Summary of what was before", _pre(record.summary))
        case BranchSummaryEntry():
            yield _section("summary", "Summary of another branch", _pre(record.summary))


def _message(message: AgentMessage) -> str:
    match message:
        case UserMessage():
            return _section("user", "User", _parts(parts_of(message.content)))
        case AssistantMessage():
            error = _pre(message.error_message) if message.error_message else ""
            kind = "error" if message.stop_reason == "error" else "assistant"
            return _section(kind, message.model or "Assistant", _parts(message.content) + error)
        case ToolResultMessage():
            kind = "error" if message.is_error else "result"
            return _section(kind, f"Result of {message.tool_name}", _parts(message.content))
        case BashExecutionMessage():
            return _section("user", f"! {message.command}", _pre(message.output))
        case CustomMessage():
            return _section("custom", message.custom_type, _parts(parts_of(message.content)))
        case _:
            return ""


def _parts(parts: object) -> str:
    return "".join(_part(part) for part in parts) if isinstance(parts, (list, tuple)) else ""


def _part(part: object) -> str:
    match part:
        case TextContent():
            return _pre(part.text) if part.text else ""
        case ThinkingContent():
            return (
                f"<details><summary>Thinking</summary>{_pre(part.thinking)}</details>"
                if part.thinking
                else ""
            )
        case ToolCall():
            return _pre(f"{part.name} {dumps_str(part.arguments, indent=True)}")
        case ImageContent() if part.mime_type in _IMAGE_TYPES and _BASE64.fullmatch(part.data):
            return f'<img alt="" src="data:{part.mime_type};base64,{"".join(part.data.split())}">'
        case _:
            return ""


def _section(kind: str, title: str, body: str) -> str:
    return f'<section class="{kind}"><h2>{_text(title)}</h2>{body}</section>\n'


def _pre(text: str) -> str:
    return f"<pre>{_text(text)}</pre>"


def _text(text: str) -> str:
    return escape(sanitize(text))
