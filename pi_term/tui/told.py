"""Doing what a user asked for, and telling what it fails with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from pi_term.base.abort import AbortError
from pi_term.base.errors import PiTermError
from pi_term.base.log import log

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
    except Exception as error:  # noqa: BLE001 - a fault of ours costs this action, not the session
        log.exception("an action failed")
        screen.notice(f"That broke off: {error or type(error).__name__}", "error")
