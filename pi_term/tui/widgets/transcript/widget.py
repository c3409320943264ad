"""The transcript as the screen uses it: the view with mouse, selection and jumps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import events
from textual.geometry import Offset
from textual.selection import SelectEnd, Selection

from pi_term.tui.widgets.transcript.caret_view import CaretView
from pi_term.tui.widgets.transcript.codes import (
    COPY_CODE,
    code_at,
    code_between,
    may_hold_code,
    rule_rows,
)
from pi_term.tui.widgets.transcript.facts import BlockClicked
from pi_term.tui.widgets.transcript.paint import BAR
from pi_term.tui.widgets.transcript.selecting import (
    LINES,
    Span,
    character_at,
    paragraph_at,
    place_of,
    selected_text,
    with_offsets,
    word_at,
)

if TYPE_CHECKING:
    from textual.strip import Strip

    from pi_term.render.line import Block, Line
    from pi_term.render.theme import Theme
    from pi_term.tui.widgets.transcript.items import Item

WHEEL_LINES = 3
WHEEL_FURTHER = 5
"""How many times further the wheel scrolls with Alt."""
EXPAND = "app.tools.expand"
"""The action of rows that open or close their own block when they are clicked."""
THINKING = "app.thinking.toggle"
"""The action of rows that show or hide the thoughts of their own block."""


class Transcript(CaretView, can_focus=False, inherit_bindings=False):
    """Everything that was said and done, newest at the end.

    Keys reach it through the action table only, so it has no bindings and never takes the focus.
    """

    def __init__(
        self,
        theme: Theme,
        *,
        is_prompt: Callable[[Block], bool],
        clock: Callable[[], float] = time.monotonic,
        expand_key: str = "ctrl+o",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """`is_prompt` tells the blocks that `jump_prompt` goes to; for the rest see `BlockView`."""
        super().__init__(theme, clock=clock, expand_key=expand_key, id=id, classes=classes)
        self._is_prompt = is_prompt
        self.wheel_lines = WHEEL_LINES
        self._grab: int | None = None  # the row of the thumb that the mouse holds
        self._pressed: Offset | None = None
        self._press_deselects = False

    # Text

    def copy_text(self, block_id: str | None = None) -> str:
        """The original text of one block, or of all, with an empty line between blocks."""
        if block_id is not None:
            item = self._items.get(block_id)
            return item.block.copy_text() if item is not None else ""
        texts = (item.block.copy_text() for item in self._items if not item.block.continues)
        return "\n\n".join(text for text in texts if text)

    def selected_text(self) -> str:
        """The selected text as it is copied; empty when nothing is selected."""
        selection = self.text_selection
        found = self.get_selection(selection) if selection is not None else None
        return found[0] if found is not None else ""

    def code_above(self, number: int) -> str | None:
        """The piece of code that is `number` pieces above the lowest one in sight; None if there is none."""
        item: Item | None
        item, below = self._shown[-1] if self._shown else (None, 0)
        while item is not None:
            if may_hold_code(item.block):
                lines = self._store.peek(item)
                rules = rule_rows(lines)
                pairs = [pair for pair in zip(rules[::2], rules[1::2], strict=False) if pair[0] <= below]
                if number < len(pairs):
                    return code_between(lines, *pairs[-1 - number])
                number -= len(pairs)
            item = self._items.before(item)
            below = LINES
        return None

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text of a selection, and what separates it from that of the next widget."""
        if selection.start is None and selection.end is None:
            return self.copy_text(), "\n"
        span = self._resolved(selection)
        if span is None:
            return None
        return selected_text(self._items, span, self._store.peek).strip("\n"), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Repaint the rows whose selected part changed."""
        self._show()

    def render_line(self, y: int) -> Strip:
        """A row for Textual's hit test, which asks it for the place of the character under the mouse."""
        if not self._shown:
            return with_offsets(None, 0)
        item, at = self._shown[min(y, len(self._shown) - 1)]
        return with_offsets(self._store.render(item).lines[at], place_of(item, at))

    def _span(self) -> Span | None:
        selection = self.text_selection
        return self._resolved(selection) if selection is not None else None

    def _resolved(self, selection: Selection) -> Span | None:
        """A selection with both ends.

        An end is open when the mouse left the view: what is meant then is the edge of what can be seen,
        unless everything is selected.
        """
        first, last = self._items.first, self._items.last
        if not self._shown or first is None or last is None:
            return None
        start, end = selection
        if start is None and end is None:
            return Span(Offset(0, place_of(first, 0)), Offset(LINES, place_of(last, LINES - 1)))
        top, bottom = self._shown[0], self._shown[-1]
        return Span(start or Offset(0, place_of(*top)), end or Offset(LINES, place_of(*bottom)))

    def _fit(self) -> bool:
        width = self._shown_size.width
        changed = super()._fit()
        if self._shown_size.width != width and self.text_selection is not None:
            # The rows are other ones now: the selection would mark some other text.
            self.screen.selections = {
                widget: selection
                for widget, selection in self.screen.selections.items()
                if widget is not self
            }
        return changed

    # Jumps

    def jump_prompt(self, direction: int) -> None:
        """Put the user's next prompt (the previous one when negative) at the top of the view."""
        if not self._shown:
            return
        top, at = self._shown[0]
        here = self._is_prompt(top.block)
        if direction < 0:
            item = top if here and at > self._text_line(top) else self._next_prompt(top, self._items.before)
        else:
            item = top if here and at < self._text_line(top) else self._next_prompt(top, self._items.after)
        if item is not None:
            target = item
            self._act(lambda: self._viewport.go_to(target, self._text_line(target)))
        elif direction < 0:
            self._show_first()
        else:
            self.scroll_to_end()

    def _next_prompt(self, item: Item | None, step: Callable[[Item], Item | None]) -> Item | None:
        while item is not None:
            item = step(item)
            if item is not None and self._is_prompt(item.block):
                return item
        return None

    def _text_line(self, item: Item) -> int:
        """The first row of an item that is not empty: blocks begin with an empty one as their spacing."""
        lines = self._store.render(item).lines
        return next((at for at, line in enumerate(lines) if line.source_text.strip()), 0)

    # Mouse

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up a few rows."""
        self._wheel(event, -self.wheel_lines)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down a few rows."""
        self._wheel(event, self.wheel_lines)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the thumb, or put it where the mouse is."""
        self._pressed = event.screen_offset
        self._press_deselects = bool(self.screen.selections)
        bar = self._bar
        if bar is None or event.button != 1 or event.x < self.size.width - BAR:
            return
        event.stop()
        self._keep_selection()
        self.capture_mouse()
        self._grab = event.y - bar.top if bar.covers(event.y) else bar.height // 2
        if not bar.covers(event.y):
            self._drag_to(event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag the thumb."""
        if self._grab is not None:
            event.stop()
            self._drag_to(event.y)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go of the thumb."""
        if self._grab is not None:
            event.stop()
            self._grab = None
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """Go to the end, offer the action of a row, or select a word or a paragraph."""
        event.prevent_default()  # Textual would select the whole transcript at a double click
        if event.button != 1 or event.screen_offset != self._pressed or event.x >= self._look.width:
            return
        if self._on_pill(event.x, event.y):
            self.scroll_to_end()
        elif 0 <= event.y < len(self._shown):
            self._click_row(*self._shown[event.y], event)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Scrolled by Textual, beyond whose edge a selection is dragged: the selection goes along."""
        super().watch_scroll_y(old_value, new_value)
        self._extend_drag()

    def _wheel(self, event: events.MouseScrollUp | events.MouseScrollDown, lines: int) -> None:
        event.stop()
        event.prevent_default()
        self.scroll_lines(lines * WHEEL_FURTHER if event.meta else lines)
        self._extend_drag()

    def _drag_to(self, y: int) -> None:
        """Put the thumb, held at `_grab`, under the mouse."""
        bar, height = self._bar, self.size.height
        if bar is None:
            return
        room = height - bar.height
        at = y - (self._grab or 0)
        if at >= room:
            self.scroll_to_end()
        elif at <= 0:
            self.go_top()
        else:
            row = round(at / room * (self._items.rows - height))
            self._act(lambda: self._viewport.go_to_row(row))

    def _on_pill(self, x: int, y: int) -> bool:
        first = self._look.width - cell_len(self._pill_label())
        return not self.follow and y == self.size.height - 1 and first >= 0 and x >= first

    def _click_row(self, item: Item, at: int, event: events.Click) -> None:
        lines = self._store.render(item).lines
        line = lines[at]
        action = self._action_at(item, line, event.x)
        if event.chain >= 2 and not action:
            x = character_at(line, event.x)
            first, last, span = (
                (at, at, word_at(line, x)) if event.chain == 2 else (*paragraph_at(lines, at), (0, LINES))
            )
            start = Offset(span[0], place_of(item, first))
            self.screen.selections = {self: Selection(start, Offset(span[1], place_of(item, last)))}
            self.post_message(events.TextSelected())
        elif not self._press_deselects:
            if action == EXPAND:
                self.toggle_expanded(item.block.id)
            elif action == THINKING:
                self.toggle_thoughts(item.block.id)
            code = code_at(lines, at) if action == COPY_CODE else None
            self.post_message(BlockClicked(item.block.id, action, code))

    def _action_at(self, item: Item, line: Line, x: int) -> str:
        """What a click does there. Thoughts that are shown are text, but for the bar beside them."""
        action = line.action_ids[0] if line.action_ids else ""
        if action == THINKING and self._look.shows_thoughts(item.block) and x >= line.indent:
            return ""
        return action

    def _keep_selection(self) -> None:
        """Textual took the press on the thumb for the start of a selection."""
        selections = self.screen.selections
        self.screen.clear_selection()
        self.screen.selections = selections

    def _extend_drag(self) -> None:
        """While a selection is dragged and the view scrolls, its end is what came under the mouse.

        Textual looks under the mouse only when the mouse moves, and offers no public way to say so.
        """
        screen = self.screen
        state = screen._select_state
        if not screen._selecting or state is None or state.end is None:
            return
        widget, offset = screen.get_widget_and_offset_at(*self.app.mouse_position)
        if widget is self and offset is not None and state.end.content_widget is self:
            end = SelectEnd(state.end.container, self, offset)
            screen._select_state = state.update_end(state.screen_offset, end)
