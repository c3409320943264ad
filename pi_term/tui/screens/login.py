"""Logging in and out: which provider, which way, and what it comes to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pi_term.coding.logins import Login, Logins
from pi_term.tui.choices import Choice
from pi_term.tui.screens.login_key import KeyScreen
from pi_term.tui.screens.login_list import LocalServers, LoginList

if TYPE_CHECKING:
    from pi_term.ai.catalog.local import LocalServer
    from pi_term.tui.app import PiTermApp

_KEY, _SIGN_IN = "key", "sign-in"


class LoginDialog:
    """The questions of a login, one after the other, each asked for by the person at the keys.

    Gives the id of the provider that can be used now, None where nothing came of it.
    """

    def __init__(self, app: PiTermApp, logins: Logins) -> None:
        self._app = app
        self._logins = logins

    async def begin(self, name: str = "") -> str | None:
        """Log in to the provider of this name, or to one that is chosen. Raises `PiTermError`."""
        return await (self.log_in(self._logins.find(name)) if name else self.choose())

    async def choose(self, *, sign_in: bool | None = None) -> str | None:
        """Choose where to log in; with `sign_in`, only where that is the way, or only where a key is."""
        choices = [
            each
            for each in self._logins.choices()
            if sign_in is None or (each.sign_in if sign_in else each.key)
        ]
        servers = LocalServers()
        app = self._app
        screen = LoginList(
            "Log in to",
            [_choice(each) for each in choices],
            servers if sign_in is None else None,
            theme=app.theme_colours,
            keys=app.keys,
        )
        chosen = await app.bridge.custom(screen)
        if chosen in servers.found:
            return await self.use_server(servers.found[chosen])
        login = next((each for each in choices if each.provider_id == chosen), None)
        if login is None:
            return None
        return await (self.log_in(login) if sign_in is None else self._by(login, sign_in=sign_in))

    async def log_in(self, login: Login) -> str | None:
        """Log in there, by the way that there is, or the one that is chosen."""
        if not (login.key and login.sign_in):
            return await self._by(login, sign_in=login.sign_in)
        ways = [Choice(_SIGN_IN, "Sign in", "with an account"), Choice(_KEY, "Paste a key", "of the API")]
        way = await self._app.bridge.choose(login.label, ways, searchable=False)
        return None if way is None else await self._by(login, sign_in=way == _SIGN_IN)

    async def use_server(self, server: LocalServer) -> str | None:
        """Take the models of a server on this machine."""
        await self._logins.add_server(server)
        return server.id

    async def _by(self, login: Login, *, sign_in: bool) -> str | None:
        from pi_term.tui.screens.login_sign_in import SignInScreen

        app, provider_id = self._app, login.provider_id
        screen: KeyScreen | SignInScreen
        if sign_in:
            run = partial(self._logins.sign_in, provider_id)
            screen = SignInScreen(login.label, run, theme=app.theme_colours, keys=app.keys)
        else:
            screen = KeyScreen(
                login.label,
                partial(self._logins.refusal_of, provider_id),
                partial(self._logins.put_key, provider_id),
                theme=app.theme_colours,
                keys=app.keys,
            )
        return provider_id if await app.bridge.custom(screen) else None


def _choice(login: Login) -> Choice:
    return Choice(login.provider_id, login.label, login.state, login.provider_id)


async def log_in(app: PiTermApp, name: str = "") -> None:
    """`/login`: afterwards the provider's models can be chosen; where there was no model, one is used.

    Raises `PiTermError`.
    """
    assert app.started is not None
    logins = app.started.logins
    provider_id = await LoginDialog(app, logins).begin(name)
    if provider_id is not None:
        app.main.status.note(await _go_on(app, logins, provider_id))


async def _go_on(app: PiTermApp, logins: Logins, provider_id: str) -> str:
    """Use a model of the provider where there is none so far; what to tell."""
    registry, session = app.registry, app.session
    provider = registry.providers.get(provider_id)
    usable = registry.has_auth(session.model.provider) and session.model.provider != "demo"
    model = None if provider is None else provider.preferred()
    label = logins.label(provider_id)
    if model is None:
        return f"{label} is ready. Name its model: /model {provider_id}/ID"
    if not usable:
        await session.set_model(model)
        return f"{label} is ready. Model: {model.key}"
    count = len(provider.models) if provider is not None else 0
    return f"{label} is ready: /model has its {count} model{'s' if count > 1 else ''}."


async def log_out(app: PiTermApp, name: str = "") -> None:
    """`/logout`: what is stored for a provider is removed. Raises `PiTermError`."""
    assert app.started is not None
    logins = app.started.logins
    stored = logins.stored()
    if not stored:
        app.main.status.note("Nothing is stored. Keys of the environment and of models.json stay there.")
        return
    wanted = name.casefold()
    login = next((each for each in stored if wanted in (each.provider_id, each.label.casefold())), None)
    if login is None:
        chosen = await app.bridge.choose("Log out from", [_choice(each) for each in stored])
        login = next((each for each in stored if each.provider_id == chosen), None)
    if login is None:
        return
    await logins.forget(login.provider_id)
    app.main.status.note(_said_at_the_end(app, logins, login))


def _said_at_the_end(app: PiTermApp, logins: Logins, login: Login) -> str:
    left = logins.state(login.provider_id)
    if left:
        return f"Logged out from {login.label}; it still has a key: {left}."
    if app.session.model.provider == login.provider_id:
        return f"Logged out from {login.label}. {app.session.model.key} has no key now: /model takes another."
    return f"Logged out from {login.label}."
