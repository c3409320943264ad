"""Kept contents: each once, under its SHA-256, whichever sessions and files it comes from."""

from __future__ import annotations

import os
import re
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from pi_term.base.dataclass import dataclass
from pi_term.base.files import private_dir, write_all

_FOLDER = re.compile(r"[0-9a-f]")
_NAME = re.compile(r"[0-9a-f]{63}")
_LITTER = re.compile(r"\.pi-term-[0-9a-f]{16}\.tmp")
_LITTER_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Blob:
    """A kept content as it lies on the disk; `used` is when it was last put there, in Unix seconds."""

    digest: str
    size: int
    used: float


class BlobStore:
    """Contents in a folder only their owner may read. All methods block and may be called side by side,
    also by several processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, digest: str, data: bytes) -> int:
        """Keep `data`; gives the bytes that took, 0 where it was there already. Raises `OSError`.

        Is whole or not there when the process is killed. It is not forced to the disk, which would take
        longer than the change it is for: after a power cut `get` finds out what was torn.
        """
        path = self._path(digest)
        with suppress(FileNotFoundError):
            if path.stat().st_size:
                os.utime(path)  # somebody is about to name it
                return 0
        squeezed = zlib.compress(data, 1)
        if len(squeezed) >= len(data):
            squeezed = zlib.compress(data, 0)
        self._write(path, squeezed)
        return len(squeezed)

    def get(self, digest: str) -> bytes | None:
        """A kept content; None where it is not there any more, or not whole."""
        try:
            data = zlib.decompress(self._path(digest).read_bytes())
        except (OSError, zlib.error):
            return None
        return data if sha256(data).hexdigest() == digest else None

    def has(self, digest: str) -> bool:
        """Whether there is a content of that name; `get` may yet find it torn."""
        return self._path(digest).is_file()

    def blobs(self) -> Iterator[Blob]:
        """All kept contents; on the way, what killed processes left is cleared away."""
        for name in _names(self.folder):
            if _FOLDER.fullmatch(name):
                yield from self._blobs_in(name)

    def remove(self, blob: Blob) -> None:
        """Keep a content no longer, unless it was put there again meanwhile; raises `OSError`."""
        path = self._path(blob.digest)
        if path.stat().st_mtime == blob.used:
            path.unlink()

    def _path(self, digest: str) -> Path:
        # Few folders: to make one takes as long as the change that the content is kept for.
        return self.folder / digest[:1] / digest[1:]

    def _blobs_in(self, folder: str) -> Iterator[Blob]:
        for name in _names(self.folder / folder):
            path = self.folder / folder / name
            with suppress(OSError):  # another process removes as well
                status = path.lstat()
                if _NAME.fullmatch(name):
                    yield Blob(folder + name, status.st_size, status.st_mtime)
                elif _LITTER.fullmatch(name) and status.st_mtime < time.time() - _LITTER_SECONDS:
                    path.unlink()

    def _write(self, path: Path, data: bytes) -> None:
        temporary = path.with_name(f".pi-term-{os.urandom(8).hex()}.tmp")
        try:
            descriptor = _new_file(temporary)
        except FileNotFoundError:
            private_dir(path.parent)
            descriptor = _new_file(temporary)
        try:
            try:
                write_all(descriptor, data)
            finally:
                os.close(descriptor)
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise


def _new_file(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
