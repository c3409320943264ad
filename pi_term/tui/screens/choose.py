"""A list to choose from: type to narrow it, the best match is the selected one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen

from pi_term.base.sanitize import sanitize
from pi_term.render.line import Line
from pi_term.render.theme import Theme
from pi_term.tui.actions import BY_ID
from pi_term.tui.background import run_in_background
from pi_term.tui.choices import Choice
from pi_term.tui.fuzzy import best_matches
from pi_term.tui.keymap.resolver import KeyResolver, Match
from pi_term.tui.keymap.table import KeyTable
from pi_term.tui.line_input import LineInput
from pi_term.tui.screens.browser_layout import hint_rows
from pi_term.tui.screens.countdown import Countdown
from pi_term.tui.screens.overlay import Overlay
from pi_term.tui.screens.title_rows import title_rows
from pi_term.tui.text import Span, ends, fit, line_of, place_text, spans_width
from pi_term.tui.widgets.rows import Rows

_MOST_ROWS = 12
_LEAST_ROWS = 3
_FRAME = 3  # rows of rules and hints around title, query and list
_FOR_LIST = 7  # rows of the screen that a long title leaves
_GAP = 2  # cells before what stands at the edge
_AT_ONCE = 500  # choices that are searched before the next frame; more of them beside the keys


class ChooseScreen(Overlay[str | None], ModalScreen[str | None]):
    """Dismissed with the value of the choice, or None when closed.

    With `searchable` off, as for yes and no, typing selects the item that begins with the letter.
    Of the choices only those are looked at that are shown, until somebody searches.
    """

    BINDINGS = []
    CONTEXTS: ClassVar[tuple[str, ...]] = ("select",)
    """Scopes of the action table whose keys count here, the first that binds a key wins."""

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        *,
        theme: Theme,
        keys: KeyTable,
        at: int = 0,
        searchable: bool = True,
        more: AsyncIterator[Sequence[Choice]] | None = None,
        timeout: float | None = None,
    ) -> None:
        """`at` is the place of the choice that is selected at first; `more` brings further ones later.

        `timeout` tells in how many seconds whoever shows this will close it.
        """
        super().__init__()
        self._countdown = Countdown(timeout)
        self._title_rows = sanitize(title).splitlines()
        self._choices = choices if more is None else list(choices)
        self._more = more
        self._theme = theme
        self._keys, self._edits = KeyResolver(keys), KeyResolver(keys)
        self._searchable = searchable
        self._query = ""
        self._shown: Sequence[int] = range(len(choices))
        self._at = at if 0 <= at < len(choices) else 0
        self._searching = False
        self._confirmed = False  # what will be found

    def compose(self) -> ComposeResult:
        yield Rows(id="choose")

    def on_mount(self) -> None:
        self._countdown.start(self, self._paint)
        self._paint()
        if self._more is not None:
            run_in_background(self, self._fill, "fill")

    async def _fill(self) -> None:
        """Take in the choices that come later, without moving what is selected."""
        assert self._more is not None
        async for batch in self._more:
            self._choices = [*self._choices, *batch]
            self._search(self._query)
        self._more = None
        self._search(self._query)

    def on_resize(self) -> None:
        self._paint()

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        found = self._keys.resolve(self.CONTEXTS, event.key)
        if isinstance(found, Match):
            getattr(self, BY_ID[found.action_id].handler)()
        elif self._searchable:
            line = LineInput(self._edits, self._query)
            if line.press(event) and line.text != self._query:
                self._search(line.text)
        elif event.character and event.is_printable:
            self._jump_to(event.character)

    def on_click(self, event: events.Click) -> None:
        """A click on an item takes it."""
        event.stop()
        above = 1 + len(self._head(self._width)) + int(self._searchable)
        row = event.screen_y - self.query_one(Rows).region.y - above
        place = self._first_visible() + row
        if 0 <= row < self._room() and place < len(self._shown):
            self._at = place
            self._paint()
            self.action_select_confirm()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._move(-1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._move(1)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if self._searchable:
            self._search(self._query + " ".join(event.text.split()))

    def action_select_up(self) -> None:
        self._move(-1, wrap=True)

    def action_select_down(self) -> None:
        self._move(1, wrap=True)

    def action_select_page_up(self) -> None:
        self._move(-self._room())

    def action_select_page_down(self) -> None:
        self._move(self._room())

    def action_select_confirm(self) -> None:
        if self._searching:
            self._confirmed = True
        elif self._shown:
            self.dismiss(self._choices[self._shown[self._at]].value)

    def action_select_cancel(self) -> None:
        self.dismiss(None)

    def _jump_to(self, character: str) -> None:
        """Select the first item that begins like this."""
        for place, choice in enumerate(self._choices):
            if choice.label.casefold().startswith(character.casefold()):
                self._at = place
                self._paint()
                return

    def _search(self, query: str) -> None:
        if query != self._query:
            self._query, self._at, self._confirmed = query, 0, False
        if not query:
            self._show(range(len(self._choices)))
        elif len(self._choices) <= _AT_ONCE:
            self._show(best_matches(query, (each.searched for each in self._choices)))
        elif self._searching:
            self._paint()  # the search under way begins again with what is wanted now
        else:
            self._searching = True
            run_in_background(self, self._search_all, "search")
            self._paint()

    async def _search_all(self) -> None:
        """Search very many choices beside the keys: one search at a time, the last query wins."""
        try:
            while query := self._query:
                choices = self._choices
                found = await asyncio.to_thread(best_matches, query, self._names(query, choices))
                if query == self._query and choices is self._choices:
                    self._show(found)
                    break
        finally:
            self._searching = False
        self._paint()
        if self._confirmed:
            self.action_select_confirm()

    def _names(self, query: str, choices: Sequence[Choice]) -> Iterator[str]:
        """What is searched, until somebody wants something else."""
        for choice in choices:
            if self._query != query:
                return
            yield choice.searched

    def _show(self, found: Sequence[int]) -> None:
        """Show other choices; whatever arrives, somebody who has moved stays on the same one."""
        kept = self._shown[self._at] if 0 < self._at < len(self._shown) else None
        self._shown = found
        self._at = found.index(kept) if kept is not None and kept in found else 0
        self._paint()

    def _move(self, by: int, *, wrap: bool = False) -> None:
        if not self._shown:
            return
        last = len(self._shown) - 1
        self._at = (self._at + by) % (last + 1) if wrap else min(last, max(0, self._at + by))
        self._paint()

    @property
    def selected(self) -> Choice | None:
        """The choice that Enter would take."""
        return self._choices[self._shown[self._at]] if self._at < len(self._shown) else None

    def _paint(self) -> None:
        self.query_one(Rows).show(self._lines(self._width))

    @property
    def _width(self) -> int:
        return max(20, self.app.size.width)

    def _lines(self, width: int) -> list[Line]:
        theme = self._theme
        rule = line_of(("─" * width, theme.style("borderAccent")))
        rows = [rule, *self._head(width)]
        if self._searchable:
            rows.append(
                ends([("> ", theme.style("muted")), (self._query + "▏", theme.style("text"))], [], width)
            )
        first = self._first_visible()
        last = min(first + self._room(), len(self._shown))
        rows += [self._row(place, width) for place in range(first, last)]
        if not self._shown:
            rows.append(ends([(self._nothing(), theme.style("muted"))], [], width))
        rows += self._below(width)
        position = self._position(more=self._more is not None or self._searching)
        hint = self._hint()
        if len(hint) + len(position) + 3 > width:
            hint = "".join(hint_rows(hint.split(" · "), width - len(position) - 3, 1))
        rows.append(ends([(hint, theme.style("dim"))], [(position, theme.style("dim"))], width))
        return [*rows, rule]

    def _head(self, width: int) -> list[Line]:
        """The title."""
        parts = [
            (title if at else title + self._countdown.text, self._title_style(at))
            for at, title in enumerate(self._title_rows)
        ]
        return title_rows(parts, width, max(1, self.app.size.height - _FOR_LIST))

    def _title_style(self, row: int) -> Style:
        """How a row of the title looks."""
        return self._theme.style("accent", bold=True)

    def _position(self, *, more: bool) -> str:
        """Which of how many choices is selected."""
        return place_text(self._at, len(self._shown), more=more)

    def _below(self, width: int) -> list[Line]:
        """What is told below the list."""
        return []

    def _hint(self) -> str:
        """Which keys do what."""
        return "enter chooses · esc closes"

    def _room(self) -> int:
        """Rows for the list."""
        taken = _FRAME + len(self._head(self._width)) + int(self._searchable)
        return max(_LEAST_ROWS, min(_MOST_ROWS, self.app.size.height - taken))

    def _nothing(self) -> str:
        if self._more is not None or self._searching:
            return "looking…"
        return "nothing matches" if self._query else "there is nothing"

    def _first_visible(self) -> int:
        room = self._room()
        return max(0, min(self._at - room // 2, len(self._shown) - room))

    def _row(self, place: int, width: int) -> Line:
        choice = self._choices[self._shown[place]]
        chosen = place == self._at
        background = "selectedBg" if chosen else None
        token = "accent" if chosen else "muted" if choice.faded else "text"
        label: list[Span] = [
            ("→ " if chosen else "  ", self._theme.style("accent", background)),
            (choice.label, self._theme.style(token, background)),
        ]
        detail: list[Span] = [(f"  {choice.detail}", self._theme.style("muted", background))]
        aside: list[Span] = [(choice.aside, self._theme.style("muted", background))] if choice.aside else []
        room = width - 2 - (spans_width(aside) + _GAP if aside else 0)
        row = ends(fit([*label, *detail], room), aside, width)
        if not chosen:
            return row
        filled = self._theme.style(None, background)
        return line_of(*((segment.text, segment.style or filled) for segment in row.segments))
