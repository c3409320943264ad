"""The command palette: everything there is to do, found by a part of its name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from pi_term.base.text import shortened
from pi_term.tui.actions import BY_ID, in_scope
from pi_term.tui.choices import Choice
from pi_term.tui.commands import COMMANDS
from pi_term.tui.screens.picker import PickerScreen

if TYPE_CHECKING:
    from pi_term.coding.resources.commands import CommandInfo
    from pi_term.tui.keymap.table import KeyTable
    from pi_term.tui.screens.main import MainScreen

_SCOPES = ("app", "transcript", "editor")
_ITSELF = "app.palette"
_MOST_KEYS = 2  # of an action that are shown
_LONGEST = 60  # characters of a template's description


class PaletteScreen(PickerScreen):
    """Everything that can be done now."""

    HINT = "enter does it · esc closes"


def palette_choices(keys: KeyTable, files: Iterable[CommandInfo]) -> list[Choice]:
    """Actions with their commands and keys, those with a command first; then the templates and skills in
    `files`. What only moves about in the editor comes last.
    """
    commands = {command.action_id: command for command in reversed(COMMANDS)}
    choices: list[Choice] = []
    for scope in _SCOPES:
        for action in in_scope(scope):
            if action.id == _ITSELF:
                continue
            command = commands.get(action.id)
            named = "" if command is None else f"/{command.name}"
            pressed = ", ".join(keys.keys_for(action.id)[:_MOST_KEYS])
            aside = "  ".join(each for each in (named, pressed) if each)
            faded = scope == "editor"
            choices.append(Choice(action.id, action.title, action.description, aside, faded, action.id))
    called = [
        Choice(f"/{each.name}", f"/{each.name}", shortened(each.description, _LONGEST), each.argument_hint)
        for each in files
    ]
    order = {command.action_id: place for place, command in enumerate(COMMANDS)}
    plain = sorted(
        (each for each in choices if not each.faded), key=lambda each: order.get(each.value, len(order))
    )
    return [*plain, *called, *(each for each in choices if each.faded)]


async def choose_command(screen: MainScreen) -> Callable[[], None] | None:
    """Let people choose; returns what does it."""
    app = screen.program
    assert app.started is not None
    choices = palette_choices(app.keys, await asyncio.to_thread(app.started.resources.commands))
    chosen = await app.bridge.custom(
        PaletteScreen("What is to be done?", choices, theme=app.theme_colours, keys=app.keys)
    )
    return None if chosen is None else partial(_do, screen, chosen)


def _do(screen: MainScreen, chosen: str) -> None:
    if chosen.startswith("/"):
        screen.editor.prepend([f"{chosen} "])
        return
    action = BY_ID[chosen]
    handler = getattr(screen.editor, action.handler) if action.scope == "editor" else None
    applied = handler() if handler is not None else screen.dispatch(chosen)
    if not applied:
        screen.status.note(f"{action.title}: not possible right now.")
