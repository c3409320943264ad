"""What the tools, and the user's own shell, touch of the world: files and commands.

Whoever implements `Operations` takes all of it elsewhere, to a container, another machine or a sandbox,
without a change to any tool. `LocalOperations` is this machine.

Paths are absolute and written as `/` systems write them; bytes of a name that are not UTF-8 are lone
surrogates (`os.fsdecode`). What fails raises `OSError` whose `strerror` tells why, in words for people.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import field
from typing import Literal, Protocol, TypeAlias

from pi_term.base.abort import AbortSignal
from pi_term.base.dataclass import dataclass

FileKind: TypeAlias = Literal["file", "folder", "other"]
"""`other`: devices, pipes, sockets, and links that lead nowhere."""


@dataclass(frozen=True, slots=True)
class FileStatus:
    """What a path leads to. `size` is in bytes, and means something for files only.

    `mode` are the permission bits; None where they are not known.
    """

    kind: FileKind
    size: int
    mode: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A name in a folder, and what it leads to."""

    name: str
    kind: FileKind


@dataclass(frozen=True, slots=True)
class Command:
    """A program to run in the folder `cwd`.

    `argv[0]` is a path, or a name that is looked up where the command runs. `env` is laid over the
    environment that commands have there.
    """

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exit:
    """How a command ended.

    `code` is 128 + n after signal n, whose name is `signal_name`; it is None when the command was ended
    because nobody wanted it any more.
    """

    code: int | None
    signal_name: str | None = None


class Operations(Protocol):
    """Files and commands somewhere. All methods may be called side by side."""

    @property
    def default_shell(self) -> str:
        """The program that runs command lines (`shell -c text`) where the user chose none."""
        ...

    async def home(self, user: str = "") -> str | None:
        """The home folder of `user` ("": whoever commands run as); None for one that is not known."""
        ...

    async def real_path(self, path: str) -> str:
        """The path with all symbolic links followed, as far as it exists."""
        ...

    async def status(self, path: str) -> FileStatus | None:
        """What is there, links followed; None if nothing is."""
        ...

    async def load(self, path: str, limit: int) -> tuple[FileStatus | None, bytes | None]:
        """What `status` tells and, of a file of at most `limit` bytes that can be read, the content."""
        ...

    async def entries(self, path: str) -> list[FolderEntry]:
        """What a folder holds, in any order."""
        ...

    def read(self, path: str) -> AsyncGenerator[bytes, None]:
        """The content of a file, from its beginning, in pieces of some 100 KB.

        Never waits for the other end of a pipe. Close it (`contextlib.aclosing`) when leaving early.
        """
        ...

    async def write(self, path: str, data: bytes, mode: int | None = None) -> None:
        """Replace the content of a file, whole or not at all; make it and its folders if missing.

        A symbolic link stays one: its target is written. An existing file keeps its mode; a new one gets
        `mode`, or what the umask says.
        """
        ...

    async def remove(self, path: str) -> None:
        """Remove a file, if there is one. A symbolic link stays one: its target is removed."""
        ...

    async def run(self, command: Command, on_output: Callable[[bytes], None], signal: AbortSignal) -> Exit:
        """Run a command to its end, without a terminal and with empty input.

        Standard output and error come as one stream; `on_output` takes it in pieces, one after another, in a
        thread other than the event loop's, because it may wait for a disk. A child that the command leaves
        behind does not hold up the return; it lives on, and what it prints then is dropped. When `signal` is
        aborted, the command and all that it started end within a second. Cancelling kills them at once.

        Raises `OSError` when the command could not be run; `filename` is what stood in the way, the folder
        or the program, where that is known.
        """
        ...
