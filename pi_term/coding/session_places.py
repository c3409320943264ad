"""Where session files come from and go to, and in which folder a stored session goes on."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.base.paths import AppPaths
from pi_term.coding.session import (
    SessionFile,
    SessionTree,
    find,
    folder_for_cwd,
    latest_for_cwd,
    peek,
    valid_session_id,
    with_id,
)
from pi_term.coding.session.folders import Home
from pi_term.coding.ui_bridge import UiBridge

_HERE, _FORK, _CANCEL = "Continue in this folder", "Fork into this folder", "Cancel"


@dataclass(frozen=True, slots=True)
class SessionPlaces:
    """The `folder` for sessions of the working folder `cwd`; `root` holds one such for each."""

    cwd: Path
    folder: Path
    root: Path | None

    @classmethod
    def of(cls, cwd: Path, chosen: str | Path | None, paths: AppPaths) -> SessionPlaces:
        """A folder that the user chose is flat: it holds the sessions of all working folders."""
        if chosen is not None:
            return cls(cwd, Path(os.path.abspath(cwd / os.path.expanduser(chosen))), None)
        return cls(cwd, folder_for_cwd(paths.sessions_dir, cwd), paths.sessions_dir)

    def find(self, spec: str) -> SessionFile:
        """Open the session that a path or the beginning of an id names; blocks."""
        found = find(spec, cwd=self.cwd, folder=self.folder, root=self.root)
        return SessionFile.open(found.path, cwd=self.cwd)

    def with_id(self, id: str) -> SessionFile | None:
        """Open the session of this folder that has exactly this id; blocks.

        Raises `PiTermError("bad_session_id")` for what no session may be called.
        """
        if not valid_session_id(id):
            raise PiTermError(
                "bad_session_id",
                f"{id!r} cannot be the id of a session.",
                "It takes letters, digits and, inside, also . _ and -.",
            )
        found = with_id(id, cwd=self.cwd, folder=self.folder)
        return None if found is None else SessionFile.open(found.path)

    def fork(self, spec: str, folder: Path | None, id: str | None = None) -> SessionFile:
        """A copy, in this working folder, of the session that `spec` names; blocks.

        Its file will lie in `folder` (None: it lives in memory) and have the id `id`, if given.
        """
        if id is not None and self.with_id(id) is not None:
            raise PiTermError("session_exists", f"There is a session {id} here already.", "Use another id.")
        source = self.find(spec)
        try:
            return source.fork(source.tree.leaf, folder, self.cwd, id=id)
        finally:
            source.close()

    def peek(self, spec: str | None, id: str | None) -> SessionTree | None:
        """The end of the session that `find`, `with_id` or else `latest` would open; blocks.

        None where there is nothing to see: what is wrong with it is told by whoever opens it.
        """
        try:
            path = self._path_of(spec, id)
            return None if path is None else peek(path)
        except (OSError, PiTermError):
            return None

    def _path_of(self, spec: str | None, id: str | None) -> Path | None:
        if spec is not None:
            return find(spec, cwd=self.cwd, folder=self.folder, root=self.root).path
        if id is None:
            return latest_for_cwd(self.folder, self.cwd)
        found = with_id(id, cwd=self.cwd, folder=self.folder)
        return None if found is None else found.path

    def latest(self) -> SessionFile | None:
        """Open the session of this folder that was used last; blocks."""
        path = latest_for_cwd(self.folder, self.cwd)
        return None if path is None else SessionFile.open(path)


async def settle_folder(
    file: SessionFile, here: Path, fork_folder: Path | None, ui: UiBridge
) -> tuple[SessionFile, Path]:
    """The session and the folder that it goes on in: its own, where that still exists.

    Else the person is asked whether it goes on `here`, or a fork of it does. Raises
    `PiTermError("folder_gone")` where nobody wants either. `file` is closed where it is not what comes back.
    """
    goes_on: SessionFile | None = None
    try:
        goes_on, folder = await _settled(file, here, fork_folder, ui)
    finally:
        if goes_on is not file:
            file.close()
    return goes_on, folder


async def _settled(
    file: SessionFile, here: Path, fork_folder: Path | None, ui: UiBridge
) -> tuple[SessionFile, Path]:
    own = file.header.cwd
    folder = await asyncio.to_thread(_folder_of, file, here)
    if folder is not None:
        return file, folder
    title = f"The folder of this session does not exist any more: {own}"
    answer = await ui.select(title, [_HERE, _FORK, _CANCEL])
    if answer == _HERE:
        return file, here
    if answer == _FORK:
        return await asyncio.to_thread(file.fork, file.tree.leaf, fork_folder, here), here
    raise PiTermError(
        "folder_gone",
        f"The folder of this session does not exist any more: {own}",
        "Open it in the interactive program, which can continue or fork it elsewhere.",
    )


def _folder_of(file: SessionFile, here: Path) -> Path | None:
    """The folder of a session, `here` where it is the same; None when it is gone."""
    own = file.header.cwd
    if Home(here).has(file.header):
        return here
    return Path(own) if os.path.isdir(own) else None
