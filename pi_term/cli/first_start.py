"""The start of the full-screen program, which may be the first one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.json_locate import read_json_file
from pi_term.base.paths import AppPaths
from pi_term.cli.options import Arguments
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore

if TYPE_CHECKING:
    from pi_term.coding.startup import Started
    from pi_term.tui.app import PiTermApp
    from pi_term.tui.bridge import TuiBridge
    from pi_term.tui.screens.first_start import FirstStart


async def begin(app: PiTermApp, args: Arguments, paths: AppPaths, settings: SettingsStore) -> Started:
    """Begin. Where nothing is set up yet, people choose first what shall answer."""
    if not is_set_up(paths, settings, os.environ):
        return await _first_start(args, paths, settings).begin(app)
    try:
        started = await app.parts.start(app.bridge.unasked)
        started.diagnostics += await asyncio.to_thread(_import_is_possible, paths)
        return started
    except PiTermError as error:
        if error.code != "no_model":
            raise
        missing = error.message
    return await _first_start(args, paths, settings).hold_the_place(app, missing)


def is_set_up(paths: AppPaths, settings: SettingsStore, env: Mapping[str, str]) -> bool:
    """Whether somebody has configured a model, a provider or a key, be it a wrong one; blocks shortly."""
    from pi_term.ai.catalog.builtin import builtin_providers

    if settings.get(schema.DEFAULT_PROVIDER) or settings.get(schema.DEFAULT_MODEL):
        return True
    for file in (paths.auth_file, paths.models_file):
        content = read_json_file(file)
        if content.data or content.problem is not None:
            return True
    names = (name for each in builtin_providers().values() for name in (*each.env_keys, *each.env_bearers))
    return any(env.get(name, "").strip() for name in names)


def _import_is_possible(paths: AppPaths) -> list[Diagnostic]:
    """Tell once, without asking, that what is in Pi can be taken over; blocks."""
    from pi_term.coding.pi_import import is_pi_folder, note_offered, pi_folder, was_offered

    pi = pi_folder(os.environ)
    if was_offered(paths) or not is_pi_folder(pi, paths):
        return []
    note_offered(paths)
    return [Diagnostic("info", f"pi-term import-pi takes over what you have in Pi ({pi})")]


def _first_start(args: Arguments, paths: AppPaths, settings: SettingsStore) -> FirstStart:
    from pi_term.cli.startup import request_of
    from pi_term.coding.pi_import import pi_folder
    from pi_term.coding.startup import start_session
    from pi_term.tui.screens.first_start import FirstStart

    async def demo(ui: TuiBridge) -> Started:
        return await start_session(replace(request_of(args), demo=True), paths, ui)

    return FirstStart(settings, paths, demo, pi_folder(os.environ))
