"""A widget that shows finished rows, and repaints only when they change."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from pi_term.render.line import Line


class Rows(Widget):
    """Base of header, queue strip, status line and footer: rows in, strips out.

    Its height is the number of rows; a row that stays the same is not painted again.
    """

    DEFAULT_CSS = "Rows { height: auto; width: 1fr; }"
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: tuple[Line, ...] = ()

    def show(self, lines: Sequence[Line]) -> None:
        """Replace the rows."""
        old, self._lines = self._lines, tuple(lines)
        if len(old) != len(self._lines):
            self.refresh(layout=True)
            return
        changed = [y for y, (was, now) in enumerate(zip(old, self._lines, strict=True)) if was != now]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        style = self.rich_style
        segments = self._lines[y].segments if y < len(self._lines) else ()
        strip = Strip([_over(segment, style) for segment in segments])
        return strip.adjust_cell_length(self.size.width, style)


class FullRows(Rows):
    """Rows that fill what holds them: another number of them changes no layout."""

    DEFAULT_CSS = "FullRows { height: 100%; }"

    def show(self, lines: Sequence[Line]) -> None:
        old, self._lines = self._lines, tuple(lines)
        if not self.is_attached:  # what is mounted is painted anyway
            return
        if len(old) != len(self._lines):
            self.refresh()
            return
        changed = [y for y, (was, now) in enumerate(zip(old, self._lines, strict=True)) if was != now]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))


def _over(segment: Segment, base: Style) -> Segment:
    return Segment(segment.text, base + segment.style if segment.style else base)
