"""Arguments under a tool row while the model still writes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_term.render.highlight import CodeLine
from pi_term.render.joined import JoinedLines
from pi_term.render.line import Line
from pi_term.render.margin import Margin
from pi_term.render.tools.call import ToolCallState
from pi_term.render.tools.code import code_runs, number_margin
from pi_term.render.tools.growing import KEPT, GrowingCode
from pi_term.render.tools.lazy import LazyRows, rows_of
from pi_term.render.tools.panel import Panel

LIVE = 10
"""Lines that are shown of what is being written."""


def growing(call: ToolCallState, name: str) -> GrowingCode:
    """What is known of an argument that grows."""
    code: GrowingCode | None = call.live.get(name)
    if code is None:
        code = call.live[name] = GrowingCode()
    return code


def live_rows(
    call: ToolCallState, name: str, lexer: Any, panel: Panel, *, numbers: bool = False
) -> Sequence[Line]:
    """The end of an argument, the newest line last."""
    code = growing(call, name)
    code.feed(call.argument(name), lexer)
    return tail_of(code, panel, numbers=numbers)


def tail_of(code: GrowingCode, panel: Panel, *, numbers: bool = False) -> Sequence[Line]:
    """The last rows of code that is still written, and how much there is before them."""
    lines = code.tail(KEPT if panel.expanded else LIVE)
    hidden = code.count - len(lines)

    def margin(at: int) -> Margin:
        return number_margin(hidden + at + 1, code.count, panel) if numbers else panel.margin

    def draw(at: int) -> list[Line]:
        return panel.rows(code_runs(lines[at], panel), margin=margin(at))

    room = panel.width - margin(0).cells
    rows: Sequence[Line] = LazyRows((rows_of(text_of(line), room) for line in lines), draw)
    if not panel.expanded:
        rows = rows[-LIVE:]
    return JoinedLines([panel.hint(hidden, "earlier"), rows]) if hidden else rows


def text_of(line: CodeLine) -> str:
    """A coloured line as text."""
    return "".join([text for text, _ in line])
