"""Where Pi keeps its files, and whether people know already that they can be taken over."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pi_term.base.files import atomic_write, private_dir
from pi_term.base.paths import AppPaths

FILES = ("settings.json", "models.json", "auth.json", "keybindings.json")
_EMPTY_OBJECT = 8  # bytes that an empty object may take
FOLDERS = ("sessions", "themes", "prompts", "skills")


def pi_folder(env: Mapping[str, str]) -> Path:
    """Where Pi keeps its files, whether it does or not."""
    return Path(os.path.expanduser(env.get("PI_CODING_AGENT_DIR") or "~/.pi/agent"))


def is_pi_folder(folder: Path, paths: AppPaths) -> bool:
    """Whether there is something to take over in the folder, which is not our own; blocks."""
    if not os.path.isdir(folder) or is_own(folder, paths):
        return False
    return any(_holds_something(folder / name) for name in (*FILES, *FOLDERS))


def _holds_something(path: Path) -> bool:
    """Whether there is more than an empty folder or an empty JSON object."""
    try:
        if path.is_dir():
            return any(path.iterdir())
        return path.stat().st_size > _EMPTY_OBJECT or path.read_bytes().split() not in ([], [b"{}"])
    except OSError:
        return False


def is_own(folder: Path, paths: AppPaths) -> bool:
    """Whether the folder is one of ours."""
    real = os.path.realpath(folder)
    return any(real == os.path.realpath(ours) for ours in (paths.config, paths.data))


def was_offered(paths: AppPaths) -> bool:
    """Whether the import was offered or made before."""
    return os.path.exists(_mark(paths))


def note_offered(paths: AppPaths) -> None:
    """From now on the import is not offered any more; blocks."""
    with suppress(OSError):  # then it is offered once more
        atomic_write(private_dir(paths.state) / _mark(paths).name, b"", mode=0o600)


def _mark(paths: AppPaths) -> Path:
    return paths.state / "pi-import-offered"
