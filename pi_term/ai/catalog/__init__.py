"""Which models there are, how to name one, and what a request to it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.ai.catalog.auth import (
        ApiKeyCredential,
        ChangeCredential,
        Credential,
        CredentialStore,
        KeySource,
        OAuthCredential,
        RequestAuth,
        Secret,
    )
    from pi_term.ai.catalog.levels import clamp_level, supported_levels
    from pi_term.ai.catalog.local import LocalServer, find_local_servers
    from pi_term.ai.catalog.registry import ModelRegistry
    from pi_term.ai.catalog.search import ModelChoice, search_models
    from pi_term.ai.catalog.sign_in import OAuthProvider, SignInUi

_HOMES = {
    "auth": (
        "ApiKeyCredential",
        "ChangeCredential",
        "Credential",
        "CredentialStore",
        "KeySource",
        "OAuthCredential",
        "RequestAuth",
        "Secret",
    ),
    "sign_in": ("OAuthProvider", "SignInUi"),
    "search": ("ModelChoice", "search_models"),
    "registry": ("ModelRegistry",),
    "levels": (
        "clamp_level",
        "supported_levels",
    ),
    "local": ("LocalServer", "find_local_servers"),
}

__all__ = [
    "ApiKeyCredential",
    "ChangeCredential",
    "Credential",
    "CredentialStore",
    "KeySource",
    "LocalServer",
    "ModelChoice",
    "ModelRegistry",
    "OAuthCredential",
    "OAuthProvider",
    "RequestAuth",
    "Secret",
    "SignInUi",
    "clamp_level",
    "find_local_servers",
    "search_models",
    "supported_levels",
]

__getattr__ = lazy_exports(__name__, _HOMES)
