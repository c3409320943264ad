"""A text to read: it scrolls, and closes with Escape or Enter."""

from __future__ import annotations

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen

from pi_term.render.line import Line
from pi_term.render.markdown.look import Look
from pi_term.render.markdown.stream import MarkdownStream
from pi_term.render.theme import Theme
from pi_term.tui.actions import BY_ID
from pi_term.tui.keymap.resolver import KeyResolver, Match
from pi_term.tui.keymap.table import KeyTable
from pi_term.tui.text import ends, line_of
from pi_term.tui.widgets.rows import Rows

_FRAME = 4  # rows of the rules, the title and the hint
_STEP = 3  # rows that a step of the wheel scrolls


class PageScreen(ModalScreen[None]):
    """Shows markdown under a title."""

    BINDINGS = []

    def __init__(self, title: str, markdown: str, *, theme: Theme, keys: KeyTable) -> None:
        super().__init__()
        self._title = title
        self._stream = MarkdownStream(markdown, finished=True)
        self._look = Look(theme)
        self._theme = theme
        self._keys = KeyResolver(keys)
        self._top = 0

    def compose(self) -> ComposeResult:
        yield Rows(id="page")

    def on_mount(self) -> None:
        self._paint()

    def on_resize(self) -> None:
        self._paint()

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        found = self._keys.resolve(("select",), event.key)
        if isinstance(found, Match):
            getattr(self, BY_ID[found.action_id].handler)()
        elif event.key == "space":
            self.action_select_page_down()
        elif event.key in ("home", "end"):
            self._go_to(0 if event.key == "home" else len(self._text()))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._go_to(self._top - _STEP)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._go_to(self._top + _STEP)

    def action_select_up(self) -> None:
        self._go_to(self._top - 1)

    def action_select_down(self) -> None:
        self._go_to(self._top + 1)

    def action_select_page_up(self) -> None:
        self._go_to(self._top - self._room())

    def action_select_page_down(self) -> None:
        self._go_to(self._top + self._room())

    def action_select_confirm(self) -> None:
        self.dismiss(None)

    def action_select_cancel(self) -> None:
        self.dismiss(None)

    # --- inside

    def _text(self) -> list[Line]:
        return list(self._stream.lines(max(10, self.app.size.width - 2), self._look))

    def _room(self) -> int:
        return max(1, self.app.size.height - _FRAME)

    def _go_to(self, top: int) -> None:
        self._top = max(0, min(top, len(self._text()) - self._room()))
        self._paint()

    def _paint(self) -> None:
        theme, width, room = self._theme, max(20, self.app.size.width), self._room()
        lines = self._text()
        shown = lines[self._top : self._top + room]
        rule = line_of(("─" * width, theme.style("borderAccent")))
        dim = theme.style("dim")
        end = self._top + len(shown)
        position = f"{end}/{len(lines)}" if len(lines) > room else ""
        self.query_one(Rows).show(
            [
                rule,
                ends([(self._title, theme.style("accent", bold=True))], [(position, dim)], width),
                *(_inset(line) for line in shown),
                ends([("↑ ↓ pgup pgdn scroll · esc closes", dim)], [], width),
                rule,
            ]
        )


def _inset(line: Line) -> Line:
    return Line((Segment(" "), *line.segments), line.source_text)
