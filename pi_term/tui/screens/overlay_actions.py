"""What the actions do that open a screen over the main one: models, logins, settings, looks, keys, files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from pi_term.tui.reload import Reloader
from pi_term.tui.told import Questions

if TYPE_CHECKING:
    from pi_term.tui.screens.main import MainScreen


class OverlayActions:
    """Handlers of the action table. Their screens are loaded when they are first asked for."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._ask = Questions(screen).ask
        self.reloader = Reloader(screen.program)

    def action_palette(self) -> bool:
        """Find any command or action."""
        from pi_term.tui.screens.palette import choose_command

        return self._ask(self._do_chosen(choose_command))

    def action_select_model(self, name: str = "") -> bool:
        """Use the model of this name, or choose one."""
        from pi_term.tui.screens.model import select_model

        return self._ask(partial(select_model, self._screen.program, name))

    def action_scoped_models(self) -> bool:
        """Choose the models that the cycle goes through."""
        from pi_term.tui.screens.scoped_models import choose_scope

        return self._ask(partial(choose_scope, self._screen.program))

    def action_select_thinking(self, level: str = "") -> bool:
        """Use this thinking level, or choose one."""
        from pi_term.tui.screens.thinking import select_thinking

        return self._ask(partial(select_thinking, self._screen.program, level))

    def action_login(self, name: str = "") -> bool:
        """Log in to the provider of this name, or to one that is chosen."""
        from pi_term.tui.screens.login import log_in

        return self._ask(partial(log_in, self._screen.program, name))

    def action_logout(self, name: str = "") -> bool:
        """Remove what is stored for a provider."""
        from pi_term.tui.screens.login import log_out

        return self._ask(partial(log_out, self._screen.program, name))

    def action_settings(self) -> bool:
        """See and change settings."""
        from pi_term.tui.screens.settings import open_settings

        return self._ask(partial(open_settings, self._screen.program, self.reloader.settings_changed))

    def action_theme(self, name: str = "") -> bool:
        """Use the theme of this name, or choose one."""
        from pi_term.tui.screens.theme import select_theme

        return self._ask(partial(select_theme, self._screen.program, name))

    def action_keymap(self, name: str = "") -> bool:
        """Use the keymap of this name, or choose one."""
        from pi_term.tui.screens.theme import select_keymap

        return self._ask(partial(select_keymap, self._screen.program, name))

    def action_hotkeys(self) -> bool:
        """Show all keys."""
        from pi_term.tui.screens.hotkeys import show_hotkeys

        return self._ask(partial(show_hotkeys, self._screen.program))

    def action_trust(self) -> bool:
        """Show and change whether the folder is trusted."""
        from pi_term.tui.screens.trust import change_trust

        reload = partial(self.reloader.reload, decided=True)
        return self._ask(partial(change_trust, self._screen.program, reload))

    def action_reload(self) -> bool:
        """Read again what people write."""
        return self._ask(self.reloader.reload)

    def action_changelog(self) -> bool:
        """Show what is new."""
        from pi_term.tui.screens.changelog import show_changelog

        return self._ask(partial(show_changelog, self._screen.program))

    def action_export(self, path: str = "") -> bool:
        """Write the session to a file."""
        from pi_term.tui.screens.export import export_to

        return self._ask(partial(export_to, self._screen.program, path))

    def action_lens(self) -> bool:
        """Show what the model gets with the next request."""
        from pi_term.tui.screens.lens import show_lens

        return self._ask(partial(show_lens, self._screen.program))

    def action_changes(self) -> bool:
        """Show what the agent changed in files."""
        from pi_term.tui.screens.changes import review_changes

        return self._ask(partial(review_changes, self._screen))

    def _do_chosen(
        self, choose: Callable[[MainScreen], Awaitable[Callable[[], None] | None]]
    ) -> Callable[[], Awaitable[None]]:
        """Let people choose, and do it when this question is no longer open: it may ask another one."""

        async def ask() -> None:
            do = await choose(self._screen)
            if do is not None:
                self._screen.call_later(do)

        return ask
