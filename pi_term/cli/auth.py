"""`pi-term auth login|logout|check`: the keys in auth.json."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

from pi_term.ai.catalog.auth import KeySource
from pi_term.ai.catalog.registry import ModelRegistry
from pi_term.base.errors import PiTermError
from pi_term.base.paths import AppPaths
from pi_term.base.sanitize import sanitize, sanitize_line
from pi_term.coding.credentials import FileCredentialStore

HELP = """\
usage: pi-term auth login PROVIDER       store an API key; it is asked for, or read from standard input
       pi-term auth logout PROVIDER      remove what is stored for the provider
       pi-term auth check [PROVIDER]     tell where the key of each provider comes from

A key is never given on the command line, where other users could see it."""

_WORDS = {"login": 1, "logout": 1, "check": 1}
_LONGEST_KEY = 20_000


def run_auth(argv: Sequence[str], paths: AppPaths) -> int:
    """Run the sub-command; returns the exit code. Raises `PiTermError`."""
    if not argv or set(argv) & {"--help", "-h"}:
        _say(HELP)
        return 0
    command, *rest = argv
    if command not in _WORDS:
        # What was typed may be a key: it is not repeated.
        raise PiTermError("usage", "auth takes login, logout or check.", "See pi-term auth --help.")
    if any(word.startswith("-") for word in rest) or len(rest) > 1 or (command != "check" and not rest):
        raise PiTermError("usage", f"auth {command} takes one provider.", "See pi-term auth --help.")
    desk = _Desk(paths)
    if command == "login":
        desk.must_take_key(rest[0])
        # Read outside the event loop: there, Ctrl+C would leave a thread waiting at the terminal.
        return asyncio.run(desk.login(rest[0], _read_key(rest[0])))
    if command == "logout":
        return asyncio.run(desk.logout(rest[0]))
    return asyncio.run(desk.check(rest[0] if rest else None))


class _Desk:
    """The commands, and what they work on."""

    def __init__(self, paths: AppPaths) -> None:
        self._file = paths.auth_file
        self._store = FileCredentialStore(paths.auth_file)
        self._registry = ModelRegistry(paths.models_file, credentials=self._store)
        self._store.refresh()
        for finding in (*self._registry.diagnostics, *self._store.diagnostics):
            sys.stderr.write(f"pi-term: {sanitize_line(finding.text())}\n")

    async def login(self, provider: str, key: str) -> int:
        """Store the key."""
        await self._store.put_key(provider, key)
        _say(f"The key for {provider} is stored in {self._file}.")
        return 0

    async def logout(self, provider: str) -> int:
        """Forget what is stored."""
        if provider not in self._store.providers():
            self.must_know(provider)
        if await self._store.forget(provider):
            _say(f"The key for {provider} is removed from {self._file}.")
        else:
            _say(f"Nothing is stored for {provider}.")
        source = self._registry.key_source(provider)
        if source is not None:
            _say(f"There still is a key for it: {_source_text(source)}.")
        return 0

    async def check(self, provider: str | None) -> int:
        """Tell where keys come from; 1 where one is missing or cannot be made out."""
        if provider is not None:
            self.must_know(provider)
        named = [provider] if provider is not None else sorted(self._registry.providers)
        lines = [line for each in named if (line := await self._state(each, asked=provider is not None))]
        good = [text for ok, text in lines if ok]
        bad = [text for ok, text in lines if not ok]
        for text in (*good, *bad):
            _say(text)
        if not lines:
            _say("No provider has a key. Store one with pi-term auth login PROVIDER.")
        return 1 if bad or not good else 0

    async def _state(self, provider_id: str, *, asked: bool) -> tuple[bool, str] | None:
        provider = self._registry.providers[provider_id]
        if not provider.needs_key:
            return (True, f"{provider_id}: needs no key") if asked else None
        source = self._registry.key_source(provider_id)
        if source is None:
            return (False, f"{provider_id}: no key") if asked else None
        if source.missing:
            return False, f"{provider_id}: {_source_text(source)}: {source.missing} is not set"
        try:
            await self._registry.resolve_key(provider_id)
        except PiTermError as error:
            return False, f"{provider_id}: {error.text()}"
        return True, f"{provider_id}: {_source_text(source)}"

    def must_take_key(self, provider: str) -> None:
        """Raises `PiTermError` for a provider that is not there, or takes no key."""
        self.must_know(provider)
        if not self._registry.providers[provider].needs_key:
            raise PiTermError("usage", f"{provider} needs no key.")

    def must_know(self, provider: str) -> None:
        """Raises `PiTermError` for a provider that is not there."""
        if provider in self._registry.providers:
            return
        from difflib import get_close_matches

        # What was typed may be a key: it is not repeated.
        close = get_close_matches(provider, self._registry.providers, n=1)
        hint = f"Did you mean {close[0]}?" if close else f"There are {', '.join(self._registry.providers)}."
        raise PiTermError("unknown_provider", "There is no provider of that name.", hint)


def _source_text(source: KeySource) -> str:
    match source.kind:
        case "environment":
            return f"the environment variable {source.detail}"
        case "models.json" | "header":
            return source.detail
        case "signed-in":
            return "signed in"
        case _:
            return "auth.json"


def _read_key(provider: str) -> str:
    """The key as it was typed or piped; blocks."""
    if sys.stdin.isatty():
        from getpass import getpass

        try:
            return getpass(f"API key for {provider} (not shown): ")
        except EOFError:
            return ""
    return sys.stdin.read(_LONGEST_KEY)


def _say(text: str) -> None:
    sys.stdout.write(f"{sanitize(text)}\n")
