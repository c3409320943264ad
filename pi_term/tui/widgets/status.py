"""The row above the editor: what goes on right now, and for how long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from math import ceil

from textual.timer import Timer

from pi_term.base.dataclass import dataclass
from pi_term.render.line import Line
from pi_term.render.theme import Theme
from pi_term.tui.background import after
from pi_term.tui.text import Span, ends, fit, seconds_text, spans_width
from pi_term.tui.widgets.rows import Rows

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_INTERVAL = 0.1
_NOTE_SECONDS = 6.0
_SHORTEST_ABOUT = 10  # cells; less of it says nothing
_GAP = 3  # cells between what goes on and a note


@dataclass(frozen=True, slots=True)
class Doing:
    """What goes on, such as "working", with what is to be said of it, and how to end it.

    Times are those of the status line's clock: it tells how long it is since `since`, or, where something
    is waited for, how long until `until`.
    """

    what: str
    since: float
    until: float | None = None
    about: str = ""
    hint: str = ""

    def title(self, now: float) -> str:
        """What goes on, and the time."""
        if self.until is None:
            return f"{self.what} {seconds_text(now - self.since)}"
        left = ceil(self.until - now)
        return f"{self.what} in {seconds_text(left)}" if left > 0 else f"{self.what} now"


class StatusLine(Rows):
    """Always one row high, so that nothing moves when work begins or ends; blank while idle.

    The timer runs only while something goes on; with each turn of the spinner it calls `on_tick`.
    """

    def __init__(self, theme: Theme, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(id="status")
        self.theme_colours = theme
        self.clock = clock
        self._doing: Doing | None = None
        self._frame = 0
        self._timer: Timer | None = None
        self._note = ""
        self.on_tick: Callable[[], None] | None = None
        self._fading: asyncio.TimerHandle | None = None

    @property
    def working(self) -> bool:
        """Whether something goes on."""
        return self._doing is not None

    def on_mount(self) -> None:
        self._paint()

    def tell(self, doing: Doing | None) -> None:
        """What goes on now; None: nothing. What is new in what went on already shows with the next turn."""
        before, self._doing = self._doing, doing
        if doing is not None and self._timer is None:
            self._timer = self.set_interval(_INTERVAL, self._tick)
        elif doing is None and self._timer is not None:
            self._timer.stop()
            self._timer = None
        if before is None or doing is None or before.what != doing.what:
            self._paint()

    def note(self, text: str) -> None:
        """A short remark; it fades, or makes room when another comes."""
        self._note = text
        if self._fading is not None:
            self._fading.cancel()
        self._fading = after(self, _NOTE_SECONDS, self._fade)
        self._paint()

    def _fade(self) -> None:
        self._fading = None
        self._note = ""
        self._paint()

    def repaint(self, theme: Theme) -> None:
        """Show the same in other colours."""
        self.theme_colours = theme
        self._paint()

    def _tick(self) -> None:
        self._frame = (self._frame + 1) % len(_FRAMES)
        self._paint()
        if self.on_tick is not None:
            self.on_tick()

    def _paint(self) -> None:
        width = self.size.width or self.app.size.width
        note: list[Span] = [(self._note, self.theme_colours.style("muted"))]
        if self._doing is None:
            self.show([ends(note, [], width)])
        else:
            spinner = _FRAMES[self._frame]
            right = note if self._note else []
            self.show([doing_line(self._doing, spinner, right, self.clock(), self.theme_colours, width)])

    def on_resize(self) -> None:
        self._paint()


def doing_line(doing: Doing, spinner: str, note: list[Span], now: float, theme: Theme, width: int) -> Line:
    """The row for what goes on.

    Where it is narrow, the note goes first, then what is said of it, then how to end it.
    """
    muted, dim = theme.style("muted"), theme.style("dim")
    title: list[Span] = [(spinner + " ", theme.style("accent")), (doing.title(now), muted)]
    about: list[Span] = []
    if doing.about:
        joint, style = (" · ", dim) if doing.until is None else ("", theme.style("warning"))
        about = [(joint + doing.about, style)]
    hint: list[Span] = [(f" · {doing.hint}", dim)] if doing.hint else []
    room = width - 2 - spans_width(title)
    if spans_width(hint) > room:
        hint = []
    room -= spans_width(hint)
    about = fit(about, room) if room >= min(_SHORTEST_ABOUT, spans_width(about)) else []
    if spans_width(about) + spans_width(note) + _GAP > room:
        note = []
    return ends([*title, *about, *hint], note, width)
