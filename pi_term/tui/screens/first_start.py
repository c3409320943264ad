"""The first start: nothing is set up yet, so people choose what shall answer.

Where a model, a provider or a key is configured, nobody is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.paths import AppPaths
from pi_term.coding.logins import Logins
from pi_term.coding.settings.store import SettingsStore
from pi_term.tui.choices import Choice
from pi_term.tui.screens.login import LoginDialog
from pi_term.tui.screens.login_list import LocalServers, LoginList
from pi_term.tui.text import home_path

if TYPE_CHECKING:
    from pi_term.coding.startup import Started
    from pi_term.tui.app import PiTermApp
    from pi_term.tui.bridge import TuiBridge

_KEY, _SIGN_IN, _IMPORT, _DEMO = "key", "sign-in", "import", "demo"
_WELCOME = "Welcome to pi-term. No model is set up yet."
_NO_MODEL = "No model is set up."
_HOW = "/login sets one up, pi-term import-pi takes over what you have in Pi"


@dataclass(frozen=True, slots=True)
class FirstStart:
    """What such a start is made of: `demo` starts with the scripted model, `pi` is where Pi has its files."""

    settings: SettingsStore
    paths: AppPaths
    demo: Callable[[TuiBridge], Awaitable[Started]]
    pi: Path

    async def begin(self, app: PiTermApp) -> Started:
        """Ask what shall answer, and begin with it. Raises `PiTermError` as a start does."""
        guide = _Guide(self, app, await asyncio.to_thread(Logins.of, self.paths, self.settings))
        chosen = await guide.ask()
        if chosen is None:
            started = await self.hold_the_place(app, _NO_MODEL)
        else:
            started = await (self.demo if chosen == _DEMO else app.parts.start)(app.bridge.unasked)
        if guide.told:  # settings came along
            started.diagnostics.append(Diagnostic("info", guide.told))
            app.use_looks(app.parts.looks_of(started))
        return started

    async def hold_the_place(self, app: PiTermApp, missing: str) -> Started:
        """Begin with the demo until there is a model. Prompts that were meant for one wait in the editor."""
        started = await self.demo(app.bridge.unasked)
        said = f"{missing} Until then the demo answers: a script that runs the real tools."
        started.diagnostics.append(Diagnostic("info", said, hint=_HOW))
        texts = [*app.parts.prompts, *app.main.take_back()]
        app.parts.prompts = ()
        if texts:
            app.main.editor.prepend(texts)
        return started


@dataclass(slots=True)
class _Guide:
    """The question, and what the answers lead to. `told` is what an import came to."""

    first: FirstStart
    app: PiTermApp
    logins: Logins
    told: str = ""
    _problem: str = ""

    async def ask(self) -> str | None:
        """Ask until there is a model (""), or the demo is wanted; None where the question is closed."""
        offer = await asyncio.to_thread(self._offer)
        bridge = self.app.bridge.unasked
        while True:
            servers = LocalServers()
            question = partial(self._question, [*offer, *self._choices()], servers)
            chosen: str | None = await bridge.custom(question, _WELCOME)
            bridge = self.app.bridge  # who comes back to the question expects it
            offer = [] if chosen == _IMPORT else offer
            if chosen is None or chosen == _DEMO:
                return chosen
            try:
                if await self._follow(chosen, servers):
                    return ""
            except PiTermError as error:
                self._problem = error.text()

    def _question(self, choices: Sequence[Choice], servers: LocalServers) -> LoginList:
        title = f"{_WELCOME}\nWhat shall answer?" + (f"\n{self._problem}" if self._problem else "")
        app = self.app
        return LoginList(title, choices, servers, theme=app.theme_colours, keys=app.keys, searchable=False)

    async def _follow(self, chosen: str, servers: LocalServers) -> bool:
        """Do what was chosen; whether there is a model now."""
        self._problem = ""
        dialog = LoginDialog(self.app, self.logins)
        if chosen == _IMPORT:
            return await self._import()
        if chosen in servers.found:
            return await dialog.use_server(servers.found[chosen]) is not None
        return await dialog.choose(sign_in=chosen == _SIGN_IN) is not None

    async def _import(self) -> bool:
        from pi_term.coding.pi_import import import_pi

        report = await import_pi(self.first.pi, self.first.paths)
        self.told = report.short()
        self.logins.registry.reload()
        await asyncio.to_thread(self.first.settings.reload)
        if self.logins.configured:
            return True
        self._problem = f"{report.short()} There is no key among it."
        return False

    def _choices(self) -> list[Choice]:
        with_key = [each.label for each in self.logins.choices() if each.key]
        signed = [each.label for each in self.logins.choices() if each.sign_in]
        found = [Choice(_KEY, "Paste an API key", f"of {', '.join(with_key[:4])} or another")]
        if signed:
            found.append(Choice(_SIGN_IN, "Sign in", f"with {', '.join(signed)}"))
        return [*found, Choice(_DEMO, "Try the demo", "needs no key: a script that runs the real tools")]

    def _offer(self) -> list[Choice]:
        """The import, offered once; blocks."""
        from pi_term.coding.pi_import import is_pi_folder, note_offered, summary_of, was_offered

        pi, paths = self.first.pi, self.first.paths
        if was_offered(paths) or not is_pi_folder(pi, paths):
            return []
        note_offered(paths)
        return [Choice(_IMPORT, "Take over from Pi", f"{home_path(pi)}: {summary_of(pi)}")]
