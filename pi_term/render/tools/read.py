"""Calls of `read`: the path of a file and which lines of it; its content only when expanded."""

from __future__ import annotations

from collections.abc import Sequence

from pi_term.ai.messages import ImageContent
from pi_term.base.sanitize import sanitize_line
from pi_term.render.blocks.hints import count_of
from pi_term.render.highlight import lexer_for_file
from pi_term.render.joined import JoinedLines
from pi_term.render.line import Line
from pi_term.render.tools.call import ToolCallState
from pi_term.render.tools.code import MOST_LINES, CodeView, file_name
from pi_term.render.tools.notes import ReadText, read_text
from pi_term.render.tools.output import line_count, reason_rows
from pi_term.render.tools.panel import Panel
from pi_term.render.tools.renderer import Title


class ReadRenderer:
    """The path of a file; its content only when expanded."""

    def title(self, call: ToolCallState) -> Title:
        """The path, and which lines or what kind of picture came back."""
        path = sanitize_line(call.argument("path"))
        return Title(path, _what_came(call) if call.status == "ok" else _range(call), keep_end=True)

    def body(self, call: ToolCallState, panel: Panel) -> Sequence[Line]:
        """The content, with its line numbers; then what the tool says about it."""
        if call.status == "error":
            return reason_rows(call.text, panel)
        if not panel.expanded or not call.text:
            return []
        told = _told(call)
        parts: list[Sequence[Line]] = []
        if call.images:
            parts.append(panel.words(sanitize_line(told.text), "muted"))
        elif told.text:
            view = _view(call, told)
            parts.append(view.rows(panel))
            if view.hidden:
                parts.append(panel.hint(view.hidden))
        parts += [panel.words(sanitize_line(note), "muted") for note in told.notes]
        return JoinedLines(parts)

    def expandable(self, call: ToolCallState) -> bool:
        """Whether there is any content."""
        return bool(call.text)


def _told(call: ToolCallState) -> ReadText:
    told: ReadText | None = call.memo.get("told")
    if told is None:
        told = call.memo["told"] = read_text(call.text)
    return told


def _view(call: ToolCallState, told: ReadText) -> CodeView:
    view: CodeView | None = call.memo.get("code")
    if view is None:
        lexer = lexer_for_file(file_name(call.argument("path")))
        view = call.memo["code"] = CodeView(told.text, lexer, most=MOST_LINES, first=_first(call))
    call.colours = view.colours
    return view


def _first(call: ToolCallState) -> int:
    return max(1, int(call.number("offset") or 1))


def _range(call: ToolCallState) -> str:
    """Which lines were asked for."""
    offset, limit = call.number("offset"), call.number("limit")
    if offset is None and limit is None:
        return ""
    first = _first(call)
    return f"lines {first:,}-{first + int(limit) - 1:,}" if limit else f"from line {first:,}"


def _what_came(call: ToolCallState) -> str:
    known = call.memo.get("came")
    if known is None:
        known = call.memo["came"] = _image(call.images[0]) if call.images else _lines_that_came(call)
    return str(known)


def _lines_that_came(call: ToolCallState) -> str:
    told = _told(call)
    count = line_count(told.text)
    first = _first(call)
    last = first + count - 1
    total = told.total(last)
    if not count or (first == 1 and not total):
        return count_of(count, "line") if count or not told.notes else ""
    of = f" of {total}" if total else ""
    return f"line {first:,}{of}" if count == 1 else f"lines {first:,}-{last:,}{of}"


def _image(image: ImageContent) -> str:
    """`image/png, 12 KB`."""
    size = len(image.data) * 3 // 4
    return f"{sanitize_line(image.mime_type)}, {max(1, size // 1024):,} KB"
