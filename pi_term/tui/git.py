"""The branch that the footer names, read from the repository's files: no program is started."""

from __future__ import annotations

from pathlib import Path

_PREFIX = "ref: refs/heads/"


def branch_of(folder: Path) -> str | None:
    """The current branch, the first digits of a detached HEAD, or None outside of a repository."""
    for place in (folder, *folder.parents):
        head = _git_dir(place / ".git")
        if head is None:
            continue
        try:
            text = (head / "HEAD").read_text("utf-8", "replace").strip()
        except OSError:
            return None
        return text[len(_PREFIX) :] if text.startswith(_PREFIX) else text[:8]
    return None


def _git_dir(entry: Path) -> Path | None:
    """The folder with HEAD; in a worktree or submodule `.git` is a file that names it."""
    if entry.is_dir():
        return entry
    try:
        text = entry.read_text("utf-8", "replace").strip()
    except OSError:
        return None
    return (entry.parent / text[len("gitdir: ") :]).resolve() if text.startswith("gitdir: ") else None
