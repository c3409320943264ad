"""What a request needs besides its payload: the key and the headers, kept out of sight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

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


class CredentialStore(Protocol):
    """Where keys of providers are kept."""

    def get(self, provider: str) -> ApiKeyCredential | None:
        """What is stored for the provider now."""
        ...
