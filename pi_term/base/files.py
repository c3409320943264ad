"""Files written whole or not at all, and folders only their owner may read."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from pi_term.base.errors import PiTermError


def private_dir(path: Path) -> Path:
    """Make `path` (and its parents) readable by the owner only; existing ones are left as they are."""
    missing = [path, *path.parents]
    for folder in reversed([each for each in missing if not each.exists()]):
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
    return path


def atomic_write(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Replace the content of `path` by `data`, whole or not at all, and force it to the disk.

    A symbolic link stays a link: its target is written. An existing file keeps its mode and, as far as this
    user may give files away, its owner; a new one gets `mode` or what the umask says. Raises `OSError`;
    nothing is left behind then.
    """
    target = Path(os.path.realpath(path))
    before = _status(target)
    wanted = mode if before is None else before.st_mode & 0o7777
    temporary = target.with_name(f".pi-term-{os.urandom(8).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, 0o600 if wanted is not None else 0o666)
    try:
        try:
            write_all(descriptor, data)
            if before is not None:
                _give_to(descriptor, before)
            if wanted is not None:
                os.fchmod(descriptor, wanted)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _give_to(descriptor: int, before: os.stat_result) -> None:
    """Make the new file belong to whom the old one did: a program of root's must not take files away."""
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        with suppress(PermissionError):
            os.fchown(descriptor, before.st_uid, before.st_gid)


def write_all(descriptor: int, data: bytes) -> None:
    """`os.write` until all of `data` is written."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def read_text(path: Path) -> str:
    """The text of a UTF-8 file without its byte-order mark; raises `PiTermError` with the cause."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PiTermError("not_utf8", f"{path} is not UTF-8 (byte {error.start}).") from None
    except OSError as error:
        raise PiTermError("unreadable", f"Cannot read {path}: {error.strerror}.") from error
