"""A difference as rows: in short or whole, side by side where there is room."""

from __future__ import annotations

from collections.abc import Sequence

from pi_term.render.diff.columns import Columns
from pi_term.render.diff.groups import Changes
from pi_term.render.diff.look import DiffColours, DiffLook
from pi_term.render.diff.model import Diff
from pi_term.render.diff.unified import Unified
from pi_term.render.highlight import lexer_for_file
from pi_term.render.joined import JoinedLines
from pi_term.render.line import Line
from pi_term.render.tools.code import file_name
from pi_term.render.tools.panel import Panel

SIDE_BY_SIDE = 140
"""Cells from which on old and new lines stand side by side."""
SHORT = 16
"""Lines (or pairs of them) that are shown of a difference in short."""


class DiffView:
    """One difference; what was found out about it is kept, whatever size it is drawn in."""

    def __init__(self, diff: Diff, path: str) -> None:
        self._diff = diff
        self.colours = DiffColours(diff.lines, lexer_for_file(file_name(path)))
        self._changes = Changes(diff.lines)
        highest = max((max(line.old or 0, line.new or 0) for line in diff.lines), default=0)
        self._digits = len(str(highest or ""))

    def rows(self, panel: Panel) -> Sequence[Line]:
        """The rows, and how many lines are not among them."""
        if not self._diff.lines:
            return []
        look = DiffLook(self._diff.lines, self._digits, self.colours, self._changes, panel)
        both = self._diff.added and self._diff.removed
        drawn = Columns(look) if both and panel.width >= SIDE_BY_SIDE else Unified(look)
        hidden = self._diff.hidden
        if panel.expanded:
            rows = drawn.rows()
        else:
            rows, shown = drawn.first(SHORT + self._has_one_more)
            hidden += len(self._diff.lines) - shown
        return JoinedLines([rows, panel.hint(hidden)]) if hidden else rows

    @property
    def _has_one_more(self) -> bool:
        """Whether the row that tells of what is hidden would hide but one line."""
        return not self._diff.hidden and len(self._diff.lines) == SHORT + 1
