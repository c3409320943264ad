"""Text that a tool printed: its end or its beginning while collapsed, nearly all of it expanded."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pi_term.render.cells import TERMINAL_TAB_WIDTH
from pi_term.render.joined import JoinedLines
from pi_term.render.line import Line
from pi_term.render.sgr import SgrParser, plain_line, plain_lines
from pi_term.render.tools.lazy import LazyRows, rows_of
from pi_term.render.tools.panel import Panel, clipped

COLLAPSED = 5
"""Rows of output that are shown collapsed."""
EXPANDED = 2000
"""Lines of output that are shown expanded."""
_USUAL_WIDTH = 60
_REASON_LINES = 200
_LOOK_BACK = 50
"""Lines before the one that is drawn in which a colour may have been switched on that still goes on."""
_RESETS = ("\x1b[0m", "\x1b[m")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][0-9]{0,4}(?:;[^\x07\x1b\n]{0,250})?)?\Z")


def line_count(text: str) -> int:
    """How many lines a text has; a final newline does not begin another one."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def has_more(text: str) -> bool:
    """Whether expanding an output (or its long lines) probably shows more of it."""
    return line_count(text) > COLLAPSED + 1 or len(text) > COLLAPSED * _USUAL_WIDTH


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


def finished(text: str) -> str:
    """Text that still grows, without a control sequence at its end of which only the beginning has come."""
    match = _UNFINISHED.search(text, max(0, len(text) - 300))
    return text[: match.start()] if match else text


def tail_rows(
    text: str, panel: Panel, token: str = "toolOutput", limit: int = COLLAPSED, before: int = 0
) -> Sequence[Line]:
    """The end of an output, in the colours it was printed in. `before`: lines that are not in the text."""
    if panel.expanded:
        lines, hidden = last_lines(text, EXPANDED)
        rows: Sequence[Line] = output_rows(lines, panel, token)
    else:
        lines, hidden = last_lines(text, limit + _LOOK_BACK)
        limit += not before and len(lines) == limit + 1  # no row that tells of one line
        shown = range(max(0, len(lines) - limit), len(lines))
        hidden += shown.start
        # Of a very long line only the end is looked at.
        longest = (limit + 1) * panel.width * 4
        output = _Output([line[-longest:] for line in lines], panel, token)
        rows = [row for at in shown for row in output.rows(at)][-limit:]
    hidden += before
    return JoinedLines([panel.hint(hidden, "earlier"), rows]) if hidden else rows


def head_rows(text: str, panel: Panel, token: str = "toolOutput", limit: int = COLLAPSED) -> Sequence[Line]:
    """The beginning of an output."""
    lines, hidden = first_lines(text, EXPANDED if panel.expanded else limit)
    if hidden == 1 and not panel.expanded:
        limit += 1
        lines, hidden = first_lines(text, limit)
    rows: Sequence[Line] = output_rows(lines, panel, token)
    if not panel.expanded and len(rows) > limit * 2:
        rows = rows[: limit * 2]
        hidden = max(hidden, 1)
    return JoinedLines([rows, panel.hint(hidden)]) if hidden else rows


def reason_rows(text: str, panel: Panel) -> list[Line]:
    """Why something failed: prose."""
    lines, hidden = first_lines(text, _REASON_LINES if panel.expanded else COLLAPSED)
    rows = [row for line in lines for row in panel.words(plain_line(clipped(line)), "error")]
    return [*rows, *panel.hint(hidden)] if hidden else rows


def output_rows(lines: Sequence[str], panel: Panel, token: str) -> Sequence[Line]:
    """Lines as a terminal would show them."""
    output = _Output([clipped(line) for line in lines], panel, token)
    counts = [rows_of(line, panel.room, TERMINAL_TAB_WIDTH) for line in plain_lines(output.lines)]
    return LazyRows(counts, output.rows)


class _Output:
    """Raw lines, each of which can be drawn by itself: colours that lines before it left on are looked up."""

    def __init__(self, lines: Sequence[str], panel: Panel, token: str) -> None:
        self.lines = lines
        self._panel = panel
        self._base = panel.style(token)

    def rows(self, at: int) -> list[Line]:
        """The rows of a line."""
        runs = self._parser(at).runs(self.lines[at], self._base)
        return self._panel.rows(runs, tab=TERMINAL_TAB_WIDTH)

    def _parser(self, at: int) -> SgrParser:
        """A parser in the state in which the line begins."""
        before: list[str] = []
        for line in reversed(self.lines[max(0, at - _LOOK_BACK) : at]):
            if "\x1b[" not in line:
                continue
            reset = max(map(line.rfind, _RESETS))
            before.append(line[max(0, reset) :])
            if reset >= 0:
                break
        parser = SgrParser()
        for line in reversed(before):
            parser.skip(line)
        return parser
