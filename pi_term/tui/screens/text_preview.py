"""Plain text and differences as rows of a preview. Rows may take a while: for worker threads."""

from __future__ import annotations

from collections.abc import Sequence

from pi_term.base.sanitize import sanitize
from pi_term.render.line import Line, ViewOptions
from pi_term.render.margin import Margin, to_lines
from pi_term.render.theme import Theme
from pi_term.render.wrap import wrap_runs
from pi_term.tui.text import Span

_MOST = 200_000  # characters
_MOST_LINES = 2_000


def text_rows(text: str, width: int, theme: Theme) -> list[Line]:
    """A text as it is, wrapped; of a very long one the beginning."""
    style = theme.style("text")
    rows = to_lines(wrap_runs([(sanitize(text[:_MOST]), style)], width), Margin())
    if len(text) > _MOST:
        more = f"… {len(text) - _MOST:,} more characters"
        rows += to_lines(wrap_runs([(more, theme.style("muted"))], width), Margin())
    return rows


def line_counts(added: int, removed: int, theme: Theme, ground: str | None = None) -> list[Span]:
    """How many lines come and go with a difference."""
    if not added and not removed:
        return []
    return [
        (f"+{added} ", theme.style("toolDiffAdded", ground)),
        (f"-{removed}", theme.style("toolDiffRemoved", ground)),
    ]


def diff_rows(text: str, path: str, width: int, theme: Theme) -> Sequence[Line]:
    """A difference in the form of an edit's `details.diff`."""
    from pi_term.render.diff.model import diff_of_text
    from pi_term.render.diff.view import DiffView
    from pi_term.render.tools.panel import Panel

    panel = Panel(width, ViewOptions(theme, expanded=True), "toolSuccessBg")
    return list(DiffView(diff_of_text(text, _MOST_LINES), path).rows(panel))
