"""The row above the editor: what goes on right now, and for how long."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.timer import Timer

from pi_term.render.theme import Theme
from pi_term.tui.text import ends, seconds_text
from pi_term.tui.widgets.rows import Rows

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_INTERVAL = 0.1
_NOTE_SECONDS = 6.0


class StatusLine(Rows):
    """Always one row high, so that nothing moves when work begins or ends; blank while idle.

    The timer runs only while something goes on; with each turn of the spinner it calls `on_tick`.
    """

    def __init__(self, theme: Theme, hint: str, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(id="status")
        self.theme_colours = theme
        self._hint = hint
        self._clock = clock
        self._since = 0.0
        self._activity = ""
        self._detail = ""
        self._frame = 0
        self._timer: Timer | None = None
        self._note = ""
        self.on_tick: Callable[[], None] | None = None
        self._fading: Timer | None = None

    @property
    def working(self) -> bool:
        """Whether something goes on."""
        return self._timer is not None

    def on_mount(self) -> None:
        self._paint()

    def begin(self) -> None:
        """Something goes on from now."""
        self._note = ""
        self._activity = ""
        if self._timer is None:
            self._since = self._clock()
            self._timer = self.set_interval(_INTERVAL, self._tick)
        self._paint()

    def update(self, activity: str, detail: str) -> None:
        """What it does ("" for nothing in particular), and how much it took so far."""
        self._activity, self._detail = activity, detail

    def end(self) -> None:
        """Nothing goes on any more."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._detail = ""
        self._paint()

    def note(self, text: str) -> None:
        """A short remark; it fades, or makes room when work begins or another comes."""
        self._note = text
        if self._fading is not None:
            self._fading.stop()
        self._fading = self.set_timer(_NOTE_SECONDS, self._fade)
        if self._timer is None:
            self._paint()

    def _fade(self) -> None:
        self._fading = None
        self._note = ""
        if self._timer is None:
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
        theme = self.theme_colours
        width = self.size.width or self.app.size.width
        muted, dim = theme.style("muted"), theme.style("dim")
        if self._timer is None:
            self.show([ends([(self._note, muted)], [], width)])
            return
        elapsed = seconds_text(self._clock() - self._since)
        parts = [part for part in (f"working {elapsed}", self._activity, self._detail, self._hint) if part]
        frame = (_FRAMES[self._frame] + " ", theme.style("accent"))
        self.show([ends([frame, (parts[0], muted), (" · " + " · ".join(parts[1:]), dim)], [], width)])

    def on_resize(self) -> None:
        self._paint()
