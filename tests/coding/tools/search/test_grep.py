"""`grep`, with the real ripgrep."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from pi_term.agent.tools import ToolResult
from pi_term.ai.messages import TextContent

Write = Callable[[dict[str, str | bytes]], None]
NOTHING = "No matches found"


def text_of(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


async def grep(bench: Any, pattern: str, **args: Any) -> str:
    result = await bench.run("grep", pattern=pattern, **args)
    assert not result.is_error, text_of(result)
    return text_of(result)


async def test_lines_with_path_and_number_in_order(bench: Any, write: Write) -> None:
    write(
        {"b.txt": "x\nneedle 1\n\nneedle 2", "a/z.txt": "\tneedle  \r\n", "a b": "needle", "a.txt": "other"}
    )
    assert await grep(bench, "needle \\d|needle") == (
        "a/z.txt:1: \tneedle  \na b:1: needle\nb.txt:2: needle 1\nb.txt:4: needle 2"
    )


async def test_the_same_search_gives_the_same_lines(bench: Any, write: Write) -> None:
    write({f"d{number % 7}/f{number}": "needle\n" * 3 for number in range(60)})
    first = await grep(bench, "needle", limit=20)
    assert all([await grep(bench, "needle", limit=20) == first for _ in range(3)])
    lines = first.split("\n\n")[0].split("\n")
    assert lines == sorted(lines)


async def test_case_literal_text_and_regular_expressions(bench: Any, write: Write) -> None:
    write({"f": "a.b\naxb\nA.B\n"})
    assert await grep(bench, "a.b") == "f:1: a.b\nf:2: axb"
    assert await grep(bench, "a.b", literal=True) == "f:1: a.b"
    assert await grep(bench, "a.b", literal=True, ignoreCase=True) == "f:1: a.b\nf:3: A.B"
    assert await grep(bench, "(", literal=True) == NOTHING
    assert await grep(bench, "") == "f:1: a.b\nf:2: axb\nf:3: A.B"


async def test_context(bench: Any, write: Write) -> None:
    write({"f": "1\n2\nx\n4\nx\nx\n7\n8\n9\n10\nx\n12\n", "g": "x\n"})
    assert await grep(bench, "x", context=1) == "\n".join(
        [
            "f-2- 2",
            "f:3: x",
            "f-4- 4",
            "f:5: x",
            "f:6: x",
            "f-7- 7",
            "f-10- 10",
            "f:11: x",
            "f-12- 12",
            "g:1: x",
        ]
    )
    assert await grep(bench, "x", context=2, limit=2, path="f") == (
        "f-1- 1\nf-2- 2\nf:3: x\nf-4- 4\nf:5: x\nf-6- x\nf-7- 7\n\n"
        "[2 matches limit reached. Use limit=4 for more, or refine pattern]"
    )
    assert await grep(bench, "1$", context=-3, path="f") == "f:1: 1"


async def test_the_limit_is_told_when_there_are_more(bench: Any, write: Write) -> None:
    write({"a": "x\nx\n", "b": "x\n", "c": "x\n"})
    result = await bench.run("grep", pattern="x", limit=3)
    assert text_of(result) == (
        "a:1: x\na:2: x\nb:1: x\n\n[3 matches limit reached. Use limit=6 for more, or refine pattern]"
    )
    assert result.details == {"matchLimitReached": 3}
    result = await bench.run("grep", pattern="x", limit=4)
    assert text_of(result) == "a:1: x\na:2: x\nb:1: x\nc:1: x"
    assert result.details is None


@pytest.mark.parametrize(("limit", "shown"), [(0, 1), (-5, 1), (1.9, 1), ("2", 2), (None, 100), (1e300, 150)])
async def test_any_limit_has_a_meaning(bench: Any, write: Write, limit: Any, shown: int) -> None:
    write({"f": "x\n" * 150})
    lines = (await grep(bench, "x", limit=limit)).split("\n\n")[0]
    assert lines == "\n".join(f"f:{number}: x" for number in range(1, shown + 1))


async def test_arguments_that_are_not_given_may_be_null(bench: Any, write: Write) -> None:
    write({"f": "5x"})
    nothing = dict.fromkeys(("path", "glob", "ignoreCase", "literal", "context", "limit"))
    assert await grep(bench, "5X", **{**nothing, "ignoreCase": "true"}) == "f:1: 5x"
    assert text_of(await bench.run("grep", pattern=5, path="", glob="")) == "f:1: 5x"
    assert (await bench.run("grep", path=".")).is_error


async def test_what_comes_back_has_a_size_limit(bench: Any, write: Write) -> None:
    write({"many.txt": "hit\n" * 3000})
    result = await bench.run("grep", pattern="hit", limit=5000)
    assert text_of(result).endswith("\nmany.txt:2753: hit\n\n[50.0KB limit reached]")
    truncation = result.details["truncation"]
    assert (truncation["outputLines"], truncation["totalLines"]) == (2753, 3000)
    assert truncation["maxLines"] == 9007199254740991
    result = await bench.run("grep", pattern="hit", limit=2900)
    assert text_of(result).endswith(
        "[2900 matches limit reached. Use limit=5800 for more, or refine pattern. 50.0KB limit reached]"
    )
    assert set(result.details) == {"matchLimitReached", "truncation"}


async def test_long_lines_are_cut(bench: Any, write: Write) -> None:
    write({"f": f"{'é' * 500}\n{'é' * 501}\n{'x' * 3_000_000}é\n"})
    result = await bench.run("grep", pattern="é")
    note = "[Some lines truncated to 500 chars. Use read tool to see full lines]"
    lines = [f"f:1: {'é' * 500}", f"f:2: {'é' * 500}... [truncated]", f"f:3: {'x' * 500}... [truncated]"]
    assert text_of(result) == "\n".join(lines) + f"\n\n{note}"
    assert result.details == {"linesTruncated": True}


async def test_one_file(bench: Any, write: Write) -> None:
    write({"src/y.ts": "a\nneedle\n", "src/z.ts": "needle", "x.log": "needle", ".gitignore": "*.log\n"})
    assert await grep(bench, "needle", path="src/y.ts") == "y.ts:2: needle"
    assert await grep(bench, "needle", path="x.log") == "x.log:1: needle"
    assert await grep(bench, "needle", path="src/y.ts", glob="*.md") == "y.ts:2: needle"
    assert await grep(bench, "nothing", path="src/y.ts") == NOTHING


async def test_a_folder_and_its_own_paths(bench: Any, write: Write) -> None:
    write({"src/a/y.ts": "needle", "z.ts": "needle"})
    for path in (
        "src",
        "src/",
        "./src",
        str(bench.cwd / "src"),
        "@src",
        f"file://{bench.cwd}/src",
        "src/a/..",
    ):
        assert await grep(bench, "needle", path=path) == "a/y.ts:1: needle"
    assert await grep(bench, "needle", path="../work/src/a") == "y.ts:1: needle"


@pytest.mark.parametrize("path", ["nope", "src/nope", "nope/src"])
async def test_a_path_that_is_not_there(bench: Any, path: str) -> None:
    result = await bench.run("grep", pattern="x", path=path)
    assert result.is_error
    assert text_of(result) == f"Path not found: {bench.cwd}/{path}"


async def test_a_pipe_is_not_waited_for(bench: Any, write: Write) -> None:
    os.mkfifo(bench.cwd / "pipe")
    write({"f": "needle"})
    assert await grep(bench, "needle") == "f:1: needle"
    result = await bench.run("grep", pattern="x", path="pipe")
    assert text_of(result) == f"Neither a file nor a directory: {bench.cwd}/pipe"


# --- patterns


@pytest.mark.parametrize(
    "pattern", ["--files", "-e", "--pre=id", "-", "--", "-f/etc/passwd", "--type-list", "-V"]
)
async def test_a_pattern_with_dashes_is_a_pattern(bench: Any, write: Write, pattern: str) -> None:
    write({"other": "text\n"})
    assert await grep(bench, pattern) == NOTHING
    assert await grep(bench, pattern, literal=True, path="other") == NOTHING
    write({"f": f"see {pattern} here\n"})
    assert await grep(bench, pattern) == f"f:1: see {pattern} here"
    assert await grep(bench, pattern, path="f", glob=pattern) == f"f:1: see {pattern} here"


async def test_names_with_dashes_are_names(bench: Any, write: Write) -> None:
    write({"--pre=id": "needle", "-f": "needle", "-d/--files": "needle"})
    assert await grep(bench, "needle") == "--pre=id:1: needle\n-d/--files:1: needle\n-f:1: needle"
    assert await grep(bench, "needle", path="-d") == "--files:1: needle"
    assert await grep(bench, "needle", path="--pre=id") == "--pre=id:1: needle"
    assert await grep(bench, "needle", glob="--*") == "--pre=id:1: needle\n-d/--files:1: needle"


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        ("(", "unclosed group"),
        ("(?=x)", "look-around"),
        ("a\nb", "line break"),
        ("a\\nb", "line break"),
        ("a\0b", "NUL"),
        ("a{99999999}", "regex"),
    ],
)
async def test_a_pattern_that_cannot_be_used(bench: Any, write: Write, pattern: str, part: str) -> None:
    write({"f": "x"})
    result = await bench.run("grep", pattern=pattern)
    assert result.is_error
    assert part in text_of(result)
    assert "--" not in text_of(result)


async def test_a_pattern_that_is_far_too_long(bench: Any, write: Write) -> None:
    write({"f": "x"})
    result = await bench.run("grep", pattern="x" * 3_000_000)
    assert result.is_error
    assert "Cannot search" in text_of(result)


async def test_the_users_configuration_of_ripgrep_changes_nothing(
    bench: Any, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        {"f": "foo\nfoo\nFO\n", "conf": "--fixed-strings\n--max-count=1\n--ignore-case\n--no-line-number\n"}
    )
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(bench.cwd / "conf"))
    bench.env["RIPGREP_CONFIG_PATH"] = str(bench.cwd / "conf")
    assert await grep(bench, "^fo+") == "f:1: foo\nf:2: foo"


# --- what is searched


async def test_globs(bench: Any, write: Write) -> None:
    write(dict.fromkeys(["src/a/x.spec.ts", "src/y.ts", "y.TS", ".github/w.yml", "z.tsx", "a:b.ts"], "x"))
    for glob, files in {
        "*.ts": ["a:b.ts", "src/a/x.spec.ts", "src/y.ts"],
        "./src/*.ts": ["src/y.ts"],
        "src/**": ["src/a/x.spec.ts", "src/y.ts"],
        "**/*.{yml,ts{x,}}": [".github/w.yml", "a:b.ts", "src/a/x.spec.ts", "src/y.ts", "z.tsx"],
        "!*.ts": [".github/w.yml", "y.TS", "z.tsx"],
        "!src/**": [".github/w.yml", "a:b.ts", "y.TS", "z.tsx"],
        "a:*": ["a:b.ts"],
        "?.tsx": ["z.tsx"],
        "src": [],
        "*": [".github/w.yml", "a:b.ts", "src/a/x.spec.ts", "src/y.ts", "y.TS", "z.tsx"],
    }.items():
        assert await grep(bench, "x", glob=glob) == (
            "\n".join(f"{each}:1: x" for each in files) or NOTHING
        ), glob
    assert await grep(bench, "x", path="src", glob="a/*") == "a/x.spec.ts:1: x"
    result = await bench.run("grep", pattern="x", glob="[")
    assert result.is_error
    assert "not closed" in text_of(result)


async def test_hidden_files_are_searched_and_gits_own_are_not(bench: Any, write: Write) -> None:
    write({".cfg/hook.sh": "needle", ".env": "needle", ".git/HEAD": "needle", "sub/.git/x": "needle"})
    assert await grep(bench, "needle") == ".cfg/hook.sh:1: needle\n.env:1: needle"
    assert await grep(bench, "needle", path=".cfg") == "hook.sh:1: needle"
    assert await grep(bench, "needle", path=".git") == "HEAD:1: needle"
    assert await grep(bench, "needle", glob="**/.git/*") == ".git/HEAD:1: needle\nsub/.git/x:1: needle"


async def test_binary_files(bench: Any, write: Write) -> None:
    text = b"needle 1\n" + b"x\n" * 100_000
    write(
        {
            "bin.dat": b"needle\0\1\nneedle\n",
            "late.dat": text + b"\0needle\n",
            "u16": "ä needle\n".encode("utf-16"),
        }
    )
    assert await grep(bench, "needle") == "late.dat:1: needle 1\nu16:1: ä needle"
    assert await grep(bench, "needle", path="bin.dat") == "bin.dat:1: needle\0\1\nbin.dat:2: needle"
    assert await grep(bench, "needle", path="late.dat") == "late.dat:1: needle 1\nlate.dat:100002: \0needle"


async def test_bytes_that_are_no_text_are_shown_as_such(bench: Any, write: Write) -> None:
    write({"latin.txt": b"caf\xe9 needle\n", "cr.txt": b"one\rneedle\rtwo\n"})
    assert await grep(bench, "needle") == "cr.txt:1: one\rneedle\rtwo\nlatin.txt:1: caf\ufffd needle"


async def test_names_of_any_kind(bench: Any, write: Write) -> None:
    write(
        {
            "日本/é ü.txt": "needle",
            "n\nl": "needle\nneedle",
            "a:1:b": "needle",
            "'\"$x`": "needle",
            "\\": "needle",
        }
    )
    (bench.cwd / os.fsdecode(b"caf\xe9")).write_text("needle")
    assert await grep(bench, "needle") == "\n".join(
        [
            *("'\"$x`:1: needle", "\\:1: needle", "a:1:b:1: needle", "caf\ufffd:1: needle"),
            *('"n\\nl":1: needle', '"n\\nl":2: needle', "日本/é ü.txt:1: needle"),
        ]
    )


async def test_links_are_not_followed_and_circles_end(bench: Any, write: Write) -> None:
    write({"src/a.txt": "needle"})
    (bench.cwd / "loop").symlink_to(".")
    (bench.cwd / "src/up").symlink_to("..")
    (bench.cwd / "link.txt").symlink_to("src/a.txt")
    (bench.cwd / "broken").symlink_to("nowhere")
    assert await grep(bench, "needle") == "src/a.txt:1: needle"
    assert await grep(bench, "needle", path="loop") == "src/a.txt:1: needle"
    assert await grep(bench, "needle", path="link.txt") == "link.txt:1: needle"


# --- what is left out


async def test_rules_of_one_folder_do_not_count_in_another(bench: Any, write: Write) -> None:
    write({"a/.gitignore": "*.log\n", "a/x.log": "needle", "b/x.log": "needle", "a/b/y.log": "needle"})
    assert (
        await grep(bench, "needle") == "b/x.log:1: needle\n\n[Ignore files hid matches: a/b/y.log, a/x.log]"
    )
    assert await grep(bench, "needle", glob="*.log") == (
        "b/x.log:1: needle\n\n[Ignore files hid matches: a/b/y.log, a/x.log]"
    )
    assert await grep(bench, "needle", path="b") == "x.log:1: needle"


@pytest.mark.parametrize("glob", [None, "*", "**", "*.js", "**/*.js", "!*.md"])
async def test_ignored_files_stay_ignored_whatever_the_glob(
    bench: Any, write: Write, glob: str | None
) -> None:
    write({".gitignore": "node_modules/\n", "node_modules/m/i.js": "needle", "a.js": "needle"})
    assert (
        await grep(bench, "needle", glob=glob)
        == "a.js:1: needle\n\n[Ignore files hid matches: node_modules/]"
    )
    assert await grep(bench, "needle", glob=glob, path="node_modules") == "m/i.js:1: needle"


async def test_only_what_would_have_matched_is_told(bench: Any, write: Write) -> None:
    write({".gitignore": "out/\n*.log\n", "out/a.txt": "needle", "b.log": "other", "out/c.md": "other"})
    assert await grep(bench, "missing") == NOTHING
    assert await grep(bench, "needle", glob="*.md") == NOTHING
    assert await grep(bench, "needle") == f"{NOTHING}\n\n[Ignore files hid matches: out/]"


async def test_of_many_hidden_places_some_are_told(bench: Any, write: Write) -> None:
    write({".gitignore": "*.log\n", **{f"{name}.log": "needle" for name in "dacbe"}})
    assert await grep(bench, "needle") == (
        f"{NOTHING}\n\n[Ignore files hid matches: a.log, b.log, c.log and more]"
    )


async def test_every_kind_of_ignore_file_counts(bench: Any, write: Write) -> None:
    write(
        {
            ".git/info/exclude": "excluded\n",
            ".ignore": "ignored\n",
            ".rgignore": "rg\n",
            ".gitignore": "git\n!kept\n",
        }
    )
    write(dict.fromkeys(["excluded", "ignored", "rg", "git", "kept", "plain"], "needle"))
    text = await grep(bench, "needle")
    assert text.split("\n\n")[0] == "kept:1: needle\nplain:1: needle"


async def test_a_repository_is_not_ruled_from_outside(bench: Any, write: Write) -> None:
    write({".gitignore": "*\n", "repo/.git/HEAD": "", "repo/src/a": "needle", "plain/b": "needle"})
    assert await grep(bench, "needle", path="repo") == "src/a:1: needle"
    assert await grep(bench, "needle", path="repo/src") == "a:1: needle"
    assert await grep(bench, "needle", path="plain") == f"{NOTHING}\n\n[Ignore files hid matches: b]"
