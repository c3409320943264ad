"""The tools `find` and `grep` against plain ripgrep, on a tree of 100,000 files.

    python benchmarks/search.py [FILES]

Prints the median time of each, and how many times that of ripgrep the tool takes.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pi_term.agent.tools import ToolCallContext
from pi_term.base.abort import AbortController
from pi_term.coding.tools import MutationQueue, ToolContext, builtin_tools
from pi_term.coding.tools.search.program import installed_program

ROUNDS = 9
WORDS = (
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
)
PLAIN = [installed_program(), "--no-config", "--hidden"]
CASES: list[tuple[str, str, dict[str, Any], list[str]]] = [
    ("find *.py", "find", {"pattern": "*.py"}, ["--files"]),
    ("find **/mod3/*.{ts,md}", "find", {"pattern": "**/mod3/*.{ts,md}"}, ["--files"]),
    ("find, nothing", "find", {"pattern": "nothing.txt"}, ["--files"]),
    ("grep, rare", "grep", {"pattern": "needle"}, ["-n", "needle"]),
    ("grep, everywhere", "grep", {"pattern": "alpha"}, ["-n", "alpha"]),
    ("grep, nothing", "grep", {"pattern": "n[o]thing"}, ["-n", "n[o]thing"]),
    ("grep in *.md", "grep", {"pattern": "needle", "glob": "*.md"}, ["-n", "-g", "*.md", "needle"]),
]


def make_tree(root: Path, files: int) -> None:
    """`files` files of a kilobyte, a hundred in each folder; in one of a thousand is a needle."""
    random.seed(1)
    texts = ["\n".join(" ".join(random.choices(WORDS, k=8)) for _ in range(20)) for _ in range(500)]
    for number in range(files):
        folder = root / f"pkg{number // 1000:03}" / f"mod{number // 100 % 10}"
        folder.mkdir(parents=True, exist_ok=True)
        needle = "\nneedle\n" if number % 1000 == 0 else "\n"
        (folder / f"file{number % 100}.{('py', 'ts', 'md', 'txt')[number % 4]}").write_text(
            texts[number % 500] + needle
        )


def plain(root: Path, arguments: list[str]) -> float:
    """Seconds that ripgrep takes."""
    started = time.perf_counter()
    subprocess.run(
        [*PLAIN, *arguments, "./"], cwd=root, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False
    )
    return time.perf_counter() - started


async def tool(root: Path, name: str, args: dict[str, Any]) -> float:
    """Seconds that a call of the tool takes."""
    call = ToolCallContext("1", AbortController().signal, lambda _: None)
    context = ToolContext(root, call, MutationQueue(), root)
    started = time.perf_counter()
    await builtin_tools()[name].execute(args, context)
    return time.perf_counter() - started


async def compare(root: Path) -> None:
    """Measure all cases, one run of each kind in turn."""
    for title, name, args, arguments in CASES:
        pairs = [(plain(root, arguments), await tool(root, name, args)) for _ in range(ROUNDS + 1)][1:]
        ours, theirs = (
            statistics.median(column) * 1000 for column in zip(*((b, a) for a, b in pairs), strict=True)
        )
        print(f"{title:24} rg {theirs:7.0f} ms   tool {ours:7.0f} ms   {ours / theirs:5.2f} x")


def main() -> None:
    """Make the tree, measure, remove the tree."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory(prefix="pi-term-search-") as folder:
        make_tree(Path(folder), files)
        asyncio.run(compare(Path(folder)))


if __name__ == "__main__":
    main()
