"""What all screens that lie over the main one have in common: they close once, and then take no keys."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from textual import events
from textual.await_complete import AwaitComplete
from textual.screen import Screen

from pi_term.tui.keymap.resolver import KeyResolver, Match
from pi_term.tui.leftovers import free_soon
from pi_term.tui.opening import again

R = TypeVar("R")


class Overlay(Screen[R]):
    """A screen over the main one.

    Keys come faster than a screen goes: those that were on their way to it when it was closed, or when
    another one came up over it, go to whoever has the keys now.
    """

    CONTEXTS: ClassVar[tuple[str, ...]] = ()
    """Scopes of the action table whose keys count here, the first that binds a key wins."""

    def dismiss(self, result: R | None = None) -> AwaitComplete:
        """Close it, unless it is closed already; Textual would close the one below."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def on_unmount(self) -> None:
        free_soon()

    async def on_event(self, event: events.Event) -> None:
        """Pass on what came too late; the key that suspends the program does so from everywhere."""
        if self.passes_on(event):
            return
        if isinstance(event, events.Key) and self._suspends(event.key):
            event.stop()
            self.app.action_suspend_process()
            return
        await super().on_event(event)

    def passes_on(self, event: events.Event) -> bool:
        """Give a key or a paste to whoever has the keys now; whether that is another screen."""
        if not isinstance(event, events.Key | events.Paste) or self.is_active:
            return False
        if self.app.screen_stack:
            (self.app.focused or self.app.screen).post_message(again(event))
        return True

    def _suspends(self, key: str) -> bool:
        app: Any = self.app
        found = KeyResolver(app.keys).resolve((*self.CONTEXTS, "app"), key)
        return isinstance(found, Match) and found.action_id == "app.suspend"
