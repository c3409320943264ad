"""`find` and `grep` against a plain walk of small random trees with ignore files."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.agent.tools import ToolCallContext, ToolResult
from pi_term.ai.messages import TextContent
from pi_term.base.abort import AbortController
from pi_term.coding.tools import MutationQueue, ToolContext, builtin_tools
from pi_term.coding.tools.search.globs import Glob

_NAMES = st.sampled_from(["a", "b", "c.txt", "d.log", ".e", "F", "ü x"])
_FOLDERS = st.lists(st.sampled_from(["a", "b", ".e", "out"]), max_size=2)
_FILES = st.builds(lambda folders, name: "/".join([*folders, f"{name}.f"]), _FOLDERS, _NAMES)
_CONTENTS = st.lists(st.sampled_from(["needle", "two needles", "Needle", "other", ""]), max_size=4)
_RULES = st.sampled_from(
    ["*.log.f", "out/", "/a", "a/", "!d.log.f", "b/c.txt.f", "**/.e.f", "a.f", "# a", "a/**"]
)
_TREES = st.dictionaries(_FILES, _CONTENTS, max_size=8)
_IGNORES = st.dictionaries(_FOLDERS.map("/".join), st.lists(_RULES, min_size=1, max_size=3), max_size=3)
_GLOBS = st.sampled_from(
    ["*", "*.log.f", "a/**", "**/*.f", "b", "{a,b}*", ".*", "*/*.f", "out/**/*.txt.f", "F*"]
)


@settings(max_examples=60)
@given(_TREES, _IGNORES, _GLOBS, st.booleans())
def test_both_agree_with_a_plain_walk(
    tree: dict[str, list[str]], ignores: dict[str, list[str]], glob: str, is_repository: bool
) -> None:
    root = Path(tempfile.mkdtemp(prefix="pi-term-search-"))
    try:
        files = _make(root, tree, ignores, is_repository)
        visible = {path: lines for path, lines in files.items() if not _is_ignored(path, ignores)}
        hidden = files.keys() - visible
        asyncio.run(_compare(root, files, visible, hidden, glob))
    finally:
        shutil.rmtree(root)


async def _compare(
    root: Path, files: dict[str, list[str]], visible: dict[str, list[str]], hidden: set[str], glob: str
) -> None:
    fits = Glob(glob, smart_case=True).test(str(root))
    found, is_told = await _lines(root, "find", pattern=glob)
    assert [each for each in found if not each.endswith("/")] == _ordered(filter(fits, visible))
    assert {each for each in found if each.endswith("/")} >= {
        each for each in _folders(visible) if fits(each)
    }
    assert is_told >= any(map(fits, hidden))

    fits = Glob(glob).test(str(root))
    found, is_told = await _lines(root, "grep", pattern="needle", glob=glob)
    assert found == [
        f"{path}:{number}: {line}"
        for path in _ordered(filter(fits, visible))
        for number, line in enumerate(visible[path], 1)
        if "needle" in line
    ]
    assert is_told == any(fits(path) and any("needle" in line for line in files[path]) for path in hidden)


def _make(
    root: Path, tree: dict[str, list[str]], ignores: dict[str, list[str]], is_repository: bool
) -> dict[str, list[str]]:
    """Make the files; all of them, with their lines."""
    files = {**tree, **{f"{folder}/.gitignore".lstrip("/"): rules for folder, rules in ignores.items()}}
    for path, lines in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(f"{line}\n" for line in lines))
    if is_repository:
        (root / ".git").mkdir()
    return files


async def _lines(root: Path, name: str, **args: Any) -> tuple[list[str], bool]:
    """The lines that a tool gave, and whether it told of ignored ones."""
    call = ToolCallContext("1", AbortController().signal, lambda _: None)
    context = ToolContext(root, call, MutationQueue(), root)
    text = _text(await builtin_tools()[name].execute(args, context))
    body, _, note = text.partition("\n\n[")
    lines = [] if body.startswith("No ") else body.split("\n")
    return lines, note.startswith("Ignore files hid")


def _text(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


def _ordered(paths: Any) -> list[str]:
    return sorted(paths, key=lambda path: path.split("/"))


def _folders(paths: Any) -> set[str]:
    return {
        f"{'/'.join(path.split('/')[:count])}/" for path in paths for count in range(1, path.count("/") + 1)
    }


def _is_ignored(path: str, ignores: dict[str, list[str]]) -> bool:
    """Whether git would ignore the file: the last rule of the nearest file that says something decides, and
    what is in an ignored folder is ignored."""
    parts = path.split("/")
    return any(
        _is_named("/".join(parts[:count]), count < len(parts), ignores) for count in range(1, len(parts) + 1)
    )


def _is_named(path: str, is_folder: bool, ignores: dict[str, list[str]]) -> bool:
    above = path.split("/")[:-1]
    for depth in range(len(above), -1, -1):
        folder = "/".join(above[:depth])
        relative = path[len(folder) :].lstrip("/")
        for rule in reversed(ignores.get(folder, [])):
            if _rule_fits(rule.removeprefix("!"), relative, is_folder):
                return not rule.startswith("!")
    return False


def _rule_fits(rule: str, path: str, is_folder: bool) -> bool:
    if rule.startswith("#") or (rule.endswith("/") and not is_folder):
        return False
    body = rule.rstrip("/")
    is_anchored = "/" in body
    pattern = (
        re.escape(body.lstrip("/"))
        .replace(r"\*\*/", "(?:.*/)?")
        .replace(r"/\*\*", "/.+")
        .replace(r"\*", "[^/]*")
    )
    return re.fullmatch(pattern if is_anchored else f"(?:.*/)?{pattern}", path) is not None
