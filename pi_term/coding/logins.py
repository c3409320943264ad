"""Giving the program keys, taking them away again, and finding model servers that need none."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Self

from pi_term.ai.catalog.auth import Credential, OAuthCredential, Secret
from pi_term.ai.catalog.providers import Provider
from pi_term.ai.catalog.registry import ModelRegistry
from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.base.json_locate import read_json_file
from pi_term.base.log import redact
from pi_term.base.paths import AppPaths
from pi_term.coding.credentials import FileCredentialStore
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore

if TYPE_CHECKING:
    from pi_term.ai.catalog.local import LocalServer
    from pi_term.ai.catalog.sign_in import SignInUi


@dataclass(frozen=True, slots=True)
class Login:
    """A provider that people can log in to: with a `key`, by a `sign_in`, or either. `state` tells where a
    key for it comes from now, "" for nowhere.
    """

    provider_id: str
    label: str
    key: bool
    sign_in: bool
    state: str = ""


class Logins:
    """What can be logged in to, and what is stored. `proxy` tells the proxy that the settings name."""

    def __init__(
        self,
        registry: ModelRegistry,
        store: FileCredentialStore,
        paths: AppPaths,
        proxy: Callable[[], str | None],
    ) -> None:
        self.registry = registry
        self._store = store
        self._paths = paths
        self._proxy = proxy

    @classmethod
    def of(cls, paths: AppPaths, settings: SettingsStore) -> Self:
        """For a program that has no session yet; blocks."""
        store = FileCredentialStore(paths.auth_file)
        registry = ModelRegistry(paths.models_file, credentials=store)
        return cls(registry, store, paths, lambda: settings.get(schema.HTTP_PROXY))

    @property
    def configured(self) -> bool:
        """Whether there is a key, or somebody has described a provider in models.json."""
        if any(each.needs_key for each in self.registry.usable_providers()):
            return True
        return bool(read_json_file(self._paths.models_file).data.get("providers"))

    def choices(self) -> list[Login]:
        """All providers that people can log in to, in the order of the catalogue."""
        known = [each for each in self.registry.providers.values() if each.needs_key]
        others = [Provider(each) for each in self.registry.sign_ins if each not in self.registry.providers]
        return [self._login(provider) for provider in (*known, *others)]

    def _login(self, provider: Provider) -> Login:
        return Login(
            provider.id,
            provider.label,
            key=provider.id in self.registry.providers,
            sign_in=provider.id in self.registry.sign_ins,
            state=self.state(provider.id),
        )

    def find(self, name: str) -> Login:
        """The provider that somebody named by its id or shown name; raises `PiTermError`.

        What was typed may be a key: it is not repeated.
        """
        choices = self.choices()
        wanted = name.casefold()
        for each in choices:
            if wanted in (each.provider_id.casefold(), each.label.casefold()):
                return each
        close = get_close_matches(name, [each.provider_id for each in choices], n=1)
        hint = f"Did you mean {close[0]}?" if close else ""
        raise PiTermError("unknown_provider", "There is no provider of that name to log in to.", hint)

    def state(self, provider_id: str) -> str:
        """Where the provider's key comes from, in a few words."""
        source = self.registry.key_source(provider_id)
        if source is None:
            return ""
        words = {
            "run": "a key for this run",
            "stored": "a stored key",
            "signed-in": "signed in",
            "environment": source.detail,
            "models.json": "models.json",
            "header": "models.json",
        }[source.kind]
        return f"{words}, but {source.missing} is not set" if source.missing else words

    async def refusal_of(self, provider_id: str, key: str) -> str | None:
        """Why the provider refuses this key; None where nothing speaks against it. Asks over the network,
        unless the program is to stay offline.
        """
        if os.environ.get("PI_OFFLINE", "").lower() in ("1", "true", "yes"):
            return None
        from pi_term.ai.catalog.key_check import refusal_of

        return await refusal_of(self.registry.providers[provider_id], key, self._proxy())

    async def put_key(self, provider_id: str, key: str) -> None:
        """Store a key; raises `PiTermError`."""
        await self._store.put_key(provider_id, key)

    async def sign_in(self, provider_id: str, ui: SignInUi) -> None:
        """Sign in and store what that gives; raises `PiTermError`."""
        try:
            credential = await self.registry.sign_ins[provider_id].login(ui)
        except PiTermError:
            raise
        except Exception as error:  # noqa: BLE001 - a flow may be anybody's code
            said = redact(str(error) or type(error).__name__)
            raise PiTermError("sign_in", f"The sign-in failed: {said}", "Try again.") from None
        for token in (credential.access, credential.refresh):
            Secret.of(token)

        async def signed_in(current: Credential | None) -> Credential | None:
            return credential

        await self._store.change(provider_id, signed_in)

    def stored(self) -> list[Login]:
        """What can be logged out from."""
        return [
            Login(
                provider_id,
                self.label(provider_id),
                key=not isinstance(credential, OAuthCredential),
                sign_in=isinstance(credential, OAuthCredential),
                state="signed in" if isinstance(credential, OAuthCredential) else "a stored key",
            )
            for provider_id in self._store.providers()
            if (credential := self._store.get(provider_id)) is not None
        ]

    async def forget(self, provider_id: str) -> bool:
        """Remove what is stored for a provider; whether there was something. Raises `PiTermError`."""
        return await self._store.forget(provider_id)

    def label(self, provider_id: str) -> str:
        """The name to show."""
        provider = self.registry.providers.get(provider_id)
        return provider_id if provider is None else provider.label

    async def add_server(self, server: LocalServer) -> None:
        """Describe a server of this machine in models.json, or only its models where it is there already.

        Raises `PiTermError`.
        """
        from pi_term.coding.settings.json_file import update_json_file

        def describe() -> None:
            described = read_json_file(self._paths.models_file).data.get("providers")
            known = isinstance(described, dict) and server.id in described
            config = server.provider_config()
            key = ("providers", server.id, "models") if known else ("providers", server.id)
            value = config["models"] if known else config
            update_json_file(self._paths.models_file, self._paths.state / "locks", key, value)

        await asyncio.to_thread(describe)
        self.registry.reload()
