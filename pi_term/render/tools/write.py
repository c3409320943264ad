"""Calls of `write`: a file while it is written its end, then its beginning, or what it changed."""

from __future__ import annotations

from collections.abc import Sequence

from pi_term.base.sanitize import sanitize_line
from pi_term.render.blocks.hints import count_of
from pi_term.render.diff.view import SHORT
from pi_term.render.highlight import lexer_for_file
from pi_term.render.joined import JoinedLines
from pi_term.render.line import Line
from pi_term.render.tools.call import ToolCallState
from pi_term.render.tools.changes import difference, difference_view, told_difference
from pi_term.render.tools.code import MOST_LINES, CodeView, file_name
from pi_term.render.tools.live import growing, live_rows
from pi_term.render.tools.output import line_count, reason_rows
from pi_term.render.tools.panel import Panel
from pi_term.render.tools.renderer import Title

_LINES = 10
_UNCHANGED = "was not touched"


class WriteRenderer:
    """A file: while it is written its end, then its beginning, or what changed in it."""

    def title(self, call: ToolCallState) -> Title:
        """The path and how long the file is, or how many lines changed."""
        path = sanitize_line(call.argument("path"))
        if _is_change(call):
            diff = difference(call)
            return Title(path, keep_end=True, changes=(diff.added, diff.removed))
        count = self._count(call)
        extra = count_of(count, "line") if count else ""
        if _is_unchanged(call):
            extra = "unchanged"
        return Title(path, extra, keep_end=True)

    def body(self, call: ToolCallState, panel: Panel) -> Sequence[Line]:
        """The content, or the difference; after an error only the reason, unless expanded."""
        if call.status == "writing":
            path = call.argument("path") if call.is_whole("path") else ""
            return live_rows(call, "content", lexer_for_file(file_name(path)), panel, numbers=True)
        parts: list[Sequence[Line]] = []
        if call.status == "error":
            parts.append(reason_rows(call.text, panel))
            if not panel.expanded:
                return parts[0]
        elif _is_change(call):
            return difference_view(call, panel).rows(panel)
        if call.argument("content") and (panel.expanded or not _is_unchanged(call)):
            parts.append(self._content(call, panel))
        return JoinedLines(parts)

    def expandable(self, call: ToolCallState) -> bool:
        """Whether there are more lines than the rows show."""
        if _is_change(call):
            diff = difference(call)
            return len(diff.lines) + diff.hidden > SHORT + 1
        return call.status == "error" or _is_unchanged(call) or self._count(call) > _LINES + 1

    def _count(self, call: ToolCallState) -> int:
        if call.status == "writing" and "content" in call.live:
            return growing(call, "content").count
        known: int | None = call.memo.get("count")
        if known is None:
            known = call.memo["count"] = line_count(call.argument("content"))
        return known

    def _content(self, call: ToolCallState, panel: Panel) -> Sequence[Line]:
        # The row that tells of what is hidden does not stand for one line.
        most = MOST_LINES if panel.expanded else _LINES + (self._count(call) == _LINES + 1)
        view: CodeView | None = call.memo.get("code")
        if view is None or view.capacity < most:
            lexer = lexer_for_file(file_name(call.argument("path")))
            view = call.memo["code"] = CodeView(call.argument("content"), lexer, most=most, first=1)
        call.colours = view.colours
        rows = view.rows(panel) if panel.expanded else view.cut_rows(panel, most)
        hidden = self._count(call) - most
        return JoinedLines([rows, panel.hint(hidden)]) if hidden > 0 else rows


def _is_change(call: ToolCallState) -> bool:
    """Whether the result tells how the file was changed."""
    return call.status == "ok" and told_difference(call) is not None


def _is_unchanged(call: ToolCallState) -> bool:
    """Whether the file held just that already."""
    return call.status == "ok" and _UNCHANGED in call.text
