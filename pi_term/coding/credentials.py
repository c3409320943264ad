"""auth.json: the user's keys on disk."""

from __future__ import annotations

import os
from pathlib import Path

from pi_term.ai.catalog.auth import ApiKeyCredential
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.json_kinds import BAD, TEXT, MapOf, Shape
from pi_term.base.json_locate import JsonFile, JsonPath, read_json_file

_API_KEY = Shape({"key": TEXT, "env": MapOf(TEXT)})


class FileCredentialStore:
    """Credentials of providers in one file, read again whenever it has changed.

    `diagnostics` tells what was wrong with the file when it was last read; no key is ever in them.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._seen: tuple[int, ...] | None = None
        self._entries: dict[str, ApiKeyCredential] = {}
        self.diagnostics: list[Diagnostic] = []

    def get(self, provider: str) -> ApiKeyCredential | None:
        """The API key stored for the provider; other kinds of credentials are left alone."""
        self._refresh()
        return self._entries.get(provider)

    def _refresh(self) -> None:
        try:
            status = os.stat(self._file)
        except OSError:
            self._seen, self._entries, self.diagnostics = None, {}, []
            return
        seen = (status.st_ino, status.st_mtime_ns, status.st_size, status.st_mode)
        if seen == self._seen:
            return
        file = read_json_file(self._file)
        self.diagnostics = [] if file.problem is None else [file.problem]
        self._entries = self._read(file)
        self._seen = seen
        if file.data and status.st_mode & 0o077:
            self.diagnostics.append(
                Diagnostic("warning", "can be read by others", self._file, hint=f"chmod 600 {self._file}")
            )

    def _read(self, file: JsonFile) -> dict[str, ApiKeyCredential]:
        def report(path: JsonPath, message: str) -> None:
            self.diagnostics.append(file.diagnostic(path, message))

        entries: dict[str, ApiKeyCredential] = {}
        for provider, entry in file.data.items():
            if isinstance(entry, dict) and entry.get("type", "api_key") != "api_key":
                continue
            fields = _API_KEY.clean(entry, report, (provider,))
            if fields is not BAD:
                entries[provider] = ApiKeyCredential(fields.get("key"), fields.get("env", {}))
        return entries
