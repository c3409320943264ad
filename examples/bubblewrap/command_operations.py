"""pi-term's tools through any command that starts programs elsewhere: bwrap, ssh, docker exec.

`CommandOperations` needs one thing: how to write such a command. Files are reached with `sh` and the GNU
tools that are there, so nothing has to be installed at the other end.
"""

from __future__ import annotations

import asyncio
import errno
import os
import posixpath
import re
import signal
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress

from pi_term.base.abort import AbortSignal
from pi_term.coding.tools import LOCAL, Command, Exit, FileKind, FileStatus, FolderEntry

_READ_BYTES = 256 * 1024
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_ERRORS = {os.strerror(number): number for number in errno.errorcode}

_STATUS = 'stat -L -c "%f %s" -- "$1"'
_ENTRIES = r'find "$1/" -mindepth 1 -maxdepth 1 -printf "%f\0%Y\0"'
_READ = """
if [ -p "$1" ] || [ -c "$1" ]; then echo "x: Not a regular file" >&2; exit 1; fi
exec cat -- "$1"
"""
# The new content is complete before it takes the place of the old. A sender that died sent too little.
_WRITE = """
set -e
mkdir -p -- "$2"
new=$(mktemp -- "$2/.pi-term-XXXXXXXX")
trap 'rm -f -- "$new"' EXIT
cat > "$new"
[ "$(wc -c < "$new")" -eq "$3" ]
if [ -e "$1" ]; then chmod --reference="$1" -- "$new"
else chmod "${4:-$(printf %o $((0666 & ~$(umask))))}" -- "$new"; fi
sync -- "$new"
mv -fT -- "$new" "$1"
"""
_REMOVE = '[ -d "$1" ] || exec rm -f -- "$1"; echo "x: Is a directory" >&2; exit 1'
_KINDS: dict[bytes, FileKind] = {b"f": "file", b"d": "folder"}
_MODES: dict[int, FileKind] = {0o100000: "file", 0o040000: "folder"}


class CommandOperations:
    """Files and commands at the other end of a command.

    `elsewhere(command)` gives the program and arguments which, on this machine, run `command` there, in its
    folder and environment; they must end when they are killed, and all that they started with them.
    """

    default_shell = "bash"

    def __init__(self, elsewhere: Callable[[Command], Sequence[str]]) -> None:
        self._elsewhere = elsewhere

    async def home(self, user: str = "") -> str | None:
        """See `Operations.home`."""
        if not user:
            return (await self._output('printf %s "$HOME"')).decode() or None
        if not _USER.fullmatch(user):
            return None
        with suppress(OSError):
            fields = (await self._output('getent passwd "$1"', user)).decode().split(":")
            return fields[5]
        return None

    async def real_path(self, path: str) -> str:
        """See `Operations.real_path`."""
        return os.fsdecode((await self._output('realpath -zm -- "$1"', path)).rstrip(b"\0"))

    async def status(self, path: str) -> FileStatus | None:
        """See `Operations.status`."""
        try:
            mode, size = (await self._output(_STATUS, path)).split()
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR):
                return None
            raise
        bits = int(mode, 16)
        return FileStatus(_MODES.get(bits & 0o170000, "other"), int(size), bits & 0o7777)

    async def load(self, path: str, limit: int) -> tuple[FileStatus | None, bytes | None]:
        """See `Operations.load`."""
        status = await self.status(path)
        if status is None or status.kind != "file" or status.size > limit:
            return status, None
        with suppress(OSError):
            data = await self._output('head -c "$2" -- "$1"', path, str(limit + 1))
            return status, data if len(data) <= limit else None
        return status, None

    async def entries(self, path: str) -> list[FolderEntry]:
        """See `Operations.entries`."""
        fields = (await self._output(_ENTRIES, path)).split(b"\0")
        pairs = zip(fields[::2], fields[1::2], strict=False)
        return [FolderEntry(os.fsdecode(name), _KINDS.get(kind, "other")) for name, kind in pairs]

    async def read(self, path: str) -> AsyncGenerator[bytes, None]:
        """See `Operations.read`."""
        process = await self._start(_READ, path)
        assert process.stdout is not None
        try:
            while piece := await process.stdout.read(_READ_BYTES):
                yield piece
            await _check(process)
        finally:
            await _end(process)

    async def write(self, path: str, data: bytes, mode: int | None = None) -> None:
        """See `Operations.write`."""
        target = await self.real_path(path)
        bits = "" if mode is None else f"{mode:o}"
        await self._output(_WRITE, target, posixpath.dirname(target), str(len(data)), bits, sent=data)

    async def remove(self, path: str) -> None:
        """See `Operations.remove`."""
        await self._output(_REMOVE, await self.real_path(path))

    async def run(self, command: Command, on_output: Callable[[bytes], None], wanted: AbortSignal) -> Exit:
        """See `Operations.run`."""
        return await LOCAL.run(Command(list(self._elsewhere(command)), "/"), on_output, wanted)

    async def _output(self, script: str, *args: str, sent: bytes = b"") -> bytes:
        process = await self._start(script, *args)
        try:
            output, errors = await process.communicate(sent)
        finally:
            await _end(process)
        _raise_for(process.returncode, errors)
        return output

    async def _start(self, script: str, *args: str) -> asyncio.subprocess.Process:
        command = Command(["sh", "-c", script, "sh", *args], "/", {"LC_ALL": "C"})
        return await asyncio.create_subprocess_exec(
            *self._elsewhere(command),
            cwd="/",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )


async def _check(process: asyncio.subprocess.Process) -> None:
    assert process.stderr is not None
    errors = await process.stderr.read()
    _raise_for(await process.wait(), errors)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Nothing of it is left, also when its output was not wanted to the end."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    for stream in (process.stdout, process.stderr):
        while stream is not None and await stream.read(_READ_BYTES):
            pass  # asyncio does not see the end of a process whose output nobody takes
    await process.wait()


def _raise_for(code: int | None, errors: bytes) -> None:
    """`cat: x: No such file or directory` becomes the `OSError` that it is."""
    if code == 0:
        return
    lines = errors.decode("utf-8", "replace").strip().splitlines() or [f"exit code {code}"]
    cause = lines[-1].rpartition(": ")[2]
    raise OSError(_ERRORS.get(cause, errno.EIO), cause)
