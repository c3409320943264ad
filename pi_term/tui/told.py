"""Doing what a user asked for beside the keys, and telling what it fails with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from pi_term.base.abort import AbortError
from pi_term.base.errors import PiTermError
from pi_term.base.log import log
from pi_term.tui.background import run_in_background

if TYPE_CHECKING:
    from pi_term.base.diagnostics import Severity
    from pi_term.tui.screens.main import MainScreen


async def told(screen: MainScreen, work: Callable[[], Awaitable[object]], level: Severity = "error") -> None:
    """Do it; a failure becomes a notice."""
    try:
        await work()
    except PiTermError as error:
        screen.notice(error.text(), level)
    except AbortError:
        screen.status.note("Cancelled.")
    except OSError as error:
        screen.notice(str(error), "error")
    except Exception as error:  # noqa: BLE001 - a fault of ours costs this action, not the session
        log.exception("an action failed")
        screen.notice(f"That broke off: {error or type(error).__name__}", "error")


def do(screen: MainScreen, work: Callable[[], Awaitable[object]], level: Severity = "error") -> None:
    """Do it beside the keys; a failure becomes a notice."""
    run_in_background(screen, partial(told, screen, work, level), "actions")


class Questions:
    """What begins with a question: one at a time, and keys typed meanwhile are for its screen."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._open = False

    def ask(self, work: Callable[[], Awaitable[object]]) -> bool:
        """Do it beside the keys, unless another one is being asked; always True, as actions answer."""
        if not self._open:
            self._open = True
            self._screen.program.opening.begin()
            run_in_background(self._screen, partial(self._told, work), "actions")
        return True

    async def _told(self, work: Callable[[], Awaitable[object]]) -> None:
        try:
            await told(self._screen, work)
        finally:
            self._open = False
            self._screen.program.opening.end()
