"""Files of full output that nobody will look at any more."""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from pathlib import Path

from pi_term.coding.tools.bash.output import FILE_PREFIX, FILE_SUFFIX

KEPT_DAYS = 7
"""How long a file of full output stays: as long as somebody may go on with the session that names it."""


def prune_outputs(folder: Path, days: float = KEPT_DAYS) -> int:
    """Remove the user's own files of full output that nothing was written to for `days`; how many. Blocks.

    What cannot be looked at or removed stays.
    """
    oldest = time.time() - days * 24 * 60 * 60
    removed = 0
    try:
        names = os.listdir(folder)
    except OSError:
        return 0
    for name in names:
        if name.startswith(FILE_PREFIX) and name.endswith(FILE_SUFFIX):
            path = folder / name
            with suppress(OSError):
                if _is_old(path, oldest):
                    path.unlink()
                    removed += 1
    return removed


def _is_old(path: Path, oldest: float) -> bool:
    """Whether it is a file (no link to one) of this user from before `oldest`."""
    found = path.lstat()
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and found.st_mtime < oldest
