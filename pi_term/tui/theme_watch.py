"""Showing the changes of a theme file as they are saved."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from textual.timer import Timer

from pi_term.render.theme import load_theme
from pi_term.tui.background import run_in_background

if TYPE_CHECKING:
    from pi_term.tui.app import PiTermApp

_PAUSE = 1.0  # seconds between two looks at the file: one `stat`, which costs nothing that could be measured

_MOST_TOLD = 3  # faults of the file

_Stamp: TypeAlias = tuple[int, int, int] | None


class ThemeWatch:
    """Looks at the file of the active theme, if it is the user's own or the project's.

    A file that is broken for the moment is told of once and changes nothing.
    """

    def __init__(self, app: PiTermApp) -> None:
        self._app = app
        self._file: Path | None = None
        self._stamp: _Stamp = None
        self._timer: Timer | None = None

    def follow(self, file: Path | None) -> None:
        """Watch this file from now on; None: nothing."""
        if file == self._file:
            return
        self._file, self._stamp = file, _stamp(file)
        if self._timer is None and file is not None:
            self._timer = self._app.set_interval(_PAUSE, self._look)
        elif self._timer is not None:
            self._timer.resume() if file is not None else self._timer.pause()

    def _look(self) -> None:
        stamp = _stamp(self._file)
        if stamp is not None and stamp != self._stamp:
            self._stamp = stamp
            run_in_background(self._app, self._reload, "theme")

    async def _reload(self) -> None:
        file = self._file
        if file is None:
            return
        theme, problems = await asyncio.to_thread(load_theme, file)
        if problems:
            lines = [problem.text() for problem in problems[:_MOST_TOLD]]
            more = len(problems) - len(lines)
            self._app.notice(
                "\n".join([*lines, *([f"and {more} more"] if more else [])]), problems[0].severity
            )
        if theme is not None and file == self._file:
            self._app.use_looks(replace(self._app.looks, theme=theme, theme_problems=tuple(problems)))


def _stamp(file: Path | None) -> _Stamp:
    """What changes when somebody saves the file; None while there is none."""
    if file is None:
        return None
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
