"""Credentials, and what a request needs besides its payload: the key and the headers, kept out of sight."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Literal, NamedTuple, Protocol, TypeAlias

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.log import remember_secret


class Secret(str):
    """A string that does not show itself in `repr`, tracebacks and logs; `str` methods see its text."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Secret(…)"

    @classmethod
    def of(cls, text: str) -> Secret:
        """Wrap `text` and have the log cut it out from now on."""
        remember_secret(text)
        return cls(text)


@dataclass(frozen=True, slots=True)
class RequestAuth:
    """A key (None where a provider needs none) and all configured headers, ready to send."""

    api_key: Secret | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class ApiKeyCredential:
    """A stored API key: a literal, `$NAME` or `!command`.

    `env` is laid over the process environment for this provider.
    """

    key: str | None = field(default=None, repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class OAuthCredential:
    """What a sign-in gave: `access` is sent with requests until `expires` (Unix time in milliseconds), then
    `refresh` buys a new pair, often once only. `extra` has what else the provider wants to remember.
    """

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    expires: int
    extra: JsonObject = field(default_factory=dict, repr=False)

    def lasts_until(self, moment: int) -> bool:
        """Whether the access token is still good at `moment`."""
        return moment < self.expires


Credential: TypeAlias = ApiKeyCredential | OAuthCredential
ChangeCredential: TypeAlias = Callable[[Credential | None], Awaitable[Credential | None]]


class CredentialStore(Protocol):
    """Where the credentials of providers are kept."""

    def get(self, provider: str) -> Credential | None:
        """What is stored for the provider now."""
        ...

    async def change(self, provider: str, change: ChangeCredential) -> Credential | None:
        """Store what `change` makes of the stored credential (None: nothing), and give it back.

        No other process changes the store meanwhile. Raises `PiTermError`: `locked`, `auth_timeout`,
        `broken_file`, `unwritable`; what `change` raises changes nothing.
        """
        ...


class KeySource(NamedTuple):
    """Where a key comes from. `detail` is the variable or file; `missing` a variable that it lacks."""

    kind: Literal["run", "stored", "signed-in", "environment", "models.json", "header"]
    detail: str = ""
    missing: str = ""
