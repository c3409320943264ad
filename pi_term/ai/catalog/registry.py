"""All models that are known, and the credentials of their providers."""

from __future__ import annotations

import os
import re
from collections import ChainMap
from collections.abc import Iterable, Mapping
from pathlib import Path

from pi_term.ai.catalog.auth import ApiKeyCredential, CredentialStore, RequestAuth, Secret
from pi_term.ai.catalog.models_file import apply_models_file
from pi_term.ai.catalog.providers import Provider, builtin_providers
from pi_term.ai.catalog.search import ModelChoice, find_model, match_models
from pi_term.ai.catalog.values import is_command, is_literal, missing_names, resolve_value
from pi_term.ai.models import Model
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.json_locate import read_json_file

_KEY_HEADERS = frozenset({"authorization", "x-api-key", "api-key", "x-goog-api-key"})
_SECRET_NAME = re.compile("auth|cookie|key|pass|secret|token", re.IGNORECASE)


class ModelRegistry:
    """Models by provider, from what is built in and from models.json.

    A key comes from the first of: one set for this run, the credential store, the environment,
    models.json; it is looked up anew for every request. `diagnostics` tells what is wrong with models.json.
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
        self._credentials = credentials
        self._env: Mapping[str, str] = os.environ if env is None else env
        self._keys: dict[str, Secret] = {}
        self._outputs: dict[str, str] = {}
        self.demo = demo
        self.providers: dict[str, Provider] = {}
        self.diagnostics: list[Diagnostic] = []
        self.reload()

    def reload(self) -> None:
        """Read models.json again."""
        self.providers, self.diagnostics = builtin_providers(), []
        if self._file is not None:
            file = read_json_file(self._file)
            self.providers, self.diagnostics = apply_models_file(self.providers, file)

    def models(self) -> list[Model]:
        """Every listed model, by provider, in the order of the file."""
        return [model for provider in self.providers.values() for model in provider.models]

    def available(self) -> list[Model]:
        """The models whose provider has a key; the demo only when it was asked for."""
        return [
            model
            for provider in self.providers.values()
            if provider.models and self.has_auth(provider.id)
            for model in provider.models
        ]

    def get(self, provider: str, model_id: str) -> Model | None:
        """The listed model with exactly this name."""
        known = self.providers.get(provider)
        return None if known is None else next((each for each in known.models if each.id == model_id), None)

    def find(self, pattern: str, provider: str | None = None) -> ModelChoice:
        """The one model that a person means by `pattern`; see `find_model`."""
        return find_model(self, pattern, provider)

    def match(self, patterns: Iterable[str]) -> tuple[list[ModelChoice], list[Diagnostic]]:
        """The available models that a list of patterns means; see `match_models`."""
        return match_models(self, patterns)

    def set_key(self, provider: str, key: str) -> None:
        """Use `key` for this provider, before all others, as long as the program runs."""
        self._keys[provider] = Secret.of(key.strip())

    def has_auth(self, provider_id: str) -> bool:
        """Whether there is a key for the provider, as far as can be told without running a command."""
        provider = self.providers.get(provider_id)
        if provider is None:
            return False
        if not provider.needs_key:
            return self.demo
        credential = self._credential(provider_id)
        env = self._environment(credential)
        if provider_id in self._keys:
            return True
        if credential.key:
            return not missing_names(credential.key, env)
        if any(env.get(name, "").strip() for name in provider.env_keys):
            return True
        if provider.api_key:
            return not missing_names(provider.api_key, env)
        return _sends_key(provider.headers, env)

    async def resolve_request_auth(self, model: Model) -> RequestAuth:
        """Key and headers for one request to `model`; raises `PiTermError`: `no_key`, `bad_header`."""
        provider = self.providers.get(model.provider)
        if provider is None:
            raise PiTermError("unknown_provider", f'There is no provider "{model.provider}" any more.')
        if not provider.needs_key:
            return RequestAuth()
        credential = self._credential(provider.id)
        env = self._environment(credential)
        key = await self._key(provider, credential, env)
        headers = {name: await self._header(name, value, model, env) for name, value in model.headers.items()}
        if key is None and not _sends_key(model.headers, env):
            raise PiTermError("no_key", f"There is no API key for {provider.id}.", self._advice(provider))
        if provider.auth_header and key is not None and "authorization" not in map(str.lower, headers):
            headers["Authorization"] = Secret(f"Bearer {key}")
        return RequestAuth(key, headers)

    def _credential(self, provider_id: str) -> ApiKeyCredential:
        stored = None if self._credentials is None else self._credentials.get(provider_id)
        return stored or ApiKeyCredential()

    def _environment(self, credential: ApiKeyCredential) -> Mapping[str, str]:
        return ChainMap(dict(credential.env), dict(self._env)) if credential.env else self._env

    async def _key(
        self, provider: Provider, credential: ApiKeyCredential, env: Mapping[str, str]
    ) -> Secret | None:
        try:
            found = await self._configured_key(provider, credential, env)
            return None if found is None else Secret.of(_sendable(found))
        except PiTermError as error:
            message = f"There is no API key for {provider.id}: {error.message}."
            raise PiTermError("no_key", message, self._advice(provider)) from None

    async def _configured_key(
        self, provider: Provider, credential: ApiKeyCredential, env: Mapping[str, str]
    ) -> str | None:
        if provider.id in self._keys:
            return self._keys[provider.id]
        if credential.key:
            return await self._stored(credential.key, env)
        for name in provider.env_keys:
            if env.get(name, "").strip():
                return env[name].strip()
        return await resolve_value(provider.api_key, env) if provider.api_key else None

    async def _stored(self, value: str, env: Mapping[str, str]) -> str:
        """A value of the credential store; what its command printed counts for as long as we run."""
        if not is_command(value):
            return await resolve_value(value, env)
        if value not in self._outputs:
            self._outputs[value] = await resolve_value(value, env)
        return self._outputs[value]

    async def _header(self, name: str, value: str, model: Model, env: Mapping[str, str]) -> str:
        try:
            resolved = _sendable(await resolve_value(value, env))
        except PiTermError as error:
            message = f"Header {name} of {model.key}: {error.message}."
            raise PiTermError("bad_header", message, f"It is set in {self._file}.") from None
        return resolved if is_literal(value) and not _SECRET_NAME.search(name) else Secret.of(resolved)

    def _advice(self, provider: Provider) -> str:
        if provider.env_keys:
            return f"Set the environment variable {provider.env_keys[0]}, or use --api-key."
        return f'Set "apiKey" of "{provider.id}" in {self._file}, or use --api-key.'


def _sends_key(headers: Mapping[str, str], env: Mapping[str, str]) -> bool:
    """Whether a header that carries keys is configured (and can be filled in)."""
    return any(name.lower() in _KEY_HEADERS and not missing_names(headers[name], env) for name in headers)


def _sendable(text: str) -> str:
    """`text`, refused when no header can carry it: further down the error would show it."""
    if not text or not (text.isascii() and text.isprintable()):
        raise PiTermError("unresolved", "the value is empty or has characters that cannot be sent")
    return text
