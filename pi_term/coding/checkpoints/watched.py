"""Operations whose changes of files can be undone."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable

from pi_term.base.abort import AbortSignal
from pi_term.coding.checkpoints.changes import FileChange
from pi_term.coding.checkpoints.content import Content, content_of, look, same
from pi_term.coding.checkpoints.keeper import Keeper
from pi_term.coding.session import SessionFile
from pi_term.coding.tools.operations import Command, Exit, FileStatus, FolderEntry, Operations


class WatchedOperations:
    """The operations of one piece of work: what a file held is kept, and its change noted in the session
    `file`, before it is written or removed. Files over `limit` bytes are noted only.

    `restore` is the id of the restore that they work for, if they do.
    """

    def __init__(
        self,
        inner: Operations,
        keeper: Keeper,
        file: SessionFile,
        limit: int,
        restore: str | None = None,
    ) -> None:
        self._inner = inner
        self._keeper = keeper
        self._file = file
        self._limit = limit
        self._restore = restore
        self._real_paths: dict[str, str] = {}  # as the queue asked for them, shortly before the change

    @property
    def default_shell(self) -> str:
        """See `Operations.default_shell`."""
        return self._inner.default_shell

    async def home(self, user: str = "") -> str | None:
        """See `Operations.home`."""
        return await self._inner.home(user)

    async def real_path(self, path: str) -> str:
        """See `Operations.real_path`."""
        real = self._real_paths[path] = await self._inner.real_path(path)
        return real

    async def status(self, path: str) -> FileStatus | None:
        """See `Operations.status`."""
        return await self._inner.status(path)

    async def load(self, path: str, limit: int) -> tuple[FileStatus | None, bytes | None]:
        """See `Operations.load`."""
        return await self._inner.load(path, limit)

    async def entries(self, path: str) -> list[FolderEntry]:
        """See `Operations.entries`."""
        return await self._inner.entries(path)

    def read(self, path: str) -> AsyncGenerator[bytes, None]:
        """See `Operations.read`."""
        return self._inner.read(path)

    async def write(self, path: str, data: bytes, mode: int | None = None) -> None:
        """See `Operations.write`."""
        await self._before(path, await content_of(data))
        await self._inner.write(path, data, mode)

    async def remove(self, path: str) -> None:
        """See `Operations.remove`."""
        await self._before(path, None)
        await self._inner.remove(path)

    async def run(self, command: Command, on_output: Callable[[bytes], None], signal: AbortSignal) -> Exit:
        """See `Operations.run`. What commands do to files is not watched."""
        return await self._inner.run(command, on_output, signal)

    async def _before(self, path: str, after: Content | None) -> None:
        """Keep and note what is about to change."""
        try:
            real = self._real_paths.pop(path, None) or await self._inner.real_path(path)
            seen = await look(real, self._inner, self._limit)
        except OSError:
            return  # as the change itself will find out
        if seen.kind in (None, "file") and not same(seen.content, after):
            change = FileChange(real, seen.content, after, self._restore)
            await self._keeper.change(self._file, seen, change)
