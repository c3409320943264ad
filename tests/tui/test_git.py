from __future__ import annotations

import os
from pathlib import Path

import pytest

from pi_term.tui.git import branch_of


def repository(folder: Path, head: str) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text(head)
    return folder


@pytest.mark.parametrize(
    ("head", "branch"),
    [
        ("ref: refs/heads/main\n", "main"),
        ("ref: refs/heads/feature/a b", "feature/a b"),
        ("ref: refs/heads/main;touch${IFS}PWNED\n", "main;touch${IFS}PWNED"),
        ("0123456789abcdef\n", "01234567"),
        ("", None),
    ],
)
def test_the_branch(tmp_path: Path, head: str, branch: str | None) -> None:
    """B-074: it is read, never passed to a shell."""
    below = repository(tmp_path, head) / "a" / "b"
    below.mkdir(parents=True)
    assert branch_of(below) == branch


def test_a_worktree(tmp_path: Path) -> None:
    repository(tmp_path / "real", "ref: refs/heads/main\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text("gitdir: ../real/.git\n")
    assert branch_of(tree) == "main"


@pytest.mark.parametrize(
    "content", ["gitdir: \0\n", "gitdir: " + "x/" * 5000, "gitdir: loop", "", "nonsense"]
)
def test_a_git_file_that_makes_no_sense(tmp_path: Path, content: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / ".git").write_text(content)
    assert branch_of(tmp_path) is None


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    assert branch_of(tmp_path) is None
