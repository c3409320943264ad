"""What a terminal shows around the program: its title, progress in its tab, notifications.

Every text is made harmless here: whatever a session or a folder is called, it ends no sequence.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pi_term.base.sanitize import sanitize_line
from pi_term.base.text import shortened
from pi_term.tui.driver.program_status import ProgramStatus

if TYPE_CHECKING:
    from pi_term.coding.settings.schema import NotifyBy

_SAVE_TITLE, _RESTORE_TITLE = "\x1b[22;0t", "\x1b[23;0t"
_PROGRESS_ON, _PROGRESS_OFF = "\x1b]9;4;3\x07", "\x1b]9;4;0\x07"
_BELL = "\x07"
_LONGEST = 120  # characters of a title, and of each part of a notification
_NO_TITLE = frozenset({"linux", "dumb", ""})
_BY_PROGRAM: dict[str, NotifyBy] = {
    "iTerm.app": "osc9",
    "WezTerm": "osc9",
    "ghostty": "osc777",
    "WarpTerminal": "osc777",
}


class Surroundings:
    """The title and the progress that are wanted; the bytes that take the terminal over and give it back."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._has_title = environ.get("TERM", "") not in _NO_TITLE
        self._title = ""
        self._saved = False
        self._progress = False
        self._last: list[str] = []
        self.program = ProgramStatus(environ)

    def title(self, title: str) -> str:
        """Show another title; returns the bytes."""
        title = shortened(sanitize_line(title), _LONGEST)
        if title == self._title or not self._has_title:
            return ""
        self._title = title
        return self._show_title()

    def progress(self, on: bool) -> str:
        """Show that work goes on, or again, since some terminals forget it; returns the bytes."""
        before, self._progress = self._progress, on
        if on:
            return _PROGRESS_ON
        return _PROGRESS_OFF if before else ""

    def at_leave(self, data: str) -> str:
        """Write `data` too when the terminal is given back; nothing now."""
        self._last.append(data)
        return ""

    def enter(self) -> str:
        """The terminal is taken over, or taken back."""
        return self._show_title() + (_PROGRESS_ON if self._progress else "") + self.program.enter()

    def leave(self) -> str:
        """The terminal is given back: with the title that it had."""
        saved, self._saved = self._saved, False
        last = "".join(self._last) + self.program.leave()
        return last + (_PROGRESS_OFF if self._progress else "") + (_RESTORE_TITLE if saved else "")

    def _show_title(self) -> str:
        if not self._title:
            return ""
        save = "" if self._saved else _SAVE_TITLE
        self._saved = True
        return f"{save}\x1b]0;{self._title}\x07"


def notification(by: NotifyBy, title: str, body: str, environ: Mapping[str, str] = os.environ) -> str:
    """The bytes that have the terminal tell something; "" for "off"."""
    title, body = (shortened(sanitize_line(text), _LONGEST) for text in (title, body))
    match notify_by(environ) if by == "auto" else by:
        case "off":
            return ""
        case "osc9":
            return f"\x1b]9;{title}: {body}\x07"
        case "osc777":
            return f"\x1b]777;notify;{title.replace(';', ',')};{body}\x07"
        case "osc99":
            return f"\x1b]99;i=pi-term:d=0;{title}\x1b\\\x1b]99;i=pi-term:d=1:p=body;{body}\x1b\\"
    return _BELL


def notify_by(environ: Mapping[str, str]) -> NotifyBy:
    """What this terminal is known to understand; any has a bell, and tmux passes on nothing else."""
    term = environ.get("TERM", "")
    if environ.get("TMUX") or term.startswith(("screen", "tmux")):
        return "bell"
    if environ.get("KITTY_WINDOW_ID") or term == "xterm-kitty":
        return "osc99"
    if term.startswith(("foot", "rxvt-unicode")):
        return "osc777"
    return _BY_PROGRAM.get(environ.get("TERM_PROGRAM", ""), "bell")
