"""The branch that the footer names, read from the repository's files: no program is started."""

from __future__ import annotations

from pathlib import Path

_PREFIX = "ref: refs/heads/"
_MOST = 4096  # bytes: what a branch and a folder are named by is shorter


def branch_of(folder: Path) -> str | None:
    """The current branch, the first digits of a detached HEAD, or None outside of a repository."""
    for place in (folder, *folder.parents):
        head = _git_dir(place / ".git")
        if head is not None:
            text = _text(head / "HEAD")
            return text[len(_PREFIX) :] if text.startswith(_PREFIX) else text[:8] or None
    return None


def _git_dir(entry: Path) -> Path | None:
    """The folder with HEAD; in a worktree or submodule `.git` is a file that names it."""
    if entry.is_dir():
        return entry
    text = _text(entry)
    return entry.parent / text[len("gitdir: ") :] if text.startswith("gitdir: ") else None


def _text(path: Path) -> str:
    """The text of a small file; "" for anything else, which a foreign folder may hold: a pipe, a loop."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(_MOST).decode("utf-8", "replace").strip()
    except (OSError, ValueError):
        return ""
