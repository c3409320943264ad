"""Calls of `edit`: the replacements as they are written, then what changed in the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from rich.segment import Segment

from pi_term.base.json import JsonObject
from pi_term.base.sanitize import sanitize_line
from pi_term.render.blocks.base import GUTTER
from pi_term.render.blocks.hints import count_of
from pi_term.render.diff.look import TOKENS, margin_of
from pi_term.render.diff.model import DiffLine, Sign, edits_of
from pi_term.render.diff.view import SHORT
from pi_term.render.highlight import CodeLine, lexer_for_file, plain
from pi_term.render.joined import JoinedLines
from pi_term.render.line import Line
from pi_term.render.margin import Margin
from pi_term.render.tools.call import ToolCallState
from pi_term.render.tools.changes import difference, difference_view
from pi_term.render.tools.code import code_runs, file_name
from pi_term.render.tools.growing import KEPT, GrowingCode
from pi_term.render.tools.lazy import LazyRows, rows_of
from pi_term.render.tools.live import LIVE, text_of
from pi_term.render.tools.output import reason_rows
from pi_term.render.tools.panel import Panel
from pi_term.render.tools.renderer import Title


class EditRenderer:
    """What changes in a file: as it is written, as asked for while it runs, as done when it is done."""

    def title(self, call: ToolCallState) -> Title:
        """The path, and how many edits there are or how many lines changed."""
        path = sanitize_line(call.argument("path"))
        if call.status == "writing":
            count = len(edits_of(call.args))
            return Title(path, count_of(count, "edit") if count > 1 else "", keep_end=True)
        if call.status == "error":
            return Title(path, keep_end=True)
        diff = difference(call)
        return Title(path, keep_end=True, changes=(diff.added, diff.removed) if diff.lines else None)

    def body(self, call: ToolCallState, panel: Panel) -> Sequence[Line]:
        """The difference; after an error only the reason, unless expanded."""
        if call.status == "writing":
            return _live_rows(call, panel)
        if call.status != "error":
            return difference_view(call, panel).rows(panel)
        reason = reason_rows(call.text, panel)
        if not panel.expanded:
            return reason
        return JoinedLines([reason, difference_view(call, panel).rows(panel)])

    def expandable(self, call: ToolCallState) -> bool:
        """Whether there is more than the rows show."""
        if call.status == "writing":
            written: int = sum(code.count for code in call.live.values())
            return written > LIVE
        diff = difference(call)
        return bool(call.status == "error" and diff.lines) or len(diff.lines) + diff.hidden > SHORT + 1


def _live_rows(call: ToolCallState, panel: Panel) -> Sequence[Line]:
    """The end of the edits that are being written: old text, then the new one below it."""
    most = KEPT if panel.expanded else LIVE
    path = call.argument("path") if call.is_whole("path") else ""
    lexer = lexer_for_file(file_name(path))
    lines = list(islice(_lines_from_the_end(call, lexer, most), most))[::-1]
    margins = {sign: _margin(sign, panel) for sign in ("+", "-", "~")}
    counts = (rows_of(text_of(code), panel.width - margins[sign].cells) for sign, code in lines)
    rows = LazyRows(counts, lambda at: _draw(*lines[at], margins[lines[at][0]], panel))
    return rows if panel.expanded else rows[-most:]


def _lines_from_the_end(call: ToolCallState, lexer: object, most: int) -> Iterator[tuple[Sign, CodeLine]]:
    """The lines that were written last, newest first. Edits before those that are shown are not looked at."""
    edits = edits_of(call.args)
    for number in reversed(range(len(edits))):
        yield from _backwards(call, edits[number], (number, "newText", "+"), lexer, most)
        yield from _backwards(call, edits[number], (number, "oldText", "-"), lexer, most)
        if number:
            yield "~", plain("⋯")


def _backwards(
    call: ToolCallState, edit: JsonObject, part: tuple[int, str, Sign], lexer: object, most: int
) -> Iterator[tuple[Sign, CodeLine]]:
    number, key, sign = part
    text = edit.get(key)
    if not isinstance(text, str) or not text:
        return
    code: GrowingCode = call.live.setdefault(f"{number} {key}", GrowingCode())
    code.feed(text, lexer)
    for line in reversed(code.tail(most)):
        yield sign, line


def _margin(sign: Sign, panel: Panel) -> Margin:
    if sign == "~":
        return panel.margin
    style = panel.view.theme.style(TOKENS[sign], f"{TOKENS[sign]}Bg", bold=True)
    return margin_of(Segment(f"{'':{GUTTER}}{sign} ", style), DiffLine(sign), panel.width)


def _draw(sign: Sign, code: CodeLine, margin: Margin, panel: Panel) -> list[Line]:
    if sign == "~":
        return panel.rows([(text_of(code), panel.style("muted"))])
    ground = f"{TOKENS[sign]}Bg"
    fill = panel.view.theme.style(TOKENS[sign], ground)
    return panel.rows(code_runs(code, panel, ground), margin=margin, fill=fill)
