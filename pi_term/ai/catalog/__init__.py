"""Which models there are, how to name one, and what a request to it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.ai.catalog.auth import ApiKeyCredential, CredentialStore, RequestAuth, Secret
    from pi_term.ai.catalog.levels import clamp_level, supported_levels
    from pi_term.ai.catalog.registry import ModelRegistry
    from pi_term.ai.catalog.search import ModelChoice

_HOMES = {
    "auth": (
        "ApiKeyCredential",
        "CredentialStore",
        "RequestAuth",
        "Secret",
    ),
    "search": ("ModelChoice",),
    "registry": ("ModelRegistry",),
    "levels": (
        "clamp_level",
        "supported_levels",
    ),
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

__getattr__ = lazy_exports(__name__, _HOMES)
