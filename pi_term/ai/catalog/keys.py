"""The keys of providers: where they come from, and what they are for one request."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.ai.catalog.auth import (
    ApiKeyCredential,
    Credential,
    CredentialStore,
    KeySource,
    OAuthCredential,
    RequestAuth,
    Secret,
)
from pi_term.ai.catalog.providers import Provider
from pi_term.ai.catalog.values import is_command, is_literal, missing_names, resolve_value
from pi_term.ai.models import Model
from pi_term.base.clock import now_ms
from pi_term.base.errors import PiTermError
from pi_term.base.log import redact

if TYPE_CHECKING:
    from pi_term.ai.catalog.sign_in import OAuthProvider

_KEY_HEADERS = frozenset({"authorization", "x-api-key", "api-key", "x-goog-api-key"})
_SECRET_NAME = re.compile("auth|cookie|key|pass|secret|token", re.IGNORECASE)
# A token must outlast the request that it is sent with.
_LEAST_LIFE_MS = 60_000


class KeyChain:
    """Keys by provider. A key comes from the first of: one set for this run, the credential store, the
    environment, models.json; it is looked up anew for every request.
    """

    def __init__(
        self, credentials: CredentialStore | None, env: Mapping[str, str], models_file: Path | None
    ) -> None:
        self._credentials = credentials
        self._env = env
        self._models_file = models_file
        self._run_keys: dict[str, Secret] = {}
        self._outputs: dict[str, str] = {}
        self.sign_ins: dict[str, OAuthProvider] = {}

    def use(self, provider_id: str, key: str) -> None:
        """Use `key` for this provider, before all others, as long as the program runs."""
        self._run_keys[provider_id] = Secret.of(key.strip())

    def add_sign_in(self, flow: OAuthProvider) -> None:
        """From now on stored sign-ins of this provider count, and are renewed by `flow`."""
        self.sign_ins[flow.id] = flow

    def source(self, provider: Provider) -> KeySource | None:
        """Where the provider's key will come from, as far as can be told without running a command."""
        if provider.id in self._run_keys:
            return KeySource("run")
        credential = self._credential(provider.id)
        if isinstance(credential, OAuthCredential):
            return KeySource("signed-in")
        env = self._environment(credential)
        if credential.key:
            return KeySource("stored", missing=_first_missing(credential.key, env))
        for name in (*provider.env_keys, *provider.env_bearers):
            if env.get(name, "").strip():
                return KeySource("environment", name)
        if provider.api_key:
            return KeySource("models.json", str(self._models_file), _first_missing(provider.api_key, env))
        return KeySource("header", str(self._models_file)) if _sends_key(provider.headers, env) else None

    def has(self, provider: Provider) -> bool:
        """Whether there is a key, as far as can be told without running a command."""
        source = self.source(provider)
        return source is not None and not source.missing

    async def key(self, provider: Provider) -> Secret | None:
        """The key as it would be sent now; None where headers carry it. Raises `PiTermError("no_key")`."""
        credential = self._credential(provider.id)
        return await self._key(provider, credential, self._environment(credential))

    async def auth(self, provider: Provider, model: Model) -> RequestAuth:
        """Key and headers for one request to `model`; raises `PiTermError`: `no_key`, `bad_header`."""
        credential = self._credential(provider.id)
        env = self._environment(credential)
        key = await self._key(provider, credential, env)
        headers = {name: await self._header(name, value, model, env) for name, value in model.headers.items()}
        named = {name.lower() for name in headers}
        bearer: str | None = key if provider.auth_header else None
        if key is None and not _sends_key(model.headers, env):
            bearer = self._bearer(provider, env)
        if bearer is not None and "authorization" not in named:
            headers["Authorization"] = Secret.of(f"Bearer {bearer}")
        return RequestAuth(key, headers)

    def _credential(self, provider_id: str) -> Credential:
        """What is stored; a sign-in that nobody can renew counts for nothing."""
        stored = None if self._credentials is None else self._credentials.get(provider_id)
        if isinstance(stored, OAuthCredential) and provider_id not in self.sign_ins:
            stored = None
        return stored or ApiKeyCredential()

    def _environment(self, credential: Credential) -> Mapping[str, str]:
        if isinstance(credential, OAuthCredential) or not credential.env:
            return self._env
        return ChainMap(dict(credential.env), dict(self._env))

    async def _key(self, provider: Provider, credential: Credential, env: Mapping[str, str]) -> Secret | None:
        try:
            found = await self._configured_key(provider, credential, env)
            return None if found is None else Secret.of(_sendable(found))
        except PiTermError as error:
            message = f"There is no API key for {provider.id}: {error.message.removesuffix('.')}."
            raise PiTermError("no_key", message, self._advice(provider, credential)) from None

    async def _configured_key(
        self, provider: Provider, credential: Credential, env: Mapping[str, str]
    ) -> str | None:
        if provider.id in self._run_keys:
            return self._run_keys[provider.id]
        if isinstance(credential, OAuthCredential):
            return await self._access_token(provider.id, credential)
        if credential.key:
            return await self._stored(credential.key, env)
        for name in provider.env_keys:
            if env.get(name, "").strip():
                return env[name].strip()
        if any(env.get(name, "").strip() for name in provider.env_bearers):
            return None
        return await resolve_value(provider.api_key, env) if provider.api_key else None

    async def _access_token(self, provider_id: str, credential: OAuthCredential) -> str:
        """The token, renewed when it is about to end, by one process only."""
        if credential.lasts_until(now_ms() + _LEAST_LIFE_MS):
            return credential.access
        flow = self.sign_ins[provider_id]

        async def renew(current: Credential | None) -> Credential | None:
            if not isinstance(current, OAuthCredential):
                return current
            if current.lasts_until(now_ms() + _LEAST_LIFE_MS):
                return current  # another process was faster
            for token in (current.access, current.refresh):
                Secret.of(token)
            return await flow.refresh(current)

        assert self._credentials is not None
        try:
            renewed = await self._credentials.change(provider_id, renew)
        except PiTermError:
            raise
        except Exception as error:  # noqa: BLE001 - a flow may be anybody's code
            said = redact(str(error) or type(error).__name__)
            raise PiTermError("sign_in", f"the sign-in could not be renewed ({said})") from None
        if not isinstance(renewed, OAuthCredential):
            raise PiTermError("sign_in", "the sign-in was ended meanwhile")
        Secret.of(renewed.refresh)
        return renewed.access

    async def _stored(self, value: str, env: Mapping[str, str]) -> str:
        """A value of the credential store; what its command printed counts for as long as we run."""
        if not is_command(value):
            return await resolve_value(value, env)
        if value not in self._outputs:
            self._outputs[value] = await resolve_value(value, env)
        return self._outputs[value]

    def _bearer(self, provider: Provider, env: Mapping[str, str]) -> str:
        """A token of the environment; raises when there is none, for it is the last that could be."""
        found = next((env[name].strip() for name in provider.env_bearers if env.get(name, "").strip()), "")
        if not found:
            message = f"There is no API key for {provider.id}."
            raise PiTermError("no_key", message, self._advice(provider, ApiKeyCredential()))
        try:
            return _sendable(found)
        except PiTermError as error:
            raise PiTermError("no_key", f"The token for {provider.id} is wrong: {error.message}.") from None

    async def _header(self, name: str, value: str, model: Model, env: Mapping[str, str]) -> str:
        try:
            resolved = _sendable(await resolve_value(value, env))
        except PiTermError as error:
            message = f"Header {name} of {model.key}: {error.message}."
            raise PiTermError("bad_header", message, f"It is set in {self._models_file}.") from None
        return resolved if is_literal(value) and not _SECRET_NAME.search(name) else Secret.of(resolved)

    def _advice(self, provider: Provider, credential: Credential) -> str:
        login = f"/login {provider.id} in the program or pi-term auth login {provider.id}"
        if isinstance(credential, OAuthCredential):
            return f"Sign in again: {login}."
        if provider.env_keys:
            return f"Set the environment variable {provider.env_keys[0]}, or use {login}."
        return f'Set "apiKey" of "{provider.id}" in {self._models_file}, or use {login}.'


def _first_missing(value: str, env: Mapping[str, str]) -> str:
    return next(iter(missing_names(value, env)), "")


def _sends_key(headers: Mapping[str, str], env: Mapping[str, str]) -> bool:
    """Whether a header that carries keys is configured (and can be filled in)."""
    return any(name.lower() in _KEY_HEADERS and not missing_names(headers[name], env) for name in headers)


def _sendable(text: str) -> str:
    """`text`, refused when no header can carry it: further down the error would show it."""
    if not text or not (text.isascii() and text.isprintable()):
        raise PiTermError("unresolved", "the value is empty or has characters that cannot be sent")
    return text
