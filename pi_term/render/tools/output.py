"""Text that a tool printed: its end or its beginning while collapsed, nearly all of it expanded."""

from __future__ import annotations

from pi_term.render.cells import TERMINAL_TAB_WIDTH
from pi_term.render.line import Line
from pi_term.render.sgr import SgrParser
from pi_term.render.tools.panel import Panel, clipped

COLLAPSED = 5
"""Rows of output that are shown collapsed."""
EXPANDED = 2000
"""Lines of output that are shown expanded."""
_USUAL_WIDTH = 60


def line_count(text: str) -> int:
    """How many lines a text has; a final newline does not begin another one."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def has_more(text: str) -> bool:
    """Whether expanding an output (or its long lines) probably shows more of it."""
    return line_count(text) > COLLAPSED or len(text) > COLLAPSED * _USUAL_WIDTH


def _end(text: str) -> int:
    """The length of a text without the line ends at its end."""
    end = len(text)
    while end and text[end - 1] in "\n\r":
        end -= 1
    return end


def last_lines(text: str, count: int) -> tuple[list[str], int]:
    """The last lines, and how many there are before them. Looks at nothing but the end."""
    end = _end(text)
    if not end:
        return [], 0
    start = end
    for _ in range(count):
        start = text.rfind("\n", 0, start)
        if start < 0:
            return text[:end].split("\n"), 0
    return text[start + 1 : end].split("\n"), text.count("\n", 0, start) + 1


def first_lines(text: str, count: int) -> tuple[list[str], int]:
    """The first lines, and how many come after them."""
    end = _end(text)
    if not end:
        return [], 0
    at = -1
    for _ in range(count):
        at = text.find("\n", at + 1, end)
        if at < 0:
            return text[:end].split("\n"), 0
    return text[:at].split("\n"), text.count("\n", at, end)


def tail_rows(text: str, panel: Panel, token: str = "toolOutput") -> list[Line]:
    """The end of an output, in the colours it was printed in."""
    if panel.expanded:
        lines, hidden = last_lines(text, EXPANDED)
        rows = output_rows([clipped(line) for line in lines], panel, token)
        return [*panel.hint(hidden, "earlier"), *rows] if hidden else rows
    lines, hidden = last_lines(text, COLLAPSED)
    # Of a very long line only the end is looked at.
    limit = (COLLAPSED + 1) * panel.width * 4
    rows = output_rows([line[-limit:] for line in lines], panel, token)
    rows = rows[-COLLAPSED:]
    return [*panel.hint(hidden, "earlier"), *rows] if hidden else rows


def head_rows(text: str, panel: Panel, token: str = "toolOutput", limit: int = COLLAPSED) -> list[Line]:
    """The beginning of an output."""
    lines, hidden = first_lines(text, EXPANDED if panel.expanded else limit)
    rows = output_rows([clipped(line) for line in lines], panel, token)
    if not panel.expanded and len(rows) > limit * 2:
        rows = rows[: limit * 2]
        hidden = max(hidden, 1)
    return [*rows, *panel.hint(hidden)] if hidden else rows


def output_rows(lines: list[str], panel: Panel, token: str) -> list[Line]:
    """Lines as a terminal would show them."""
    parser = SgrParser()
    base = panel.style(token)
    rows: list[Line] = []
    for line in lines:
        rows.extend(panel.rows(parser.runs(line, base), tab=TERMINAL_TAB_WIDTH))
    return rows
