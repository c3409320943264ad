"""What a provider that people sign in with has to offer. Apart from keys, as most starts need none of it."""

from __future__ import annotations

from typing import Protocol

from pi_term.ai.catalog.auth import OAuthCredential


class SignInUi(Protocol):
    """What a sign-in may need of a person; None or "" is the answer of nobody there."""

    async def input(self, title: str, placeholder: str = "") -> str | None:
        """A line of text."""
        ...

    def notify(self, message: str) -> None:
        """Show an address, a code or how far it has got."""
        ...


class OAuthProvider(Protocol):
    """How to sign in with one provider. Errors must not repeat tokens or whole answers of the provider."""

    id: str

    async def login(self, ui: SignInUi) -> OAuthCredential:
        """Sign a person in."""
        ...

    async def refresh(self, credential: OAuthCredential) -> OAuthCredential:
        """Trade the refresh token for new ones. The store is locked for other processes meanwhile."""
        ...
