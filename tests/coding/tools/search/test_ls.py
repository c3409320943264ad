"""`ls`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from pi_term.agent.tools import ToolResult
from pi_term.ai.messages import TextContent

Write = Callable[[dict[str, str | bytes]], None]


def text_of(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


async def ls(bench: Any, **args: Any) -> str:
    result = await bench.run("ls", **args)
    assert not result.is_error, text_of(result)
    return text_of(result)


async def test_names_in_the_order_of_a_dictionary(bench: Any, write: Write) -> None:
    names = [
        "B",
        "a",
        "C",
        "_x",
        ".y",
        "Z",
        "ä",
        "10",
        "9",
        "é",
        "zz",
        "A b",
        "a-b",
        "a_b",
        "ab",
        "~t",
        "#h",
        "Éa",
    ]
    write(dict.fromkeys(names, ""))
    (bench.cwd / "dir").mkdir()
    (bench.cwd / "Dir2").mkdir()
    expected = "_x|.y|#h|~t|10|9|a|ä|A b|a_b|a-b|ab|B|C|dir/|Dir2/|é|Éa|Z|zz"
    assert await ls(bench) == expected.replace("|", "\n")


async def test_everything_is_listed_hidden_ignored_and_odd(bench: Any, write: Write) -> None:
    write({".gitignore": "x.log\n", "x.log": "", "n\nl": "", "sub/f": "", ".git/HEAD": ""})
    (bench.cwd / os.fsdecode(b"caf\xe9")).write_text("")
    (bench.cwd / "to-folder").symlink_to("sub")
    (bench.cwd / "to-file").symlink_to("x.log")
    (bench.cwd / "to-nothing").symlink_to("nowhere")
    (bench.cwd / "to-itself").symlink_to("to-itself")
    os.mkfifo(bench.cwd / "pipe")
    assert (await ls(bench)).split("\n") == [
        *(
            ".git/",
            ".gitignore",
            "caf\ufffd",
            '"n\\nl"',
            "pipe",
            "sub/",
            "to-file",
            "to-folder/",
            "to-itself",
        ),
        *("to-nothing", "x.log"),
    ]


async def test_a_folder_by_any_name(bench: Any, write: Write) -> None:
    write({"sub/f": "", "sub/g/h": ""})
    for path in ("sub", "./sub/", "@sub", str(bench.cwd / "sub"), f"file://{bench.cwd}/sub", "sub/g/.."):
        assert await ls(bench, path=path) == "f\ng/"
    for path in ("", None, "."):
        assert await ls(bench, path=path) == "sub/"


async def test_an_empty_folder(bench: Any) -> None:
    assert await ls(bench) == "(empty directory)"


async def test_what_cannot_be_listed(bench: Any, write: Write) -> None:
    write({"f": ""})
    for path, text in (("nope", "Path not found: "), ("f", "Not a directory: ")):
        result = await bench.run("ls", path=path)
        assert result.is_error
        assert text_of(result) == f"{text}{bench.cwd}/{path}"


@pytest.mark.parametrize(("limit", "shown"), [(2, 2), ("3", 3), (0, 1), (-1, 1), (None, 500), (1.9, 1)])
async def test_the_limit_is_told(bench: Any, write: Write, limit: Any, shown: int) -> None:
    write({f"f{number:03}": "" for number in range(501)})
    result = await bench.run("ls", limit=limit)
    names = "\n".join(f"f{number:03}" for number in range(shown))
    assert text_of(result) == f"{names}\n\n[{shown} entries limit reached. Use limit={2 * shown} for more]"
    assert result.details == {"entryLimitReached": shown}


async def test_exactly_the_limit_is_all(bench: Any, write: Write) -> None:
    write({"a": "", "b": ""})
    result = await bench.run("ls", limit=2)
    assert text_of(result) == "a\nb"
    assert result.details is None


async def test_what_comes_back_has_a_size_limit(bench: Any, write: Write) -> None:
    write({f"{'n' * 100}{number:04}": "" for number in range(700)})
    result = await bench.run("ls", limit=1000)
    assert text_of(result).endswith("nnn0486\n\n[50.0KB limit reached]")
    assert list(result.details) == ["truncation"]
