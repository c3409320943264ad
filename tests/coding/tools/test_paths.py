"""Paths as they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_term.agent.tools import ToolError
from pi_term.coding.tools.paths import resolve, resolve_existing


def test_home_folders_and_file_addresses(tmp_path: Path, clean_environment: Path) -> None:
    assert resolve("~", tmp_path) == clean_environment
    assert resolve("~/a b", tmp_path) == clean_environment / "a b"
    assert resolve("file:///etc/a%20b", tmp_path) == Path("/etc/a b")
    assert resolve("file://localhost/x", tmp_path) == Path("/x")
    assert resolve("/abs", tmp_path) == Path("/abs")
    assert resolve("./rel", tmp_path) == tmp_path / "rel"


@pytest.mark.parametrize("path", ["file://elsewhere/x", "file:", "file:///a%00b", "file://[/x"])
def test_addresses_that_are_no_local_file_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(ToolError, match="path"):
        resolve(path, tmp_path)


def test_a_leading_at_is_a_mention_unless_it_is_a_name(tmp_path: Path) -> None:
    assert resolve("@src/x.py", tmp_path) == tmp_path / "src/x.py"
    assert resolve("@~/x", tmp_path) == Path("~/x").expanduser()
    assert resolve("@", tmp_path) == tmp_path / "@"
    (tmp_path / "@types").mkdir()
    (tmp_path / "@file").write_text("")
    assert resolve("@types/new.ts", tmp_path) == tmp_path / "@types/new.ts"
    assert resolve("@file", tmp_path) == tmp_path / "@file"


def test_look_alikes_are_found_in_folders_too(tmp_path: Path) -> None:
    folder = tmp_path / "My\u00a0Files"
    folder.mkdir()
    (folder / "l\u2019e\u0301te\u0301.txt").write_text("")
    assert resolve_existing("My Files/l'été.txt", tmp_path) == folder / "l\u2019e\u0301te\u0301.txt"


def test_two_look_alikes_are_none(tmp_path: Path) -> None:
    for space in "\u00a0\u202f":
        (tmp_path / f"a{space}b").write_text("")
    assert resolve_existing("a b", tmp_path) == tmp_path / "a b"
