"""auth.json: the user's keys and sign-ins on disk."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from importlib import import_module
from pathlib import Path

from pi_term.ai.catalog.auth import ApiKeyCredential, ChangeCredential, Credential
from pi_term.ai.catalog.values import literal
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.files import atomic_write, private_dir
from pi_term.base.json_locate import JsonFile, JsonPath, read_json_file
from pi_term.coding.credential_file import credentials_in, with_credential

CHANGE_SECONDS = 30.0
"""How long one change may take, the renewal of a sign-in over the network included."""
# Who waits gets a little longer than who holds the lock: the holder lets go first.
_LOCK_GRACE_SECONDS = 5.0
_LOCK_POLL_SECONDS = 0.05


class FileCredentialStore:
    """Credentials of providers in one file, read again whenever it has changed.

    `diagnostics` tells what was wrong with the file when it was last read; no key is ever in them. Changes
    are made under a lock between processes, which lies beside the file itself, whichever link leads to it.
    """

    def __init__(self, file: Path, change_seconds: float = CHANGE_SECONDS) -> None:
        self._file = file
        self._change_seconds = change_seconds
        self._seen: tuple[int, ...] | None = None
        self._entries: dict[str, Credential] = {}
        self._changing = asyncio.Lock()
        self._changes: set[asyncio.Task[Credential | None]] = set()
        self.diagnostics: list[Diagnostic] = []

    def get(self, provider: str) -> Credential | None:
        """The credential stored for the provider; kinds that are unknown here are left alone."""
        self.refresh()
        return self._entries.get(provider)

    def providers(self) -> list[str]:
        """The providers that something is stored for."""
        self.refresh()
        return list(self._entries)

    async def change(self, provider: str, change: ChangeCredential) -> Credential | None:
        """Store what `change` makes of the stored credential; see `CredentialStore`.

        Once begun it goes on though the caller be cancelled: a token that was traded in but not written
        would sign the user out.
        """
        task = asyncio.create_task(self._change(provider, change))
        self._changes.add(task)
        task.add_done_callback(self._changes.discard)
        return await asyncio.shield(task)

    async def put_key(self, provider: str, key: str) -> None:
        """Store a key that stands for itself; variables that are stored with the old one stay.

        Raises `PiTermError`: `bad_key`, and what `change` raises.
        """
        key = key.strip()
        if not key or not key.isascii() or not key.isprintable():
            raise PiTermError("bad_key", "That is no key: it is empty, or has characters no key has.")

        async def with_key(current: Credential | None) -> Credential | None:
            env = current.env if isinstance(current, ApiKeyCredential) else {}
            return ApiKeyCredential(literal(key), env)

        await self.change(provider, with_key)

    async def forget(self, provider: str) -> bool:
        """Remove what is stored for the provider; whether there was something."""
        found = False

        async def nothing(current: Credential | None) -> Credential | None:
            nonlocal found
            found = current is not None
            return None

        await self.change(provider, nothing)
        return found

    async def aclose(self) -> None:
        """Wait for changes that go on."""
        await asyncio.gather(*self._changes, return_exceptions=True)

    async def _change(self, provider: str, change: ChangeCredential) -> Credential | None:
        real = Path(await asyncio.to_thread(os.path.realpath, self._file))
        async with self._changing, self._locked(real.with_name(f".{real.name}.lock")):
            content = await asyncio.to_thread(self._sound_content)
            current = credentials_in(content, _unheard).get(provider)
            try:
                async with asyncio.timeout(self._change_seconds):
                    wanted = await change(current)
            except TimeoutError:
                raise PiTermError(
                    "auth_timeout", f"The provider did not answer within {self._change_seconds:g} s."
                ) from None
            if wanted != current:
                text = with_credential(content.text, provider, wanted)
                await asyncio.to_thread(self._write, real, text)
        return wanted

    def refresh(self) -> None:
        """Read the file again if it has changed."""
        try:
            status = os.stat(self._file)
        except OSError:
            self._seen, self._entries, self.diagnostics = None, {}, []
            return
        seen = (status.st_ino, status.st_mtime_ns, status.st_size, status.st_mode)
        if seen == self._seen:
            return
        file = read_json_file(self._file)
        found: list[Diagnostic] = [] if file.problem is None else [file.problem]

        def report(path: JsonPath, message: str) -> None:
            found.append(file.diagnostic(path, message))

        self._entries = credentials_in(file, report)
        if file.data and status.st_mode & 0o077:
            hint = f"chmod 600 {self._file}"
            found.append(Diagnostic("warning", "can be read by others", self._file, hint=hint))
        self.diagnostics = found
        self._seen = seen

    @asynccontextmanager
    async def _locked(self, lock: Path) -> AsyncIterator[None]:
        """Hold the lock; tried again and again, as waiting in a thread could not be called off."""
        from pi_term.base.locks import file_lock

        await asyncio.to_thread(import_module, "filelock")
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._change_seconds + _LOCK_GRACE_SECONDS
        with ExitStack() as held:
            while True:
                try:
                    held.enter_context(file_lock(lock, timeout=0))
                    break
                except PiTermError as error:
                    if error.code != "locked" or loop.time() > deadline:
                        raise
                    await asyncio.sleep(_LOCK_POLL_SECONDS)
            yield

    def _sound_content(self) -> JsonFile:
        """The file as it is now; blocks. Raises `PiTermError("broken_file")` where a change would lose it."""
        content = read_json_file(self._file)
        if content.problem is not None:
            hint = "Mend the file, then try again."
            raise PiTermError("broken_file", content.problem.text(), hint)
        return content

    def _write(self, real: Path, text: str) -> None:
        """Replace the file, readable by its owner only at every moment; blocks."""
        try:
            private_dir(real.parent)
            if real.exists():
                real.chmod(0o600)
            atomic_write(real, text.encode("utf-8"), mode=0o600)
        except OSError as error:
            raise PiTermError("unwritable", f"Cannot write {self._file}: {error.strerror}.") from error


def _unheard(path: JsonPath, message: str) -> None:
    """What is wrong with other entries is told when the file is read for use."""
