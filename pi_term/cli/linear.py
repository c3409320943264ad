"""Starting the interactive program without a screen."""

from __future__ import annotations

import asyncio
import gc

from pi_term.base.paths import AppPaths, working_folder
from pi_term.base.watchdog import Watchdog
from pi_term.cli.files import attached
from pi_term.cli.options import Arguments
from pi_term.cli.startup import request_of
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.startup import Started, start_session
from pi_term.headless.linear import LinearUi, run_linear_mode
from pi_term.headless.prompt import Prompt


def run_linear(args: Arguments, paths: AppPaths) -> int:
    """Run until the user quits or the input ends; returns the exit code."""
    settings = SettingsStore.load(paths, overrides=args.settings)
    text, images = attached(args.files, working_folder(), settings)
    first, *others = args.messages or [""]
    prompts = [Prompt(text + first, images)] if text or first or images else []

    async def start(ui: LinearUi) -> Started:
        started = await start_session(request_of(args), paths, ui)
        gc.freeze()
        gc.enable()
        return started

    watchdog = Watchdog()
    try:
        return asyncio.run(
            run_linear_mode(
                start,
                [*prompts, *map(Prompt, others)],
                resume=args.resume,
                on_end=lambda: watchdog.watch(1),
            )
        )
    finally:
        watchdog.stop()
