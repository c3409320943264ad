"""A document on the screen: two rules with as many rows of text between them as there is room for.

Only rows that look different are painted again: one row for a typed character. The rules are drawn as
rows of the widget and not as a border, which would be painted with every row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.geometry import Offset, Region, Size
from textual.strip import Strip
from textual.widget import Widget

from pi_term.tui.widgets.editor.buffer import Position
from pi_term.tui.widgets.editor.document import Document
from pi_term.tui.widgets.editor.paint import MARGIN, Palette, RowView, paint_row, paint_rule

_RULES = 2
_SEARCHING = "Type to search"
_BLANK = RowView("", None)


class DocumentView(Widget, can_focus=True):
    """Shows a `Document` and its cursor; `settle` follows what happened to it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "editor--rule",
        "editor--cursor",
        "editor--block",
        "editor--placeholder",
    }
    ALLOW_SELECT = False

    def __init__(self, placeholder: str, id: str | None, classes: str | None) -> None:
        super().__init__(id=id, classes=classes)
        self.document = Document()
        self._placeholder = placeholder
        self._ghost = ""
        self._title = ""
        self._padding = 0
        self._hardware_cursor = False
        self._palette: Palette | None = None
        self._rule_colour = ""
        self._top = 0
        self._room = 1
        self._views: list[RowView] = [_BLANK]
        self._notes = ("", "")
        self._cursor_cell = Offset(0, 0)

    @property
    def placeholder(self) -> str:
        """What an empty editor shows."""
        return self._placeholder

    @placeholder.setter
    def placeholder(self, placeholder: str) -> None:
        self._placeholder = placeholder
        self.settle()

    @property
    def rule_colour(self) -> str:
        """The colour of the rules, as Rich names colours; "" for that of the style sheet."""
        return self._rule_colour

    @rule_colour.setter
    def rule_colour(self, colour: str) -> None:
        if colour != self._rule_colour:
            self._rule_colour = colour
            self._palette = None
            self._refresh_rows([0, self.size.height - 1])

    @property
    def ghost(self) -> str:
        """What is shown behind the text, as long as the cursor is at its end: what may be typed next."""
        return self._ghost

    @ghost.setter
    def ghost(self, ghost: str) -> None:
        if ghost != self._ghost:
            self._ghost = ghost
            DocumentView.settle(self)

    @property
    def title(self) -> str:
        """What the upper rule says of the text."""
        return self._title

    @title.setter
    def title(self, title: str) -> None:
        if title != self._title:
            self._title = title
            DocumentView.settle(self)

    def set_padding(self, cells: int) -> None:
        """Leave cells free at both sides of the text."""
        if cells != self._padding:
            self._padding = cells
            self.refresh(layout=True)
            DocumentView.settle(self)

    def use_hardware_cursor(self, wanted: bool) -> None:
        """Show the terminal's own cursor instead of a drawn one, as some input methods need it."""
        if wanted == self._hardware_cursor:
            return
        if wanted:
            # The terminal comes back from another program with its cursor hidden.
            resumed = self.app.app_resume_signal
            resumed.subscribe(self, lambda _: self._show_hardware_cursor(), immediate=True)
        self._hardware_cursor = wanted
        self._palette = None
        self._show_hardware_cursor(hide=not wanted)
        self.refresh()

    def _show_hardware_cursor(self, *, hide: bool = False) -> None:
        """Show or hide the terminal's cursor; the program has hidden it, and does when it comes back."""
        driver = self.app._driver if self.is_attached else None
        if driver is not None and (self._hardware_cursor or hide):
            driver.write("\x1b[?25h" if self.has_focus and not hide else "\x1b[?25l")

    @property
    def _margin(self) -> int:
        return MARGIN + self._padding

    @property
    def rows_in_sight(self) -> int:
        """Rows of text that are shown at the same time."""
        return self._room

    def settle(self, *, follow: bool = True) -> None:
        """Bring the screen up to date; with `follow`, the cursor's row stays in sight."""
        room = self._rows_wanted()
        if room != self._room:
            self.refresh(layout=True)
        before, notes = self._views, self._notes
        self._arrange(room, follow=follow)
        dirty = [y for y, view in enumerate(self._views, 1) if y > len(before) or before[y - 1] != view]
        if notes != self._notes:
            dirty += [0, self.size.height - 1]
        self._refresh_rows(dirty)
        self._publish_cursor()

    def position_at(self, x: int, y: int) -> Position:
        """The place in the text under a cell of this widget."""
        layout = self.document.layout
        row = min(max(self._top + y - 1, 0), layout.row_count - 1)
        return layout.position_at(row, max(x - self._margin, 0))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._fit(width)
        return self._rows_wanted() + _RULES

    def render_lines(self, crop: Region) -> list[Strip]:
        # Moving or resizing the widget paints it, and the terminal's cursor has to come along.
        self._fit(self.size.width)
        self._publish_cursor()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        palette = self._palette = self._palette or self._make_palette()
        width, height = self.size
        if y in (0, height - 1):
            return paint_rule(width, self._notes[bool(y)], palette.rule)
        view = self._views[y - 1] if y <= len(self._views) else _BLANK
        return paint_row(view, self.document.layout, palette, width, self._margin)

    def notify_style_update(self) -> None:
        self._palette = None
        super().notify_style_update()

    def _on_resize(self, event: events.Resize) -> None:
        self.settle()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show or hide the cursor."""
        super().watch_has_focus(has_focus)
        self._show_hardware_cursor()
        self.settle()

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scroll_by(-1, event)

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._scroll_by(1, event)

    def _refresh_rows(self, rows: Sequence[int]) -> None:
        if rows:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in rows))

    def _scroll_by(self, rows: int, event: events.MouseEvent) -> None:
        hidden = self.document.layout.row_count - self._room
        if hidden > 0:
            event.stop()
            event.prevent_default()
            self._top = min(max(self._top + rows, 0), hidden)
            self.settle(follow=False)

    def _fit(self, width: int) -> None:
        """Lay the text out for `width` cells and the rows there is room for, if it is not."""
        layout = self.document.layout
        before = layout.width
        if width:
            layout.width = width - 2 * self._margin
        room = self._rows_wanted()
        if layout.width != before or room != self._room:
            self._arrange(room, follow=True)

    def _rows_wanted(self) -> int:
        """The rows of the text, at most a third of the screen with the rules, at least a few."""
        screen = self.app.size.height if self.is_attached else 0
        limit = max(screen // 3 - _RULES, min(3, screen // 4), 1)
        return min(self.document.layout.row_count, limit)

    def _arrange(self, room: int, *, follow: bool) -> None:
        """Decide which rows are in sight and how each looks."""
        layout, cursor = self.document.layout, self.document.buffer.cursor
        cursor_row, cell = layout.locate(cursor)
        total = layout.row_count
        self._room = room
        if follow:
            self._top = min(max(self._top, cursor_row - room + 1), cursor_row)
        self._top = min(self._top, total - room)
        lines = self.document.buffer.lines
        self._views = []
        for number in range(self._top, self._top + room):
            line, start, end = layout.row(number)
            at = cursor.column - start if number == cursor_row and self.has_focus else None
            self._views.append(RowView(lines[line][start:end], at))
        # What has a title is empty only while it is to be searched.
        placeholder = _SEARCHING if self._title else self._placeholder
        if self.document.is_empty and placeholder:
            self._views[0] = self._views[0]._replace(placeholder=placeholder)
        elif self._ghost and cursor == self.document.buffer.end and self.has_focus:
            self._views[-1] = self._views[-1]._replace(placeholder=self._ghost)
        below = total - self._top - room
        above = " · ".join(filter(None, (self._title, _more("↑", self._top))))
        self._notes = (above, _more("↓", below))
        self._cursor_cell = Offset(self._margin + cell, 1 + cursor_row - self._top)

    def _publish_cursor(self) -> None:
        """Tell the terminal where input methods should appear."""
        if self.has_focus and self.is_attached:
            self.app.cursor_position = self.content_region.offset + self._cursor_cell

    def _make_palette(self) -> Palette:
        style = self.get_component_rich_style
        return Palette(
            text=self.rich_style,
            cursor=Style() if self._hardware_cursor else style("editor--cursor"),
            block=style("editor--block"),
            placeholder=style("editor--placeholder"),
            rule=style("editor--rule") + Style(color=self._rule_colour or None),
        )


def _more(arrow: str, rows: int) -> str:
    return f"{arrow} {rows} more" if rows > 0 else ""
