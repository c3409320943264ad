"""Starting the full-screen program."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.base.paths import AppPaths
from pi_term.cli.args import Arguments
from pi_term.cli.startup import start
from pi_term.coding.settings import schema
from pi_term.coding.startup import Started
from pi_term.coding.ui_bridge import NullUi

if TYPE_CHECKING:
    from pi_term.tui.app import AppParts


def run_interactive(args: Arguments, paths: AppPaths) -> int:
    """Run until the user quits; returns the exit code."""
    # Nothing that start-up makes becomes garbage: collecting meanwhile would only cost time.
    gc.disable()
    return asyncio.run(_run(args, paths))


async def _run(args: Arguments, paths: AppPaths) -> int:
    started = await start(args, paths, NullUi())
    from pi_term.tui.app import PiTermApp

    app = PiTermApp(_parts(args, paths, started))
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 100)
    try:
        await app.run_async()
    finally:
        await started.aclose()
    return app.return_code or 0


def _parts(args: Arguments, paths: AppPaths, started: Started) -> AppParts:
    from pi_term.tui.app import AppParts
    from pi_term.tui.keymap.table import load_table
    from pi_term.tui.theme_choice import choose_theme
    from pi_term.tui.widgets.editor import PromptHistory

    settings, resources = started.settings, started.resources
    theme, theme_problems = choose_theme(settings.get(schema.THEME), resources, os.environ)
    keymap = resources.find("keymaps", settings.get(schema.KEYMAP))
    keys, key_problems = load_table(
        keymap=None if keymap is None else keymap.path, user=paths.keybindings_file
    )
    cwd = started.session.harness.cwd
    return AppParts(
        started=started,
        theme=theme,
        keys=keys,
        history=PromptHistory(_history_file(paths, cwd)),
        crash_dir=paths.crash_dir,
        prompts=args.messages,
        loaded=[str(file.path) for file in resources.context_files()],
        diagnostics=[*started.diagnostics, *theme_problems, *key_problems],
    )


def _history_file(paths: AppPaths, cwd: Path) -> Path:
    """Where the prompts of this folder are remembered."""
    return paths.history_dir / f"{hashlib.sha256(os.fsencode(cwd)).hexdigest()[:16]}.jsonl"
