"""A list to choose from: type to narrow it, the best match is the selected one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from textual import events
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import ModalScreen

from pi_term.base.sanitize import sanitize
from pi_term.render.line import Line
from pi_term.render.theme import Theme
from pi_term.tui.actions import BY_ID
from pi_term.tui.choices import Choice
from pi_term.tui.fuzzy import best_matches
from pi_term.tui.keymap.resolver import KeyResolver, Match
from pi_term.tui.keymap.table import KeyTable
from pi_term.tui.text import Span, ends, fit, line_of
from pi_term.tui.widgets.rows import Rows

QUIET = 0.6
"""Seconds without a key after which a question that came up while somebody was typing may be answered."""
_MOST_ROWS = 12


class ChooseScreen(ModalScreen[str | None]):
    """Dismissed with the value of the choice, or None when closed.

    With `searchable` off, as for yes and no, typing selects the item that begins with the letter.
    """

    BINDINGS = []

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        *,
        theme: Theme,
        keys: KeyTable,
        selected: str | None = None,
        searchable: bool = True,
        pass_on: Callable[[Message], object] | None = None,
    ) -> None:
        """`pass_on` gets what is typed, when a question comes unasked: nobody shall answer by accident."""
        super().__init__()
        self._pass_on = pass_on
        self._typed_at = time.monotonic()
        self._title_rows = sanitize(title).splitlines()
        self._choices = choices
        self._theme = theme
        self._keys = KeyResolver(keys)
        self._searchable = searchable
        self._query = ""
        self._shown = list(range(len(choices)))
        values = [choice.value for choice in choices]
        self._at = values.index(selected) if selected in values else 0

    def compose(self) -> ComposeResult:
        yield Rows(id="choose")

    def on_mount(self) -> None:
        self._paint()

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
        if self._shown:
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
        self._query = query
        self._shown = best_matches(query, [f"{each.label} {each.detail}" for each in self._choices])
        self._at = 0
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
            rows.append(ends([("nothing matches", theme.style("muted"))], [], width))
        position = f"{self._at + 1}/{len(self._shown)}" if self._shown else ""
        rows.append(
            ends(
                [("enter chooses · esc closes", theme.style("dim"))], [(position, theme.style("dim"))], width
            )
        )
        return [*rows, rule]

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
        row = ends(fit([*label, *detail], width - 2), [], width)
        if not chosen:
            return row
        filled = self._theme.style(None, background)
        return line_of(*((segment.text, segment.style or filled) for segment in row.segments))
