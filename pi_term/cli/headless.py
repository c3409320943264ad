"""Starting the modes without a screen: print, JSON and RPC; and exporting a session."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Sequence

from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.base.paths import AppPaths, working_folder
from pi_term.base.sanitize import sanitize
from pi_term.base.watchdog import Watchdog
from pi_term.cli.files import attached
from pi_term.cli.options import Arguments
from pi_term.cli.startup import request_of
from pi_term.coding.startup import Started, StartRequest, start_session
from pi_term.coding.ui_bridge import NullUi, UiBridge
from pi_term.headless.prompt import Prompt
from pi_term.headless.streams import claim_input, claim_output

_NO_PROMPT = PiTermError("usage", "There is no prompt.", 'Try: pi-term -p "what does this project do?"')


@dataclass(frozen=True, slots=True)
class _Given:
    """The messages, and what goes before the first: what was piped in, and files."""

    piped: str
    files: Sequence[str]
    messages: list[str]

    async def prompts(self, started: Started) -> list[Prompt]:
        """What is sent. A template is expanded here where text goes before it, elsewhere by the session."""
        cwd, settings = working_folder(), started.settings
        text, images = (
            await asyncio.to_thread(attached, self.files, cwd, settings) if self.files else ("", ())
        )
        before = self.piped + text
        if not (before or self.messages):
            raise _NO_PROMPT
        first, *others = self.messages or [""]
        if before:
            first = before + started.resources.expand(first)
        return [Prompt(first, images), *map(Prompt, others)]


def run_headless(args: Arguments, paths: AppPaths) -> int:
    """Run the mode that `args` ask for; returns the exit code."""
    request = request_of(args)
    given = None if args.mode == "rpc" else _given(args)
    if args.mode != "text":
        claim_output()  # for the protocol, before anything else can write to it
    if args.mode == "rpc":
        claim_input()
    watchdog = Watchdog()
    try:
        return asyncio.run(_run(args.mode, request, paths, given, watchdog))
    finally:
        watchdog.stop()


async def _run(
    mode: str, request: StartRequest, paths: AppPaths, given: _Given | None, watchdog: Watchdog
) -> int:
    started = await start_session(request, paths, _ui(mode))
    gc.freeze()
    gc.enable()
    for diagnostic in started.diagnostics:
        sys.stderr.write(f"pi-term: {sanitize(diagnostic.text())}\n")
    code = 1
    try:
        code = await _run_mode(mode, started, given)
    finally:
        watchdog.watch(code)
        await started.aclose()
    return code


def _ui(mode: str) -> UiBridge:
    if mode != "rpc":
        return NullUi()
    from pi_term.headless.rpc import RpcUi

    return RpcUi()


async def _run_mode(mode: str, started: Started, given: _Given | None) -> int:
    if given is None:
        from pi_term.headless.rpc import run_rpc_mode

        return await run_rpc_mode(started)
    prompts = await given.prompts(started)
    if mode == "json":
        from pi_term.headless.json_mode import run_json_mode

        return await run_json_mode(started, prompts)
    from pi_term.headless.print_mode import run_print_mode

    return await run_print_mode(started.session, prompts)


def _given(args: Arguments) -> _Given:
    """The messages that say something, what is piped in, and the names of files."""
    piped = "" if sys.stdin.isatty() else sys.stdin.read().strip()
    messages = [message for message in args.messages if message.strip()]
    if not (piped or args.files or messages):
        raise _NO_PROMPT
    return _Given(piped, args.files, messages)


def run_export(args: Arguments) -> str:
    """Write a session as HTML, to the file that a message names; returns what to say of it."""
    from pathlib import Path

    from pi_term.coding.session import SessionFile
    from pi_term.render.html_export import export_session

    if args.export is None or len(args.messages) > 1:
        text = "--export takes a session file and where to write to."
        raise PiTermError("usage", text, "Try: pi-term --export session.jsonl page.html")
    cwd = working_folder()
    file = SessionFile.open(cwd / Path(args.export).expanduser(), cwd=cwd)
    try:
        target = export_session(file, cwd, args.messages[0] if args.messages else None)
    finally:
        file.close()
    return f"Exported to {target}"
