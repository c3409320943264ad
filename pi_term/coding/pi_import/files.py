"""Whole files of Pi's: sessions, themes, prompts and skills. All functions block."""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pi_term.base.errors import PiTermError
from pi_term.base.files import private_dir
from pi_term.base.paths import AppPaths
from pi_term.coding.pi_import.report import Part
from pi_term.coding.session import folder_for_cwd
from pi_term.coding.session.folders import files_below
from pi_term.coding.session.genuine import require_session
from pi_term.coding.session.importing import import_session

_COMPARED = 1 << 20  # bytes at once


def take_sessions(source: Path, paths: AppPaths, part: Part) -> None:
    """Session files, byte for byte, each into the folder that has the sessions of its working folder."""
    for file in files_below(source / "sessions"):
        name = file.path.stem
        try:
            cwd = require_session(file.path).cwd
            target = folder_for_cwd(paths.sessions_dir, Path(cwd))
            known = _names(target)
            copy = import_session(file.path, target)
            (part.there if copy.name in known else part.taken).append(name)
        except PiTermError as error:
            if error.code == "session_exists":
                (part.there if _went_on(file.path, target) else part.differs).append(name)
            else:
                part.left.append(error.message)


def _names(folder: Path) -> set[str]:
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()


def _went_on(path: Path, folder: Path) -> bool:
    """Whether a file of ours begins with all that is in Pi's: the session went on here."""
    ending = f"_{require_session(path).id}.jsonl"
    with suppress(OSError):  # one that cannot be read is not known to be the same
        size = path.stat().st_size
        for ours in (folder / name for name in _names(folder) if name.endswith(ending)):
            if ours.stat().st_size > size and _begins_with(ours, path):
                return True
    return False


def _begins_with(longer: Path, shorter: Path) -> bool:
    with longer.open("rb") as one, shorter.open("rb") as other:
        while piece := other.read(_COMPARED):
            if one.read(len(piece)) != piece:
                return False
    return True


def take_files(source: Path, names: Iterator[str], target: Path, part: Part) -> None:
    """Files and folders of these names, each whole or not at all. Links are followed."""
    for name in names:
        real = Path(os.path.realpath(source / name))
        try:
            if os.path.lexists(target / name):
                same = _same(real, target / name)
                (part.there if same else part.differs).append(name)
                continue
            _copy(real, private_dir(target) / name)
            part.taken.append(name)
        except (OSError, shutil.Error) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else "cannot be copied"
            part.left.append(f"{name}: {reason}")


def entries(folder: Path, ending: str = "") -> Iterator[str]:
    """The names in a folder, in order; hidden ones are nobody's resources."""
    for name in sorted(_names(folder)):
        if not name.startswith(".") and name.endswith(ending):
            yield name


def _same(one: Path, other: Path) -> bool:
    if one.is_dir() != other.is_dir():
        return False
    if not one.is_dir():
        return filecmp.cmp(one, other, shallow=False)
    names = _names(one)
    return names == _names(other) and all(_same(one / name, other / name) for name in names)


def _copy(source: Path, target: Path) -> None:
    """Copy to a name beside it first: a copy that breaks off must not look like a whole one."""
    beside = target.with_name(f".pi-term-{os.urandom(8).hex()}.tmp")
    try:
        if source.is_dir():
            shutil.copytree(source, beside, symlinks=True)
        else:
            shutil.copy2(source, beside)
        os.rename(beside, target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        with suppress(OSError):
            beside.unlink(missing_ok=True)
