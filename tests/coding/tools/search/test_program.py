"""Which ripgrep runs, and how it ends."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pi_term.agent.tools import ToolResult
from pi_term.ai.messages import TextContent
from pi_term.base.abort import AbortError
from pi_term.coding.tools.search import hidden, program

Write = Callable[[dict[str, str | bytes]], None]
Choose = Callable[[str], None]
HANG = 10
"""Seconds; ten times what may be needed."""


def text_of(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(HANG):
        while not condition():
            await asyncio.sleep(0.01)


def script(folder: Path, text: str) -> str:
    """An executable script in the folder."""
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_the_one_that_came_along_is_taken() -> None:
    assert program.installed_program() == os.path.join(sys.prefix, "bin", "rg")


async def test_where_it_is_not_another_one_is(
    bench: Any, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write({"f": "needle"})
    real = program.installed_program()
    monkeypatch.setattr(program, "installed_program", lambda: "/nowhere/rg")
    monkeypatch.setattr(program, "PROGRAM", real)
    assert text_of(await bench.run("grep", pattern="needle")) == "f:1: needle"
    assert text_of(await bench.run("find", pattern="f")) == "f"


@pytest.mark.parametrize(
    "call", [("grep", {}), ("grep", {"path": "f"}), ("grep", {"glob": "f"}), ("find", {})]
)
async def test_without_any_it_is_said(
    bench: Any, write: Write, monkeypatch: pytest.MonkeyPatch, call: tuple[str, dict[str, str]]
) -> None:
    write({"f": "x"})
    monkeypatch.setattr(program, "installed_program", lambda: "/nowhere/rg")
    monkeypatch.setattr(program, "PROGRAM", "no-such-rg")
    result = await bench.run(call[0], pattern="f", **call[1])
    assert result.is_error
    assert "needs ripgrep (rg), which is not installed" in text_of(result)


async def test_the_user_may_choose_one(bench: Any, write: Write, choose: Choose) -> None:
    write({"f": "needle"})
    choose(script(bench.cwd, f'echo >>"{bench.cwd}/used"; exec {program.installed_program()} "$@"'))
    assert text_of(await bench.run("grep", pattern="needle", path="f")) == "f:1: needle"
    assert (bench.cwd / "used").exists()


@pytest.mark.parametrize("choice", ["/nowhere/rg", "no-such-rg"])
async def test_one_that_is_chosen_and_missing_is_named(
    bench: Any, write: Write, choose: Choose, choice: str
) -> None:
    write({"f": "x"})
    choose(choice)
    result = await bench.run("find", pattern="f")
    assert result.is_error
    assert text_of(result).endswith(f"ripgrepPath names cannot be run: {choice}")


@pytest.mark.parametrize("name", ["grep", "find"])
@pytest.mark.parametrize(
    "work", ["sleep 60 & sleep 60", "while :; do printf './x/y\\0'; done"], ids=["silent", "endless"]
)
async def test_a_search_can_be_called_off(
    bench: Any, write: Write, choose: Choose, name: str, work: str
) -> None:
    write({"f": "x"})
    choose(script(bench.cwd, f'exec 9>>"{bench.cwd}/alive"; flock 9; {work}'))
    call = asyncio.ensure_future(bench.run(name, pattern="x"))
    await until(bench.is_held)
    bench.controller.abort("enough")
    with pytest.raises(AbortError):
        await asyncio.wait_for(call, HANG)
    assert not bench.is_held()


@pytest.mark.parametrize("name", ["grep", "find"])
async def test_a_call_that_is_cancelled_leaves_no_process(
    bench: Any, write: Write, choose: Choose, name: str
) -> None:
    write({"f": "x"})
    choose(script(bench.cwd, f'exec 9>>"{bench.cwd}/alive"; flock 9; sleep 60'))
    call = asyncio.ensure_future(bench.run(name, pattern="x"))
    await until(bench.is_held)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await until(lambda: not bench.is_held())


async def test_a_call_that_nobody_wants_any_more_does_not_begin(bench: Any, write: Write) -> None:
    write({"f": "x"})
    bench.controller.abort()
    for name in ("grep", "find", "ls"):
        with pytest.raises(AbortError):
            await bench.run(name, **({} if name == "ls" else {"pattern": "x"}))


async def test_lines_are_not_read_on_once_there_are_enough(bench: Any, write: Write, choose: Choose) -> None:
    write({"f": "x\n"})
    endless = "while :; do printf './f\\0%d:x\\n' $((n += 1)); done"
    choose(script(bench.cwd, f'case "$*" in *--line-number*) {endless};; *) printf "./f\\0";; esac'))
    async with asyncio.timeout(HANG):
        result = await bench.run("grep", pattern="x", limit=3, path="f")
    assert text_of(result).startswith("f:1: x\nf:2: x\nf:3: x\n\n[3 matches limit reached.")


async def test_a_long_search_among_ignored_files_is_given_up(
    bench: Any, write: Write, choose: Choose, monkeypatch: pytest.MonkeyPatch
) -> None:
    write({".gitignore": "out/\n", "out/f": "x", "g": "y"})
    monkeypatch.setattr(hidden, "SECONDS", 0.05)
    real = program.installed_program()
    choose(script(bench.cwd, f'case "$*" in *--no-ignore\\ *) sleep 60;; esac; exec {real} "$@"'))
    async with asyncio.timeout(HANG):
        text = text_of(await bench.run("grep", pattern="x", glob="!program"))
        assert text == "No matches found\n\n[Not searched, as ignore files want it: out]"
        assert text_of(await bench.run("find", pattern="g")) == "g"


async def test_a_ripgrep_that_says_nothing_of_what_it_left_out_still_searches(
    bench: Any, write: Write, choose: Choose
) -> None:
    write({".gitignore": "out/\n", "out/f.txt": "x", "g.txt": "x"})
    choose(script(bench.cwd, f'exec {program.installed_program()} "$@" 2>/dev/null'))
    assert text_of(await bench.run("grep", pattern="x", glob="*.txt")) == "g.txt:1: x"
    assert text_of(await bench.run("find", pattern="*.txt")) == "g.txt"


async def test_what_could_not_be_read_is_told(bench: Any, write: Write, choose: Choose) -> None:
    write({"f": "x"})
    complaint = "echo 'rg: ./secret: Permission denied (os error 13)' >&2"
    choose(script(bench.cwd, f'{program.installed_program()} "$@"; {complaint}; exit 2'))
    text = text_of(await bench.run("grep", pattern="x", glob="f"))
    assert text == "f:1: x\n\n[Could not read secret (Permission denied)]"
    text = text_of(await bench.run("find", pattern="f"))
    assert text == "f\n\n[Could not read secret (Permission denied)]"
    result = await bench.run("grep", pattern="x", path="f")
    assert result.is_error
    assert text_of(result) == "Cannot read secret (Permission denied)"
