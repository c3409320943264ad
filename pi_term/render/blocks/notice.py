"""Notices: what the program itself has to say."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from pi_term.base.diagnostics import Severity
from pi_term.base.sanitize import sanitize
from pi_term.render.blocks.base import GUTTER, BaseBlock, estimate_rows
from pi_term.render.line import EMPTY_LINE, Line, ViewOptions
from pi_term.render.margin import Margin, to_lines
from pi_term.render.wrap import wrap_runs

_LOOKS = {"info": ("·", "muted"), "warning": ("!", "warning"), "error": ("✗", "error")}


class NoticeBlock(BaseBlock):
    """A line or two of information, warning or error; an unknown level counts as information."""

    __slots__ = ("_level", "_text")

    def __init__(self, text: str, level: Severity | str = "info", *, id: str | None = None) -> None:
        super().__init__(id)
        self._text = text
        self._level = level if level in _LOOKS else "info"

    def copy_text(self) -> str:
        return self._text

    def estimate_height(self, width: int) -> int:
        return 1 + estimate_rows(self._text, width - GUTTER)

    def _draw(self, width: int, view: ViewOptions) -> Sequence[Line]:
        mark, token = _LOOKS[self._level]
        style = view.theme.style(token)
        margin = Margin.of_mark(Segment(f"{mark} ", style), width)
        text = sanitize(self._text).strip("\n")
        rows = wrap_runs([(text, style)], width - margin.cells)
        return [EMPTY_LINE, *to_lines(rows, margin)]
