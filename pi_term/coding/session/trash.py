"""Deleting a session: into the trash of the desktop where there is a command for that."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Literal, TypeAlias

from pi_term.base.errors import PiTermError
from pi_term.coding.session.genuine import require_session

_COMMANDS = (("trash",), ("trash-put",), ("gio", "trash"))
_SECONDS = 10.0

Deletion: TypeAlias = Literal["trashed", "removed"]
"""Whether the file lies in the trash now, or is gone."""


def delete_session(path: Path, *, open_session: Path | None = None) -> Deletion:
    """Move a session file into the trash or, where no command can do that, remove it. Blocks.

    Only a file with the header of a session is deleted, and never `open_session`. Raises
    `PiTermError("session_open" | "not_deleted")`, and what `require_session` raises.
    """
    # Begins with a slash, so that no command takes it for an option, and has no `..` that one might
    # take out without looking where links lead.
    place = Path(os.path.realpath(path.parent), path.name)
    require_session(place)
    if open_session is not None and _is_same(place, open_session):
        raise PiTermError(
            "session_open", f"{place} is the session that is open.", "Switch to another session first."
        )
    for command in _COMMANDS:
        program = shutil.which(command[0])
        if program is not None:
            _run([program, *command[1:], str(place)])
            if not os.path.lexists(place):
                return "trashed"
    try:
        place.unlink(missing_ok=True)
    except OSError as error:
        raise PiTermError("not_deleted", f"Cannot delete {place}: {error.strerror}.") from error
    return "removed"


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:  # a new session may have no file yet
        return os.path.realpath(path) == os.path.realpath(other)


def _run(command: list[str]) -> None:
    """Let a command try; whether it worked shows in the folder."""
    try:
        subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return
