"""A list over the whole screen, with a search and a preview of what is selected."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.geometry import Size

from pi_term.base.dataclass import dataclass
from pi_term.render.line import Line
from pi_term.tui.actions import BY_ID
from pi_term.tui.background import after
from pi_term.tui.keymap.resolver import KeyResolver, Match, Pending
from pi_term.tui.line_input import LineInput
from pi_term.tui.looks import Looks
from pi_term.tui.screens.browser_layout import Layout, body, hint_rows, rows_for_help, selected
from pi_term.tui.screens.overlay import Overlay
from pi_term.tui.text import Span, ends, line_of, place_text
from pi_term.tui.widgets.rows import FullRows

R = TypeVar("R")
_LATER = 0.03  # seconds that a row is selected before its preview is made
_WHEEL = 3  # rows


@dataclass(slots=True)
class Prompt:
    """A question that is answered in the line of the search; `done` gets the text, if it was not closed."""

    title: str
    input: LineInput | None  # None: only yes or no
    done: Callable[[str], None]


class BrowserScreen(Overlay[R | None]):
    """Dismissed with what was chosen, or None when closed. Only the rows that are seen are made."""

    BINDINGS = []
    CONTEXTS: ClassVar[tuple[str, ...]] = ("browse", "select")

    def __init__(self, looks: Looks) -> None:
        super().__init__()
        self.theme_colours = looks.theme
        self.keys = KeyResolver(looks.keys)
        self.at = 0
        self.query_text = ""
        self.note = ""
        self._canvas = FullRows(id="browser")
        self._edits = KeyResolver(looks.keys)
        self._prompt: Prompt | None = None
        self._first = 0  # of the rows that are seen
        self._early: list[events.Key | events.Paste] | None = []  # typed before there were rows
        self._layout = Layout(0, 0, 0, 0, beside=False)
        self._painted_for = Size(0, 0)
        self._head = 0  # rows above the list
        self._seen: Sequence[Line] = ()  # of the preview
        self._seen_of: object = None
        self._seen_first = 0
        self._preview_timer: asyncio.TimerHandle | None = None

    # --- what the list is about

    @property
    @abstractmethod
    def count(self) -> int:
        """How many rows there are."""

    @abstractmethod
    def heading(self, width: int) -> list[Line]:
        """The rows above the search."""

    @abstractmethod
    def row(self, place: int, width: int, ground: str | None) -> Line:
        """One row, on a ground of the theme if it is selected."""

    @abstractmethod
    def nothing(self) -> str:
        """What is said where there are no rows."""

    @abstractmethod
    def subject(self) -> object:
        """What is previewed; what is equal looks the same."""

    @abstractmethod
    def start_preview(self, width: int) -> None:
        """Make the preview of the subject, `width` cells wide, and call `show_preview`."""

    @abstractmethod
    def searched(self) -> None:
        """Another text is searched for."""

    @abstractmethod
    def confirm(self) -> None:
        """The selected row was chosen."""

    def preview_label(self) -> str:
        """What is previewed, in a few words."""
        return ""

    def titled(self, text: str, *, more: bool = False) -> list[Span]:
        """The beginning of the heading: what the list is about, which row is selected, and of how many.

        `more` of them may come.
        """
        theme = self.theme_colours
        place = place_text(self.at, self.count, more=more)
        return [(f"{text} ", theme.style("accent", bold=True)), (place, theme.style("muted"))]

    # --- drawing

    def compose(self) -> ComposeResult:
        self.paint()  # before anything is on the screen, so that the first picture is a whole one
        yield self._canvas

    def on_resize(self) -> None:
        if self._painted_for != self.app.size:  # the first one tells nothing new
            self._seen_of = None
            self.paint()

    def follow_looks(self, looks: Looks) -> None:
        """Show the same in other colours, and listen to other keys."""
        self.theme_colours = looks.theme
        self.keys.table = self._edits.table = looks.keys
        self._seen_of = None
        self.paint()

    def ready(self) -> None:
        """The rows are there: what was typed meanwhile counts now."""
        early, self._early = self._early or [], None
        if self._canvas.is_attached:  # else it is about to be painted
            self.paint()
        for event in early:
            if isinstance(event, events.Key):
                self.on_key(event)
            else:
                self.on_paste(event)

    def paint(self) -> None:
        """Bring the screen up to date; what is the same is not painted again."""
        if not self.is_attached:
            return
        self._painted_for = self.app.size
        width, height = max(20, self.app.size.width), max(6, self.app.size.height)
        head = [*self.heading(width), self._search_line(width)]
        head.append(line_of(("─" * width, self.theme_colours.style("borderMuted"))))
        self._head = len(head)
        foot = self._foot(width, height)
        self._layout = layout = Layout.of(width, height - len(head) - len(foot))
        self.at = max(0, min(self.at, self.count - 1))
        self._scroll(layout.rows)
        rows = [self._drawn(place, layout) for place in self._visible(layout.rows)]
        if not rows:
            rows = [line_of((f"  {self.nothing()}", self.theme_colours.style("muted")))]
        preview = list(self._seen[self._seen_first :]) if self._seen_of == self.subject() else []
        lines = body(layout, rows, preview, self.theme_colours, self.preview_label())
        self._canvas.show([*head, *lines, *foot])
        self._plan_preview()

    def _drawn(self, place: int, layout: Layout) -> Line:
        chosen = place == self.at
        ground = "selectedBg" if chosen else None
        mark = ("→ " if chosen else "  ", self.theme_colours.style("accent", ground))
        line = self.row(place, layout.width - 3, ground)
        row = Line((Segment(*mark), *line.segments), line.source_text)
        return selected(row, self.theme_colours, layout.width) if chosen else row

    def _visible(self, rows: int) -> range:
        return range(self._first, min(self._first + rows, self.count))

    def _scroll(self, rows: int) -> None:
        """Keep the selected row in sight, with some rows around it."""
        margin = min(3, max(0, (rows - 1) // 2))
        first = min(self._first, self.at - margin)
        first = max(first, self.at - rows + 1 + margin)
        self._first = max(0, min(first, self.count - rows))

    def _search_line(self, width: int) -> Line:
        theme = self.theme_colours
        if self._prompt is None:
            text, title = f"{self.query_text}▏", "> "
        else:
            title = self._prompt.title + " "
            text = self._prompt.input.shown if self._prompt.input is not None else ""
        return ends([(title, theme.style("accent")), (text, theme.style("text"))], [], width)

    def _foot(self, width: int, height: int) -> list[Line]:
        theme = self.theme_colours
        if self.note:
            return [ends([(self.note, theme.style("warning"))], [], width)]
        hints = [f"{key} {what}" for key, what in self.hints() if key]
        told = hint_rows(hints, width - 2, max(1, rows_for_help(height)))
        return [ends([(row, theme.style("dim"))], [], width) for row in told]

    def hints(self) -> list[tuple[str, str]]:
        """Keys and what they do, for the last row."""
        if self._prompt is not None:
            return [
                (self.hint("tui.select.confirm"), "confirms"),
                (self.hint("tui.select.cancel"), "cancels"),
            ]
        return [
            (self.hint("tui.select.confirm"), "opens"),
            (self.hint("tui.select.cancel"), "closes"),
            (self.hint("app.browse.previewDown"), "scrolls the preview"),
        ]

    def hint(self, action_id: str) -> str:
        """The key of an action as hints name it."""
        return self.keys.hint(action_id)

    # --- the preview

    def show_preview(self, subject: object, lines: Sequence[Line]) -> None:
        """The preview of a subject is there; if that is not selected any more, it is dropped."""
        if subject == self.subject():
            self._seen, self._seen_of, self._seen_first = lines, subject, 0
            self.paint()

    def _plan_preview(self) -> None:
        if not self._layout.preview_rows or self._seen_of == self.subject() or not self.count:
            return
        if self._preview_timer is not None:
            self._preview_timer.cancel()
        self._preview_timer = after(self, _LATER, self._make_preview)

    def _make_preview(self) -> None:
        self._preview_timer = None
        if self.count:
            self.start_preview(max(10, self._layout.preview_width))

    def _scroll_preview(self, rows: int) -> None:
        most = max(0, len(self._seen) - self._layout.preview_rows + 1)
        self._seen_first = max(0, min(most, self._seen_first + rows))
        self.paint()

    # --- keys and mouse

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if self._early is not None and not self._closes(event):
            self._early.append(event)
        elif self._prompt is not None:
            self._answer(self._prompt, event)
        elif not self._act(event):
            self._type(event)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if self._early is not None:
            self._early.append(event)
        elif self._prompt is not None and self._prompt.input is not None:
            self._prompt.input.insert(event.text)
            self.paint()
        elif self._prompt is None:
            self._search(self.query_text + " ".join(event.text.split()))

    def _closes(self, event: events.Key) -> bool:
        found = self.keys.resolve(("select",), event.key)
        return isinstance(found, Match) and found.action_id == "tui.select.cancel"

    def _act(self, event: events.Key) -> bool:
        """Carry out what the key is bound to; False for one that types."""
        found = self.keys.resolve(self.CONTEXTS, event.key)
        if isinstance(found, Match):
            self.note = ""
            getattr(self, BY_ID[found.action_id].handler)()
            self.paint()
            return True
        if found is None:
            found = self._edits.resolve(("app",), event.key)
            if isinstance(found, Match) and "app.message.copy" in found.action_ids:
                self.copy_selected()
                return True
        return isinstance(found, Pending)

    def copy_selected(self) -> None:
        """Copy what is selected."""

    def _type(self, event: events.Key) -> None:
        line = LineInput(self._edits, self.query_text)
        if line.press(event) and line.text != self.query_text:
            self._search(line.text)

    def _search(self, text: str) -> None:
        self.query_text, self.note = text, ""
        self.searched()
        self.paint()

    def ask(self, title: str, done: Callable[[str], None], text: str | None = "") -> None:
        """Ask for a line of text, begun with `text`; None: only for a yes."""
        line = None if text is None else LineInput(self._edits, text)
        self._prompt = Prompt(title, line, done)
        self.paint()

    def _answer(self, prompt: Prompt, event: events.Key) -> None:
        found = self.keys.resolve(("select",), event.key)
        action = found.action_id if isinstance(found, Match) else ""
        if action in ("tui.select.confirm", "tui.select.cancel"):
            self._prompt = None
            if action == "tui.select.confirm":
                prompt.done(prompt.input.text if prompt.input is not None else "")
        elif prompt.input is not None:
            prompt.input.press(event)
        self.paint()

    def on_click(self, event: events.Click) -> None:
        """Select a row; a double click chooses it."""
        place = self._first + event.screen_offset.y - self._head
        inside = event.screen_offset.x < self._layout.width
        if self._prompt is None and inside and place in self._visible(self._layout.rows):
            chosen, self.at = place == self.at, place
            self.paint()
            if chosen and event.chain >= 2:
                self.confirm()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Go up, or scroll the preview."""
        self._wheel(event, -_WHEEL)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Go down, or scroll the preview."""
        self._wheel(event, _WHEEL)

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        event.stop()
        layout, x, y = self._layout, event.screen_offset.x, event.screen_offset.y - self._head
        if (x >= layout.width) if layout.beside else (y > layout.rows):
            self._scroll_preview(rows)
        else:
            self.move(rows)

    # --- actions

    def move(self, by: int, *, wrap: bool = False) -> None:
        """Select another row."""
        if self.count:
            at = self.at + by
            self.at = at % self.count if wrap else max(0, min(self.count - 1, at))
            self.paint()

    def action_select_up(self) -> None:
        self.move(-1, wrap=True)

    def action_select_down(self) -> None:
        self.move(1, wrap=True)

    def action_select_page_up(self) -> None:
        self.move(-max(1, self._layout.rows - 1))

    def action_select_page_down(self) -> None:
        self.move(max(1, self._layout.rows - 1))

    def action_browse_first(self) -> None:
        self.move(-self.count)

    def action_browse_last(self) -> None:
        self.move(self.count)

    def action_preview_up(self) -> None:
        self._scroll_preview(-max(1, self._layout.preview_rows // 2))

    def action_preview_down(self) -> None:
        self._scroll_preview(max(1, self._layout.preview_rows // 2))

    def action_select_confirm(self) -> None:
        if self.count:
            self.confirm()

    def action_select_cancel(self) -> None:
        """Leave the search; without one, close."""
        if self.query_text:
            self._search("")
        else:
            self.dismiss(None)
