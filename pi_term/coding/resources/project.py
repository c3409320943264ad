"""The gate before everything a project folder may bring along."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pi_term.base.dataclass import dataclass
from pi_term.base.paths import PROJECT_FOLDER

_FILES = ("settings.json", "mcp.json", "SYSTEM.md", "APPEND_SYSTEM.md")
_FOLDERS = ("extensions", "skills", "prompts", "themes", "keymaps")


@dataclass(frozen=True, slots=True)
class ProjectFolder:
    """The folder the program works in, and whether its own configuration counts."""

    root: Path
    trusted: bool

    def path(self, *parts: str) -> Path | None:
        """The path of a file or folder in `.pi`, existing or not; None without trust."""
        return self.root.joinpath(PROJECT_FOLDER, *parts) if self.trusted else None


def protected_resources(folder: Path) -> tuple[Path, ...]:
    """What of `folder` loads only with trust. Names are looked at, nothing is opened.

    Empty folders do not count. Skills in `.agents/skills` count up to the top of the repository.
    """
    own = folder / PROJECT_FOLDER
    found = [own / name for name in _FILES if (own / name).is_file()]
    found += [own / name for name in _FOLDERS if _has_content(own / name)]
    found += [skills for skills in agent_skills(folder) if _has_content(skills)]
    return tuple(found)


def home_folder() -> Path:
    """The user's own."""
    return Path(os.path.expanduser("~"))


def agent_skills(folder: Path) -> Iterator[Path]:
    """The folders of skills for all agents, existing or not, from `folder` up to its repository's top."""
    home = home_folder()
    for each in (folder, *folder.parents):
        if each != home:  # those are the user's own
            yield each / ".agents" / "skills"
        if (each / ".git").exists():
            return


def _has_content(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except OSError:
        return False
