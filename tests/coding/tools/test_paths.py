"""Paths as they are written."""

from __future__ import annotations

import pwd
from pathlib import Path
from typing import Any

import pytest

from pi_term.agent.tools import ToolError
from pi_term.coding.tools import LOCAL
from pi_term.coding.tools.paths import resolve, resolve_existing


async def test_home_folders_and_file_addresses(tmp_path: Path, clean_environment: Path) -> None:
    for text, path in [
        ("~", str(clean_environment)),
        ("~/a b", f"{clean_environment}/a b"),
        ("~no-such-user/x", f"{tmp_path}/~no-such-user/x"),
        ("file:///etc/a%20b", "/etc/a b"),
        ("file://localhost/x", "/x"),
        ("/abs", "/abs"),
        ("./rel", f"{tmp_path}/./rel"),
    ]:
        assert await resolve(text, tmp_path, LOCAL) == path


async def test_homes_of_others_are_known(bench: Any) -> None:
    home = pwd.getpwnam("daemon").pw_dir
    assert await resolve("~daemon/x", bench.cwd, bench.operations) == f"{home}/x"


@pytest.mark.parametrize("path", ["file://elsewhere/x", "file:", "file:///a%00b", "file://[/x"])
async def test_addresses_that_are_no_local_file_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(ToolError, match="path"):
        await resolve(path, tmp_path, LOCAL)


async def test_a_leading_at_is_a_mention_unless_it_is_a_name(bench: Any) -> None:
    (bench.cwd / "@types").mkdir()
    (bench.cwd / "@file").write_text("")
    for text, name in [
        ("@src/x.py", "src/x.py"),
        ("@", "@"),
        ("@types/new.ts", "@types/new.ts"),
        ("@file", "@file"),
        ("@file/below", "file/below"),
    ]:
        assert await resolve(text, bench.cwd, bench.operations) == f"{bench.cwd}/{name}"
    assert await resolve("@/abs", bench.cwd, bench.operations) == "/abs"
    home = await bench.operations.home()
    assert await resolve("@~/x", bench.cwd, bench.operations) == f"{home}/x"


async def test_look_alikes_are_found_in_folders_too(bench: Any) -> None:
    folder = bench.cwd / "My\u00a0Files"
    folder.mkdir()
    (folder / "l\u2019e\u0301te\u0301.txt").write_text("")
    found = await resolve_existing("My Files/l'été.txt", bench.cwd, bench.operations)
    assert found == f"{folder}/l\u2019e\u0301te\u0301.txt"


async def test_two_look_alikes_are_none(bench: Any) -> None:
    for space in "\u00a0\u202f":
        (bench.cwd / f"a{space}b").write_text("")
    assert await resolve_existing("a b", bench.cwd, bench.operations) == f"{bench.cwd}/a b"


async def test_a_link_that_leads_nowhere_has_the_name_it_has(bench: Any) -> None:
    (bench.cwd / "a b").symlink_to("nowhere")
    (bench.cwd / "a\u00a0b").write_text("")
    assert await resolve_existing("a b", bench.cwd, bench.operations) == f"{bench.cwd}/a b"
