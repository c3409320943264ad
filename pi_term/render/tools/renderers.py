"""Which tool is drawn how. Tools without a renderer of their own are drawn from their arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pi_term.base.json import dumps_str
from pi_term.base.sanitize import sanitize, sanitize_line
from pi_term.render.blocks.hints import count_of, duration
from pi_term.render.cells import fit
from pi_term.render.line import Line
from pi_term.render.tools.call import ToolCallState
from pi_term.render.tools.code import code_lines, code_rows
from pi_term.render.tools.diff import DiffLine, diff_from_args, diff_from_text, diff_rows, edits_of
from pi_term.render.tools.output import (
    COLLAPSED,
    EXPANDED,
    has_more,
    head_rows,
    last_lines,
    line_count,
    output_rows,
    tail_rows,
)
from pi_term.render.tools.panel import Panel

_WRITE_LINES = 10
_DIFF_LINES = 16
_VALUE_WIDTH = 60
_LONGEST_STATUS = 200


@dataclass(frozen=True, slots=True)
class Title:
    """What a tool row says after the tool's name. `keep_end`: the end matters most, as of paths."""

    text: str
    extra: str = ""
    keep_end: bool = False


class ToolRenderer(Protocol):
    """Draws the calls of one tool. Strings of a call are data and pass the sanitiser first."""

    def title(self, call: ToolCallState) -> Title:
        """What the row says."""

    def body(self, call: ToolCallState, panel: Panel) -> list[Line]:
        """What is under the row."""

    def expandable(self, call: ToolCallState) -> bool:
        """Whether the body has more to show expanded."""


class BashRenderer:
    """A command and the end of what it prints."""

    def title(self, call: ToolCallState) -> Title:
        first, newline, _ = sanitize(call.argument("command")).strip().partition("\n")
        timeout = call.number("timeout")
        extra = f"timeout {duration(timeout)}" if timeout else ""
        return Title(sanitize_line(first) + (" …" if newline else ""), extra)

    def body(self, call: ToolCallState, panel: Panel) -> list[Line]:
        rows: list[Line] = []
        command = sanitize(call.argument("command")).strip()
        if panel.expanded and ("\n" in command or len(command) > panel.room // 2):
            rows.extend(panel.rows([(command, panel.style("toolTitle"))]))
        output, status = _exit_status(call)
        rows.extend(tail_rows(output, panel))
        return [*rows, *panel.words(status, "error")] if status else rows

    def expandable(self, call: ToolCallState) -> bool:
        return has_more(call.text) or "\n" in call.argument("command").strip()


def _exit_status(call: ToolCallState) -> tuple[str, str]:
    """The output of a failed command, and the last paragraph, which tells how it ended."""
    if call.status != "error":
        return call.text, ""
    output, _, status = call.text.rpartition("\n\n")
    if "\n" in status or len(status) > _LONGEST_STATUS:
        return call.text, ""
    return output, sanitize_line(status)


class ReadRenderer:
    """The path of a file; its content only when expanded."""

    def title(self, call: ToolCallState) -> Title:
        path = sanitize_line(call.argument("path"))
        extra = _read_range(call)
        if call.status == "ok" and not call.images:
            extra = f"{extra}  {count_of(line_count(call.text), 'line')}".strip()
        return Title(path, extra, keep_end=True)

    def body(self, call: ToolCallState, panel: Panel) -> list[Line]:
        if call.status == "error":
            return head_rows(call.text, panel, "error")
        if not panel.expanded or not call.text:
            return []
        rows = code_rows(code_lines(call, call.argument("path"), call.text, EXPANDED), panel)
        hidden = line_count(call.text) - EXPANDED
        return [*rows, *panel.hint(hidden)] if hidden > 0 else rows

    def expandable(self, call: ToolCallState) -> bool:
        return bool(call.text)


def _read_range(call: ToolCallState) -> str:
    offset, limit = call.number("offset"), call.number("limit")
    if offset is None and limit is None:
        return ""
    first = int(offset or 1)
    return f"from line {first}" if limit is None else f"lines {first}-{first + int(limit) - 1}"


class WriteRenderer:
    """A new file: while it is written its end, then its beginning."""

    def title(self, call: ToolCallState) -> Title:
        content = call.argument("content")
        extra = count_of(line_count(content), "line") if content else ""
        return Title(sanitize_line(call.argument("path")), extra, keep_end=True)

    def body(self, call: ToolCallState, panel: Panel) -> list[Line]:
        content = call.argument("content")
        if call.status == "writing":
            # Only the end is looked at: the argument may be huge, and grows with every token.
            lines, _ = last_lines(content[-panel.width * 4 * COLLAPSED :], COLLAPSED)
            return output_rows(lines, panel, "toolOutput")[-COLLAPSED:]
        error = head_rows(call.text, panel, "error") if call.status == "error" else []
        if not content:
            return error
        wanted = EXPANDED if panel.expanded else _WRITE_LINES
        rows = code_rows(code_lines(call, call.argument("path"), content, wanted), panel)
        hidden = line_count(content) - wanted
        return [*error, *rows, *(panel.hint(hidden) if hidden > 0 else [])]

    def expandable(self, call: ToolCallState) -> bool:
        return line_count(call.argument("content")) > _WRITE_LINES


class EditRenderer:
    """What changes in a file: as asked for while it runs, as done when it is done."""

    def title(self, call: ToolCallState) -> Title:
        path = sanitize_line(call.argument("path"))
        if call.status == "writing":
            return Title(path, count_of(len(edits_of(call.args)), "edit"), keep_end=True)
        diff = self._diff(call)
        added = sum(line.sign == "+" for line in diff)
        removed = sum(line.sign == "-" for line in diff)
        return Title(path, f"+{added} -{removed}" if diff else "", keep_end=True)

    def body(self, call: ToolCallState, panel: Panel) -> list[Line]:
        path = call.argument("path")
        if call.status == "writing":
            return diff_rows(_end_of_edits(call), path, panel)[-COLLAPSED:]
        error = head_rows(call.text, panel, "error") if call.status == "error" else []
        diff = self._diff(call)
        wanted = EXPANDED if panel.expanded else _DIFF_LINES
        rows = diff_rows(diff[:wanted], path, panel)
        hidden = len(diff) - wanted
        return [*error, *rows, *(panel.hint(hidden) if hidden > 0 else [])]

    def expandable(self, call: ToolCallState) -> bool:
        return len(self._diff(call)) > _DIFF_LINES

    def _diff(self, call: ToolCallState) -> list[DiffLine]:
        known = call.memo.get("diff")
        if known is None:
            details = call.details
            text = details.get("diff") if isinstance(details, dict) else None
            known = diff_from_text(text) if isinstance(text, str) else diff_from_args(call.args)
            call.memo["diff"] = known
        diff: list[DiffLine] = known
        return diff


def _end_of_edits(call: ToolCallState) -> list[DiffLine]:
    """The last lines of an edit that is still being written; nothing before them is looked at."""
    edits = edits_of(call.args)
    if not edits:
        return []
    for sign, key in (("+", "newText"), ("-", "oldText")):
        text = edits[-1].get(key)
        if isinstance(text, str) and text:
            lines, _ = last_lines(text, COLLAPSED)
            return [DiffLine(sign, "", sanitize(line)) for line in lines]
    return []


class GenericRenderer:
    """Any other tool: its arguments in short, and the beginning of its output."""

    def title(self, call: ToolCallState) -> Title:
        return Title("  ".join(f"{sanitize_line(key)}={_short(value)}" for key, value in call.args.items()))

    def body(self, call: ToolCallState, panel: Panel) -> list[Line]:
        rows: list[Line] = []
        if panel.expanded and call.args:
            arguments = sanitize(dumps_str(call.args, indent=True))
            rows.extend(head_rows(arguments, panel, "muted"))
        rows.extend(head_rows(call.text, panel, "error" if call.status == "error" else "toolOutput"))
        for image in call.images:
            rows.extend(panel.words(f"[image: {sanitize_line(image.mime_type)}]", "muted"))
        return rows

    def expandable(self, call: ToolCallState) -> bool:
        return bool(call.args or call.text)


def _short(value: object) -> str:
    text = value if isinstance(value, str) else dumps_str(value)
    return fit(sanitize_line(text[: _VALUE_WIDTH * 4]), _VALUE_WIDTH)


_GENERIC = GenericRenderer()
RENDERERS: dict[str, ToolRenderer] = {
    "bash": BashRenderer(),
    "read": ReadRenderer(),
    "write": WriteRenderer(),
    "edit": EditRenderer(),
}
"""Renderers by tool name."""


def renderer_for(name: str) -> ToolRenderer:
    """The renderer of a tool."""
    return RENDERERS.get(name, _GENERIC)
