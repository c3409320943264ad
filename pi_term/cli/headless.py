"""Starting print mode."""

from __future__ import annotations

import asyncio
import gc
import sys

from pi_term.base.errors import PiTermError
from pi_term.base.paths import AppPaths
from pi_term.base.sanitize import sanitize
from pi_term.cli.args import Arguments
from pi_term.cli.startup import request_of
from pi_term.coding.startup import StartRequest, start_session
from pi_term.coding.ui_bridge import NullUi


def run_print(args: Arguments, paths: AppPaths) -> int:
    """Run the prompts of the command line and of a piped standard input; returns the exit code."""
    request = request_of(args)
    prompts = _prompts(args.messages)
    if not prompts:
        raise PiTermError("usage", "There is no prompt.", 'Try: pi-term -p "what does this project do?"')
    return asyncio.run(_run(request, paths, prompts))


async def _run(request: StartRequest, paths: AppPaths, prompts: list[str]) -> int:
    from pi_term.headless.print_mode import run_print_mode

    started = await start_session(request, paths, NullUi())
    gc.freeze()
    gc.enable()
    for diagnostic in started.diagnostics:
        sys.stderr.write(f"pi-term: {sanitize(diagnostic.text())}\n")
    try:
        return await run_print_mode(started.session, prompts)
    finally:
        await started.aclose()


def _prompts(messages: list[str]) -> list[str]:
    """The messages that say something, with the text of a piped standard input put before the first."""
    said = [message for message in messages if message.strip()]
    piped = "" if sys.stdin.isatty() else sys.stdin.read().strip()
    if not piped:
        return said
    return [piped + said[0], *said[1:]] if said else [piped]
