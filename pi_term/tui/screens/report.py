"""Something to read over the whole screen: rows that scroll, and nothing to choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult

from pi_term.render.line import EMPTY_LINE, Line
from pi_term.tui.actions import BY_ID
from pi_term.tui.keymap.resolver import KeyResolver, Match
from pi_term.tui.looks import Looks
from pi_term.tui.screens.overlay import Overlay
from pi_term.tui.text import Span, ends, line_of
from pi_term.tui.widgets.rows import FullRows

_WHEEL = 3  # rows
_AROUND = 3  # rows that are not for the text


class ReportScreen(Overlay[None]):
    """Shows what `text(width)` gives; `show_again` asks anew. Copying takes all of it."""

    BINDINGS = []

    def __init__(
        self,
        looks: Looks,
        title: str,
        text: Callable[[int], Sequence[Line]],
        copy: Callable[[str], None],
    ) -> None:
        super().__init__()
        self.theme_colours = looks.theme
        self.note = ""
        self._title = title
        self._text = text
        self._copy = copy
        self._canvas = FullRows(id="browser")
        self._keys = KeyResolver(looks.keys)
        self._lines: Sequence[Line] = ()
        self._first = 0

    def compose(self) -> ComposeResult:
        self.show_again()
        yield self._canvas

    def on_mount(self) -> None:
        self.show_again()

    def on_resize(self) -> None:
        self.show_again()

    def follow_looks(self, looks: Looks) -> None:
        """Show the same in other colours, and listen to other keys."""
        self.theme_colours = looks.theme
        self._keys.table = looks.keys
        self.show_again()

    def show_again(self) -> None:
        """Show what there is to be read now."""
        if self.is_attached:
            self._lines = self._text(max(20, self.app.size.width - 3))
            self._paint()

    @property
    def _height(self) -> int:
        return max(1, self.app.size.height - _AROUND)

    def _paint(self) -> None:
        theme, width, height = self.theme_colours, max(20, self.app.size.width), self._height
        self._first = max(0, min(self._first, len(self._lines) - height))
        shown = list(self._lines[self._first : self._first + height])
        rows = [_indented(line) for line in shown]
        rows += [EMPTY_LINE] * (height - len(rows))
        title = ends([(self._title, theme.style("accent", bold=True))], self._position(), width)
        rule = line_of(("─" * width, theme.style("borderMuted")))
        hint = self._keys.hint
        told = self.note or (
            f"{hint('tui.select.cancel')} closes · {hint('tui.select.pageDown')} scrolls"
            f" · {hint('app.message.copy')} copies"
        )
        foot = ends([(told, theme.style("dim"))], [], width)
        self._canvas.show([title, rule, *rows, foot])

    def _position(self) -> list[Span]:
        last = self._first + self._height
        if len(self._lines) <= self._height:
            return []
        share = min(100, round(100 * last / len(self._lines)))
        return [(f"{share} %", self.theme_colours.style("dim"))]

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        found = self._keys.resolve(("browse", "select"), event.key)
        if isinstance(found, Match):
            handler = getattr(self, BY_ID[found.action_id].handler, None)
            if handler is not None:
                handler()
            return
        found = self._keys.resolve(("app",), event.key)
        if isinstance(found, Match) and "app.message.copy" in found.action_ids:
            self._copy("\n".join(line.source_text.rstrip() for line in self._lines))
            self.note = "Copied."
            self._paint()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self._scroll(-_WHEEL)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self._scroll(_WHEEL)

    def _scroll(self, rows: int) -> None:
        self._first += rows
        self._paint()

    def action_select_up(self) -> None:
        self._scroll(-1)

    def action_select_down(self) -> None:
        self._scroll(1)

    def action_select_page_up(self) -> None:
        self._scroll(1 - self._height)

    def action_select_page_down(self) -> None:
        self._scroll(self._height - 1)

    def action_preview_up(self) -> None:
        self.action_select_page_up()

    def action_preview_down(self) -> None:
        self.action_select_page_down()

    def action_browse_first(self) -> None:
        self._scroll(-len(self._lines))

    def action_browse_last(self) -> None:
        self._scroll(len(self._lines))

    def action_select_confirm(self) -> None:
        self.dismiss(None)

    def action_select_cancel(self) -> None:
        self.dismiss(None)


def _indented(line: Line) -> Line:
    return Line((Segment(" "), *line.segments), line.source_text)
