"""The half of the transcript that keys select in: a cursor is shown, and what it selects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.style import Style

from pi_term.tui.widgets.transcript.paint import with_cells
from pi_term.tui.widgets.transcript.search_view import SearchView
from pi_term.tui.widgets.transcript.selecting import place_of

if TYPE_CHECKING:
    from textual.selection import Selection
    from textual.strip import Strip

    from pi_term.render.line import Block, Line
    from pi_term.tui.widgets.transcript.caret import Caret
    from pi_term.tui.widgets.transcript.items import Item
    from pi_term.tui.widgets.transcript.paint import Palette

_CARET = Style(reverse=True)


class CaretView(SearchView, can_focus=False, inherit_bindings=False):
    """Blocks in which text can be selected with keys."""

    _caret: Caret | None = None

    def begin_marking(self) -> bool:
        """Show a cursor in the lowest row that has text; whether there is one."""
        from pi_term.tui.widgets.transcript.caret import Caret

        for item, line in reversed(self._shown):
            if self._store.render(item).lines[line].source_text.strip():
                self._caret = Caret(self._items, self._store, item, line)
                self._show()
                return True
        return False

    def end_marking(self) -> None:
        """Show no cursor any more. What is selected stays."""
        self._caret = None
        self._show()

    def toggle_mark(self) -> None:
        """Begin to select at the cursor, or select nothing."""
        self._move(lambda caret: caret.set_mark())

    def begin_mark(self) -> None:
        """Begin to select at the cursor, if nothing is selected yet."""
        self._move(lambda caret: caret.set_mark() if caret.mark is None else None)

    def move_rows(self, count: int) -> None:
        """Move the cursor up (negative) or down."""
        self._move(lambda caret: caret.move_rows(count))

    def move_pages(self, count: int) -> None:
        """Move the cursor by views."""
        self.move_rows(count * max(1, self.size.height - 2))

    def move_characters(self, count: int) -> None:
        """Move the cursor left (negative) or right."""
        self._move(lambda caret: caret.move_characters(count))

    def move_words(self, count: int) -> None:
        """Move the cursor by words."""
        self._move(lambda caret: caret.move_words(count))

    def move_in_row(self, *, end: bool) -> None:
        """Move the cursor to the beginning or the end of its row."""
        self._move(lambda caret: caret.move_to_end(end=end))

    def move_to_edge(self, *, end: bool) -> None:
        """Move the cursor to the oldest or the newest row that is there."""
        item = self._items.last if end else self._items.first
        if item is not None:
            line = self._store.measure(item) - 1 if end else 0
            self._move(lambda caret: caret.go_to(item, line))

    def select_row(self) -> None:
        """Select all of the row the cursor is in."""

        def whole(caret: Caret) -> None:
            caret.move_to_end(end=False)
            caret.mark = caret.offset
            caret.move_to_end(end=True)

        self._move(whole)

    @property
    def caret_block(self) -> Block | None:
        """The block the cursor is in."""
        return None if self._caret is None else self._caret.item.block

    def _move(self, change: Callable[[Caret], object]) -> None:
        caret = self._caret
        if caret is None or self._items.get(caret.item.block.id) is not caret.item:
            return
        change(caret)
        self._select(caret.selection)
        rows = self._viewport.rows()
        if (caret.item, caret.line) in rows:
            self._show()
            return
        above = place_of(caret.item, caret.line) < place_of(*rows[0]) if rows else False
        y = 0 if above else max(0, self.size.height - 1)
        self._act(lambda: self._viewport.go_to(caret.item, caret.line, y=y))

    def _select(self, selection: Selection | None) -> None:
        self.screen.selections = {} if selection is None else {self: selection}

    def _with_matches(
        self, strip: Strip, item: Item, at: int, lines: Sequence[Line], palette: Palette
    ) -> Strip:
        strip = super()._with_matches(strip, item, at, lines, palette)
        caret = self._caret
        if caret is None or caret.item is not item or caret.line != at:
            return strip
        return with_cells(strip, lines[at], *caret.cell, _CARET)
