"""A list to choose from: type to narrow it, the best match is the selected one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.message import Message
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
from pi_term.tui.text import Span, ends, fit, line_of, spans_width
from pi_term.tui.widgets.rows import Rows

QUIET = 0.6
"""Seconds without a key after which a question that came up while somebody was typing may be answered."""
_MOST_ROWS = 12
_GAP = 2  # cells before what stands at the edge
_AT_ONCE = 500  # choices that are searched before the next frame; more of them beside the keys


class ChooseScreen(ModalScreen[str | None]):
    """Dismissed with the value of the choice, or None when closed.

    With `searchable` off, as for yes and no, typing selects the item that begins with the letter.
    Of the choices only those are looked at that are shown, until somebody searches.
    """

    BINDINGS = []

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
        pass_on: Callable[[Message], object] | None = None,
    ) -> None:
        """`at` is the place of the choice that is selected at first; `more` brings further ones later.

        `pass_on` gets what is typed, when a question comes unasked: nobody shall answer by accident.
        """
        super().__init__()
        self._pass_on = pass_on
        self._typed_at = time.monotonic()
        self._title_rows = sanitize(title).splitlines()
        self._choices = choices if more is None else list(choices)
        self._more = more
        self._theme = theme
        self._keys = KeyResolver(keys)
        self._searchable = searchable
        self._query = ""
        self._shown: Sequence[int] = range(len(choices))
        self._at = at if 0 <= at < len(choices) else 0
        self._searching = False
        self._confirmed = False  # what will be found

    def compose(self) -> ComposeResult:
        yield Rows(id="choose")

    def on_mount(self) -> None:
        self._paint()
        if self._more is not None:
            run_in_background(self, self._fill, "fill")

    async def _fill(self) -> None:
        """Take in the choices that come later, without moving what is selected."""
        assert self._more is not None
        async for batch in self._more:
            self._choices = [*self._choices, *batch]
            if not self._searching:
                self._search(self._query)
        self._more = None
        self._search(self._query)

    def on_resize(self) -> None:
        self._paint()

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if self._is_typing(event):
            return
        found = self._keys.resolve(("select",), event.key)
        if isinstance(found, Match):
            getattr(self, BY_ID[found.action_id].handler)()
        elif event.key == "backspace":
            self._search(self._query[:-1])
        elif event.character and event.is_printable:
            self._typed(event.character)

    def _is_typing(self, event: events.Key) -> bool:
        """Whether the key was meant for what is being written elsewhere; then it goes there."""
        if self._pass_on is None:
            return False
        now = time.monotonic()
        if not (event.character and event.is_printable) and now - self._typed_at > QUIET:
            return False
        self._typed_at = now
        self._pass_on(events.Key(event.key, event.character))
        return True

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if self._pass_on is not None:
            self._typed_at = time.monotonic()
            self._pass_on(events.Paste(event.text))
        elif self._searchable:
            self._search(self._query + " ".join(event.text.split()))

    def action_select_up(self) -> None:
        self._move(-1, wrap=True)

    def action_select_down(self) -> None:
        self._move(1, wrap=True)

    def action_select_page_up(self) -> None:
        self._move(-_MOST_ROWS)

    def action_select_page_down(self) -> None:
        self._move(_MOST_ROWS)

    def action_select_confirm(self) -> None:
        if self._searching:
            self._confirmed = True
        elif self._shown:
            self.dismiss(self._choices[self._shown[self._at]].value)

    def action_select_cancel(self) -> None:
        self.dismiss(None)

    def _typed(self, character: str) -> None:
        if self._searchable:
            self._search(self._query + character)
            return
        for place, choice in enumerate(self._choices):
            if choice.label.casefold().startswith(character.casefold()):
                self._at = place
                self._paint()
                return

    def _search(self, query: str) -> None:
        if query != self._query:
            self._query, self._at, self._confirmed = query, 0, False
        if not query:
            self._searching = False
            self._show(range(len(self._choices)))
        elif len(self._choices) <= _AT_ONCE:
            self._show(best_matches(query, (each.searched for each in self._choices)))
        else:
            self._searching = True
            run_in_background(self, partial(self._search_all, query), "search")
            self._paint()

    async def _search_all(self, query: str) -> None:
        """Search very many choices; what is typed meanwhile makes an end of it."""
        choices = self._choices

        def names() -> Iterator[str]:
            for choice in choices:
                if self._query != query:
                    return
                yield choice.searched

        found = await asyncio.to_thread(best_matches, query, names())
        if self._query != query:
            return
        self._searching = False
        self._show(found)
        if self._confirmed:
            self.action_select_confirm()

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

    def _paint(self) -> None:
        width = max(20, self.app.size.width)
        self.query_one(Rows).show(self._lines(width))

    def _lines(self, width: int) -> list[Line]:
        theme = self._theme
        rule = line_of(("─" * width, theme.style("borderAccent")))
        rows = [rule]
        rows += [ends([(text, theme.style("accent", bold=True))], [], width) for text in self._title_rows]
        if self._searchable:
            rows.append(
                ends([("> ", theme.style("muted")), (self._query + "▏", theme.style("text"))], [], width)
            )
        first = self._first_visible()
        for place in range(first, min(first + _MOST_ROWS, len(self._shown))):
            rows.append(self._row(place, width))
        if not self._shown:
            rows.append(ends([(self._nothing(), theme.style("muted"))], [], width))
        position = f"{self._at + 1}/{len(self._shown)}" if self._shown else ""
        if self._more is not None or self._searching:
            position += "…"
        rows.append(
            ends(
                [("enter chooses · esc closes", theme.style("dim"))], [(position, theme.style("dim"))], width
            )
        )
        return [*rows, rule]

    def _nothing(self) -> str:
        if self._more is not None or self._searching:
            return "looking…"
        return "nothing matches" if self._query else "there is nothing"

    def _first_visible(self) -> int:
        return max(0, min(self._at - _MOST_ROWS // 2, len(self._shown) - _MOST_ROWS))

    def _row(self, place: int, width: int) -> Line:
        choice = self._choices[self._shown[place]]
        chosen = place == self._at
        background = "selectedBg" if chosen else None
        label: list[Span] = [
            ("→ " if chosen else "  ", self._theme.style("accent", background)),
            (choice.label, self._theme.style("accent" if chosen else "text", background)),
        ]
        detail: list[Span] = [(f"  {choice.detail}", self._theme.style("muted", background))]
        aside: list[Span] = [(choice.aside, self._theme.style("muted", background))] if choice.aside else []
        room = width - 2 - (spans_width(aside) + _GAP if aside else 0)
        row = ends(fit([*label, *detail], room), aside, width)
        if not chosen:
            return row
        filled = self._theme.style(None, background)
        return line_of(*((segment.text, segment.style or filled) for segment in row.segments))
