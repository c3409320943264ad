"""Lists of paths from ripgrep."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from pi_term.agent.tools import ToolError
from pi_term.base.abort import AbortController
from pi_term.coding.tools.search.paths import ROOT, PathStream
from pi_term.coding.tools.search.program import Ripgrep, Wanted, no_program
from pi_term.coding.tools.search.report import DEBUG, Report, read_log

NOT_GIT = "--glob=!.git/"
"""Leaves out what git keeps for itself, save where that is the folder searched."""


def _threads() -> int:
    """Some more than there are cores, as reading what is found takes its part of them."""
    return min(12, (os.cpu_count() or 1) + 2)


async def list_paths(
    ripgrep: Ripgrep,
    arguments: Sequence[str],
    take: Callable[[list[str]], None] | None,
    roots: Sequence[str] = (ROOT,),
    stop: AbortController | None = None,
    *,
    debug: bool = True,
    with_git: bool = True,
) -> Report:
    """What ripgrep prints with `arguments` (which make it print paths), in groups and in any order.

    `take` is called in another thread; None: only the report is wanted, which knows what was left out only
    with `debug`. `with_git`: also what git keeps for itself. Raises `ToolError` if nothing could be searched.
    """
    stream = PathStream(take or (lambda _: None), with_git=with_git)
    wanted: Wanted = "output and log" if take else "log"
    options = ["--null", f"--threads={_threads()}", *([DEBUG] if debug else [])]
    await ripgrep.run([*options, *arguments, "--", *roots], stream.feed, stop, wanted)
    report = read_log(stream.log)
    if report.is_missing:
        raise no_program(ripgrep.chosen)
    if report.failure:
        raise ToolError(report.failure)
    return report
