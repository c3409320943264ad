"""The title of a dialog: wrapped where the screen is narrow, so that the question is read whole."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style

from pi_term.base.sanitize import sanitize
from pi_term.render.line import Line
from pi_term.render.margin import Margin, to_lines
from pi_term.render.wrap import wrap_runs
from pi_term.tui.text import line_of


def title_rows(parts: Sequence[tuple[str, Style]], width: int, most: int) -> list[Line]:
    """The rows of lines of text with their styles, at most `most`; an ellipsis says that there is more."""
    rows: list[Line] = []
    for text, style in parts:
        margin = Margin.of_mark(Segment(" "), width)
        rows += to_lines(wrap_runs([(sanitize(text), style)], width - margin.cells - 1), margin)
    if len(rows) <= most:
        return rows
    return [*rows[: max(0, most - 1)], line_of((" …", parts[-1][1]))]
