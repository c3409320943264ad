"""What the actions about logins do."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pi_term.tui.background import run_in_background

if TYPE_CHECKING:
    from pi_term.tui.screens.main import MainScreen


class LoginActions:
    """Handlers named in the action table."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen

    def action_login(self, name: str = "") -> bool:
        """Log in to a provider."""
        from pi_term.tui.screens.login import log_in

        run_in_background(self._screen, partial(log_in, self._screen.program, name), "actions")
        return True

    def action_logout(self, name: str = "") -> bool:
        """Remove what is stored for a provider."""
        from pi_term.tui.screens.login import log_out

        run_in_background(self._screen, partial(log_out, self._screen.program, name), "actions")
        return True
