"""`find`, with the real ripgrep."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from pi_term.agent.tools import ToolResult
from pi_term.ai.messages import TextContent
from pi_term.coding.tools.search.paths import path_order

Write = Callable[[dict[str, str | bytes]], None]
NOTHING = "No files found matching pattern"


def text_of(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


async def find(bench: Any, pattern: str, **args: Any) -> str:
    result = await bench.run("find", pattern=pattern, **args)
    assert not result.is_error, text_of(result)
    return text_of(result)


@pytest.fixture
def project(write: Write) -> None:
    names = ["src/a/x.spec.ts", "src/y.ts", ".github/w.yml", "Foo.TS", "a b.txt", ".hidden", "pkg/src/z.ts"]
    write(dict.fromkeys(names, ""))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("src/**/*.spec.ts", ["src/a/x.spec.ts"]),
        ("./src/*.ts", ["src/y.ts"]),
        ("**/*.yml", [".github/w.yml"]),
        ("*.ts", ["Foo.TS", "pkg/src/z.ts", "src/a/x.spec.ts", "src/y.ts"]),
        ("*.TS", ["Foo.TS"]),
        ("*.{yml,txt}", [".github/w.yml", "a b.txt"]),
        ("src", ["pkg/src/", "src/"]),
        ("src/**", ["src/a/", "src/a/x.spec.ts", "src/y.ts"]),
        ("*/*", [".github/w.yml", "pkg/src/", "src/a/", "src/y.ts"]),
        ("nope", []),
    ],
)
async def test_files_and_folders_in_order(
    bench: Any, project: None, pattern: str, expected: list[str]
) -> None:
    assert await find(bench, pattern) == ("\n".join(expected) or NOTHING)


async def test_a_folder_comes_before_what_is_in_it(bench: Any, project: None) -> None:
    assert await find(bench, "*") == "\n".join(
        [
            *(
                ".github/",
                ".github/w.yml",
                ".hidden",
                "Foo.TS",
                "a b.txt",
                "pkg/",
                "pkg/src/",
                "pkg/src/z.ts",
            ),
            *("src/", "src/a/", "src/a/x.spec.ts", "src/y.ts"),
        ]
    )


async def test_a_folder_to_search(bench: Any, project: None) -> None:
    for path in ("src", "src/", "@src", str(bench.cwd / "src"), f"file://{bench.cwd}/src"):
        assert await find(bench, "*.ts", path=path) == "a/x.spec.ts\ny.ts"
        assert await find(bench, "src/*.ts", path=path) == NOTHING
    assert await find(bench, f"{bench.cwd}/src/*.ts") == "src/y.ts"
    assert await find(bench, f"{bench.cwd}/src/*.ts", path="src") == "y.ts"


async def test_a_place_that_is_no_folder(bench: Any, project: None) -> None:
    assert text_of(await bench.run("find", pattern="*", path="nope")) == f"Path not found: {bench.cwd}/nope"
    result = await bench.run("find", pattern="*", path="src/y.ts")
    assert result.is_error
    assert text_of(result) == f"Not a directory: {bench.cwd}/src/y.ts"


@pytest.mark.parametrize("pattern", ["--exec=id", "-e", "--files", "--pre=id", "-", "--"])
async def test_a_pattern_with_dashes_is_a_pattern(bench: Any, write: Write, pattern: str) -> None:
    write({"other": ""})
    assert await find(bench, pattern) == NOTHING
    write({pattern: "", f"-d/{pattern}": ""})
    assert (await find(bench, pattern)).split("\n") == sorted([f"-d/{pattern}", pattern], key=path_order)
    assert await find(bench, pattern, path="-d") == pattern


@pytest.mark.parametrize("pattern", ["[", "{a", "\\", "[z-a]"])
async def test_a_malformed_glob_is_refused(bench: Any, pattern: str) -> None:
    result = await bench.run("find", pattern=pattern)
    assert result.is_error
    assert "Not a valid glob" in text_of(result)


async def test_the_limit_is_told_when_there_are_more(bench: Any, write: Write) -> None:
    write({f"d{number % 3}/f{number:04}": "" for number in range(30)})
    result = await bench.run("find", pattern="f*", limit=3)
    assert text_of(result) == (
        "d0/f0000\nd0/f0003\nd0/f0006\n\n[3 results limit reached. Use limit=6 for more, or refine pattern]"
    )
    assert result.details == {"resultLimitReached": 3}
    result = await bench.run("find", pattern="f*", limit="30")
    assert len(text_of(result).split("\n")) == 30
    assert result.details is None


async def test_by_default_a_thousand_are_told(bench: Any, write: Write) -> None:
    write({f"f{number:04}": "" for number in range(1200)})
    result = await bench.run("find", pattern="f*")
    assert text_of(result).endswith(
        "\nf0999\n\n[1000 results limit reached. Use limit=2000 for more, or refine pattern]"
    )


async def test_what_comes_back_has_a_size_limit(bench: Any, write: Write) -> None:
    write({f"{'n' * 100}{number:04}": "" for number in range(700)})
    result = await bench.run("find", pattern="n*")
    assert text_of(result).endswith("nnn0486\n\n[50.0KB limit reached]")
    assert result.details["truncation"]["totalLines"] == 700
    assert "resultLimitReached" not in result.details


async def test_rules_of_one_folder_do_not_count_in_another(bench: Any, write: Write) -> None:
    write({"a/.gitignore": "*.log\n", "a/x.log": "", "b/x.log": "", ".cfg/hook.sh": ""})
    assert await find(bench, "*.log") == "b/x.log\n\n[Ignore files hid matches: a/x.log]"
    assert await find(bench, "hook.*") == ".cfg/hook.sh"
    assert await find(bench, "*", path=".cfg") == "hook.sh"


async def test_what_ignore_files_hid_is_told(bench: Any, write: Write) -> None:
    write(
        {".gitignore": "node_modules/\n/build\n", "node_modules/m/i.js": "", "build/x/o.js": "", "a.py": ""}
    )
    assert await find(bench, "*.js") == f"{NOTHING}\n\n[Ignore files hid matches: build/, node_modules/]"
    assert await find(bench, "node_modules") == f"{NOTHING}\n\n[Ignore files hid matches: node_modules]"
    assert await find(bench, "build/") == f"{NOTHING}\n\n[Ignore files hid matches: build]"
    assert await find(bench, "*.md") == NOTHING
    assert await find(bench, "*.js", path="node_modules") == "m/i.js"


async def test_gits_own_files_are_found_where_they_are_asked_for(bench: Any, write: Write) -> None:
    write({".git/HEAD": "", "sub/.git/config": "", "HEAD": "", ".gitignore": ""})
    assert await find(bench, "*") == ".gitignore\nHEAD"
    assert await find(bench, ".git") == ".git/\nsub/.git/"
    assert await find(bench, ".git/*") == ".git/HEAD"
    assert await find(bench, "*", path=".git") == "HEAD"


async def test_links_are_found_and_not_followed(bench: Any, write: Write) -> None:
    write({"src/a.txt": ""})
    (bench.cwd / "loop").symlink_to(".")
    (bench.cwd / "src/up.txt").symlink_to("../src")
    (bench.cwd / "link.txt").symlink_to("src/a.txt")
    (bench.cwd / "broken.txt").symlink_to("nowhere")
    os.mkfifo(bench.cwd / "pipe.txt")
    found = (await find(bench, "*.txt")).split("\n")
    assert [name for name in found if name != "src/up.txt"] == [
        "broken.txt",
        "link.txt",
        "pipe.txt",
        "src/a.txt",
    ]
    assert "src/a.txt" in await find(bench, "src/*", path="loop")


async def test_names_of_any_kind(bench: Any, write: Write) -> None:
    write(dict.fromkeys(["日本/é ü.txt", "n\nl.txt", "a:b.txt", "'\"$x`.txt", "\\.txt", "\x1b[2J.txt"], ""))
    (bench.cwd / os.fsdecode(b"caf\xe9.txt")).write_text("")
    assert await find(bench, "*.txt") == "\n".join(
        [
            *('"\\u001b[2J.txt"', "'\"$x`.txt", "\\.txt", "a:b.txt", "caf\ufffd.txt", '"n\\nl.txt"'),
            "日本/é ü.txt",
        ]
    )
    assert await find(bench, "caf?.txt") == "caf\ufffd.txt"


async def test_a_user_configuration_changes_nothing(
    bench: Any, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write({"a.txt": "", "conf": "--type=py\n--max-depth=0\n"})
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(bench.cwd / "conf"))
    assert await find(bench, "*.txt") == "a.txt"


async def test_the_working_folder_may_be_gone(bench: Any) -> None:
    bench.cwd.rmdir()
    result = await bench.run("find", pattern="*")
    assert result.is_error
    assert text_of(result) == f"Path not found: {bench.cwd}"
    bench.cwd.mkdir()
