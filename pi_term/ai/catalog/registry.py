"""All models that are known, and the credentials of their providers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.ai.catalog.auth import CredentialStore, KeySource, RequestAuth, Secret
from pi_term.ai.catalog.builtin import builtin_providers
from pi_term.ai.catalog.keys import KeyChain
from pi_term.ai.catalog.models_file import apply_models_file
from pi_term.ai.catalog.providers import Provider
from pi_term.ai.catalog.search import ModelChoice, find_model, match_models
from pi_term.ai.models import Model
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonObject, dumps_str
from pi_term.base.json_locate import parse_json_file, read_json_file

if TYPE_CHECKING:
    from pi_term.ai.catalog.sign_in import OAuthProvider


class ModelRegistry:
    """Models by provider, from what is built in and from models.json.

    The models of a provider are read when they are first asked for. Keys are looked up anew for every
    request (see `KeyChain`). `diagnostics` tells what is wrong with models.json.
    """

    def __init__(
        self,
        models_file: Path | None = None,
        *,
        credentials: CredentialStore | None = None,
        env: Mapping[str, str] | None = None,
        demo: bool = False,
    ) -> None:
        """`env` is the process environment unless given; with `demo` the scripted model is on offer."""
        self._file = models_file
        self._keys = KeyChain(credentials, os.environ if env is None else env, models_file)
        self._added: JsonObject = {}
        self.demo = demo
        self.providers: dict[str, Provider] = {}
        self.diagnostics: list[Diagnostic] = []
        self.reload()

    def reload(self) -> None:
        """Read models.json again."""
        self.providers, self.diagnostics = dict(builtin_providers()), []
        if self._file is not None:
            file = read_json_file(self._file)
            self.providers, self.diagnostics = apply_models_file(self.providers, file)
        self._apply_added()

    def add_provider(self, provider_id: str, config: JsonObject) -> list[Diagnostic]:
        """Add or change a provider as models.json would, for as long as the program runs."""
        self._added[provider_id] = config
        return self._apply_added()

    def _apply_added(self) -> list[Diagnostic]:
        if not self._added:
            return []
        file = parse_json_file(None, dumps_str({"providers": self._added}))
        self.providers, problems = apply_models_file(self.providers, file)
        return problems

    def models(self) -> list[Model]:
        """Every listed model, by provider, in the order of the file."""
        return [model for provider in self.providers.values() for model in provider.models]

    def available(self) -> list[Model]:
        """The models whose provider has a key; the demo only when it was asked for."""
        return [model for provider in self.usable_providers() for model in provider.models]

    def usable_providers(self) -> list[Provider]:
        """The providers that have a key; the demo only when it was asked for."""
        return [provider for provider in self.providers.values() if self.has_auth(provider.id)]

    def get(self, provider: str, model_id: str) -> Model | None:
        """The listed model with exactly this name."""
        known = self.providers.get(provider)
        return None if known is None else known.model(model_id)

    def find(self, pattern: str, provider: str | None = None) -> ModelChoice:
        """The one model that a person means by `pattern`; see `find_model`."""
        return find_model(self, pattern, provider)

    def match(self, patterns: Iterable[str]) -> tuple[list[ModelChoice], list[Diagnostic]]:
        """The available models that a list of patterns means; see `match_models`."""
        return match_models(self, patterns)

    def set_key(self, provider: str, key: str) -> None:
        """Use `key` for this provider, before all others, as long as the program runs."""
        self._keys.use(provider, key)

    def add_sign_in(self, flow: OAuthProvider) -> None:
        """From now on stored sign-ins of this provider count, and are renewed by `flow`."""
        self._keys.add_sign_in(flow)

    @property
    def sign_ins(self) -> Mapping[str, OAuthProvider]:
        """How to sign in, by provider."""
        return self._keys.sign_ins

    def has_auth(self, provider_id: str) -> bool:
        """Whether there is a key for the provider, as far as can be told without running a command."""
        provider = self.providers.get(provider_id)
        if provider is None:
            return False
        return self._keys.has(provider) if provider.needs_key else self.demo

    def key_source(self, provider_id: str) -> KeySource | None:
        """Where the provider's key comes from; None where there is none."""
        provider = self.providers.get(provider_id)
        return None if provider is None else self._keys.source(provider)

    async def resolve_key(self, provider_id: str) -> Secret | None:
        """The provider's key as it would be sent now; None where headers carry it, or none is needed.

        Raises `PiTermError("no_key")`.
        """
        provider = self.providers[provider_id]
        return await self._keys.key(provider) if provider.needs_key else None

    async def resolve_request_auth(self, model: Model) -> RequestAuth:
        """Key and headers for one request to `model`; raises `PiTermError`: `no_key`, `bad_header`."""
        provider = self.providers.get(model.provider)
        if provider is None:
            text = f'There is no provider "{model.provider}" any more.'
            raise PiTermError("unknown_provider", text, "Choose another model.")
        return await self._keys.auth(provider, model) if provider.needs_key else RequestAuth()
