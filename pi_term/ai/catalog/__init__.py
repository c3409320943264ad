"""Which models there are, how to name one, and what a request to it needs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pi_term.ai.catalog.auth import ApiKeyCredential, CredentialStore, RequestAuth, Secret
    from pi_term.ai.catalog.levels import clamp_level, supported_levels
    from pi_term.ai.catalog.registry import ModelRegistry
    from pi_term.ai.catalog.search import ModelChoice

_HOMES = {
    "ApiKeyCredential": "auth",
    "CredentialStore": "auth",
    "ModelChoice": "search",
    "ModelRegistry": "registry",
    "RequestAuth": "auth",
    "Secret": "auth",
    "clamp_level": "levels",
    "supported_levels": "levels",
}

__all__ = [
    "ApiKeyCredential",
    "CredentialStore",
    "ModelChoice",
    "ModelRegistry",
    "RequestAuth",
    "Secret",
    "clamp_level",
    "supported_levels",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{home}"), name)
