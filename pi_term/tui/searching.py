"""Looking for something in the transcript: what is typed, what is found, which match is shown.

Everything of the session is searched, also what is not in the transcript yet; in slices, so that keys
never wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from textual import events
from textual.timer import Timer

from pi_term.base.log import log
from pi_term.tui.actions import BY_ID
from pi_term.tui.background import run_in_background
from pi_term.tui.keymap.resolver import KeyResolver, Match
from pi_term.tui.line_input import LineInput
from pi_term.tui.text import Span, ends, fit, spans_width
from pi_term.tui.widgets.transcript.found import Hit, Results
from pi_term.tui.widgets.transcript.query import Query
from pi_term.tui.widgets.transcript.search_view import Slices, text_of

if TYPE_CHECKING:
    from pi_term.render.line import Block
    from pi_term.tui.screens.main import MainScreen

_REPAINT = 0.1  # seconds between looks at what was found and at what changed
_PIECE = 50  # entries that are loaded in one go on the way to a match
_FAR = 2**40  # between the orders of blocks that are there, and of those that are not yet
_HINTS = (
    ("tui.altScreen.searchNext", "next"),
    ("tui.altScreen.searchPrevious", "previous"),
    ("app.transcript.searchStay", "stay"),
    ("tui.altScreen.searchClose", "back"),
)
_CONTEXTS = ("search", "transcript")
_PASSED_ON = frozenset(("app.tools.expand", "app.thinking.toggle", "app.suspend"))
"""Actions of the app that work while searching."""


class Searching:
    """One search at a time, from opening the row to closing it."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._keys, self._edits = (KeyResolver(screen.keys.table) for _ in range(2))
        self._text = ""
        self._open = False
        self._forget()

    def _forget(self) -> None:
        self._query: Query | None = None
        self._results = Results()
        self._hit: Hit | None = None
        self._complete = True  # all of the session was looked at
        self._timer: Timer | None = None

    @property
    def is_open(self) -> bool:
        """Whether something is looked for."""
        return self._open

    def open(self, text: str = "") -> None:
        """Take the keys, and look for `text`; else what was looked for last is offered again."""
        self._keys, self._edits = (KeyResolver(self._screen.keys.table) for _ in range(2))
        if not self._open:
            self._open = True
            self._forget()
            self._screen.transcript.begin_search()
            self._start = self._screen.transcript.bottom_order
            self._offered = bool(self._text) and not text
            self._timer = self._screen.set_interval(_REPAINT, self._tick)
            self._look_for(text or self._text)
        elif text:
            self._edit(text)
        self._screen.key_row.give_to(self)
        self.paint()

    def close(self, *, back: bool = True) -> bool:
        """Give the keys back; with `back`, show what was shown before. False when nothing was open."""
        if not self._open:
            return False
        self._open = False
        if self._timer is not None:
            self._timer.stop()
        self._screen.transcript.end_search(back=back)
        self._forget()
        self._screen.key_row.take_away()
        return True

    # Keys

    def key(self, event: events.Key) -> None:
        """Edit what is looked for, or go to another match."""
        found = self._keys.resolve(_CONTEXTS, event.key)
        if isinstance(found, Match):
            action = BY_ID[found.action_id]
            if action.scope == "search":
                getattr(self, action.handler)()
            else:
                self._screen.dispatch(action.id)
        elif not self._type(event):
            self._pass_on(event.key)

    def _type(self, event: events.Key) -> bool:
        """Edit what is looked for, at its end; False where the key edits nothing."""
        line = LineInput(self._edits, self._text)
        if not line.press(event):
            return False
        if line.text != self._text:  # words that were only offered make room
            self._edit(line.text[len(self._text) :] if self._offered else line.text)
        return True

    def paste(self, text: str) -> None:
        """What is pasted is looked for, too."""
        self._edit(("" if self._offered else self._text) + " ".join(text.split()))

    def action_search_next(self) -> None:
        """Go to the next newer match."""
        self._step(self._results.following)

    def action_search_previous(self) -> None:
        """Go to the next older match."""
        self._step(self._results.preceding)

    def action_search_stay(self) -> None:
        """Leave the search at the match."""
        self.close(back=False)

    def action_search_close(self) -> None:
        """Leave the search and go back to where it began."""
        self.close()

    def _step(self, step: Callable[[Hit | None], Hit | None]) -> None:
        self._offered = False
        self._go(self._results.at_or_before(self._start) if self._hit is None else step(self._hit))

    def _pass_on(self, key: str) -> None:
        found = self._keys.resolve(("app",), key)
        if not isinstance(found, Match):
            return
        if "app.clear" in found.action_ids:
            self.close()
        else:
            any(self._screen.dispatch(each) for each in found.action_ids if each in _PASSED_ON)

    # Looking

    def _edit(self, text: str) -> None:
        self._offered = False
        if text != self._text:
            self._look_for(text)
        self.paint()

    def _look_for(self, text: str) -> None:
        self._text = text
        self._results = Results()
        self._hit = None
        try:
            query: Query | None = Query(text)
        except ValueError:
            query = None
        self._query = query
        self._complete = query is None
        self._screen.transcript.mark(query)
        if query is None:
            self._screen.transcript.go_back()
        else:
            run_in_background(self._screen, partial(self._scan, query), "search")

    async def _scan(self, query: Query) -> None:
        """Look at everything, the newest first; ends when something else is looked for."""
        slices = Slices()
        for found in self._all(query):
            if self._query is not query:
                return
            if found is not None:
                self._results.put(*found)
                self._settle_on(query)
            await slices.breathe()
        self._complete = True
        if self._hit is None and not self._offered:
            self._go(self._results.at_or_before(self._start))
        self.paint()

    def _all(self, query: Query) -> Iterator[tuple[str, int, int] | None]:
        """Id, order and number of matches of each block; None where there is only time to be given."""
        transcript = self._screen.transcript
        for each, block in transcript.newest_first():
            yield block.id, each, query.count(text_of(block))
        order = transcript.earlier_order - _FAR
        for older in self._earlier(query):
            if older is None:
                yield None
            else:
                yield older.id, order, query.count(text_of(older))
                order -= 1

    def _earlier(self, query: Query) -> Iterator[Block | None]:
        view = self._screen.view
        if view is None:
            return
        try:
            yield from view.earlier_blocks(query.may_be_in)
        except OSError as error:
            log.warning("the session file could not be searched: %s", error)

    def _settle_on(self, query: Query) -> None:
        """Show the first match that is found where the search began, or above.

        Not while words are only offered again: nothing moves before a key is pressed.
        """
        if self._hit is not None or self._offered or self._query is not query:
            return
        hit = self._results.at_or_before(self._start)
        if hit is not None and hit.order <= self._start:
            self._go(hit)

    def _go(self, hit: Hit | None) -> None:
        query = self._query
        if hit is not None and query is not None:
            self._hit = hit
            run_in_background(self._screen, partial(self._show, hit, query), "search")
        self.paint()

    async def _show(self, hit: Hit, query: Query) -> None:
        """Show a match. One that the rows do not have after all is passed over."""
        view, transcript = self._screen.view, self._screen.transcript
        slices = Slices()
        while view is not None and not transcript.holds(hit.block_id) and view.show_older(_PIECE):
            await slices.breathe()
            if self._hit is not hit:
                return
        real = await transcript.reveal(hit, query)
        if self._hit is not hit or self._query is not query:
            return
        self._results.put(hit.block_id, hit.order, real)
        if not real:
            self._go(self._results.preceding(hit))
        elif hit.number >= real:
            self._hit = Hit(hit.block_id, hit.order, real - 1)
        self.paint()

    def _tick(self) -> None:
        """Take in what changed, and tell how far the search is."""
        query = self._query
        if query is None:
            return
        changed = self._screen.transcript.take_changed()
        for block_id, order, block in changed:
            self._results.put(block_id, order, 0 if block is None else query.count(text_of(block)))
        if changed or not self._complete:
            self._settle_on(query)
            self.paint()

    # The row

    def paint(self) -> None:
        """Draw the row."""
        screen = self._screen
        theme = screen.program.theme_colours
        width = screen.key_row.size.width or screen.size.width
        text = [(self._text, theme.style("text", "selectedBg" if self._offered else None))]
        left: list[Span] = [("Search: ", theme.style("accent")), *text, ("▏", theme.style("text"))]
        right: list[Span] = [(self._count(), theme.style("warning" if self._nothing else "muted"))]
        hints = [(f" · {key} {what}", theme.style("dim")) for key, what in self._hints()]
        if spans_width([*left, *right, *hints]) + 4 <= width:
            right += hints
        elif spans_width([*left, *right]) + 4 > width:
            left = _end_of(left, width - spans_width(right) - 4)
        screen.key_row.show([ends(left, right, width)])

    @property
    def _nothing(self) -> bool:
        return self._query is not None and self._complete and not self._results.total

    def _count(self) -> str:
        """`3/34`; with `…` while there may be more."""
        if self._query is None:
            return ""
        if self._nothing:
            return "no matches"
        total = f"{self._results.total:,}" + ("" if self._complete else "…")
        return total if self._hit is None else f"{self._results.place(self._hit):,}/{total}"

    def _hints(self) -> Iterator[tuple[str, str]]:
        for action, what in _HINTS:
            if key := self._screen.program.keys.hint(action):
                yield key, what


def _end_of(spans: list[Span], width: int) -> list[Span]:
    """The label and the end of what is typed, where there is no room for all of it."""
    label, (text, style), *rest = spans
    room = max(1, width - spans_width([label, *rest]))
    while text and spans_width([(text, style)]) > room:
        text = text[1:]
    return fit([label, (text, style), *rest], max(0, width))
