"""What may follow the commands that take something."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from pi_term.tui.commands import COMMANDS
from pi_term.tui.completions.slash import Argument, Arguments, Called

if TYPE_CHECKING:
    from pi_term.coding.logins import Login
    from pi_term.coding.startup import Started


def arguments_of(started: Callable[[], Started]) -> Mapping[str, Arguments]:
    """The offers for each command there is, by its name."""
    known: dict[str, Callable[[Started], Sequence[Argument]]] = {
        "model": _models,
        "thinking": _levels,
        "name": lambda running: [Argument(name)] if (name := running.session.file.tree.name) else [],
        "login": lambda running: _providers(running.logins.choices()),
        "logout": lambda running: _providers(running.logins.stored()),
        "theme": lambda running: [Argument("system"), *_named(running, "themes")],
        "keymap": lambda running: _named(running, "keymaps"),
    }
    taking = {command.name for command in COMMANDS if command.argument}

    def offers(name: str) -> Arguments:
        return lambda _: known[name](started())

    return {name: offers(name) for name in known if name in taking}


def resource_commands(started: Callable[[], Started]) -> list[Called]:
    """Templates and, where the settings want them offered, skills. Reads files."""
    from pi_term.coding.settings import schema

    running = started()
    skills = running.settings.get(schema.ENABLE_SKILL_COMMANDS)
    return [
        Called(each.name, each.description, each.argument_hint)
        for each in running.resources.commands()
        if skills or each.source != "skill"
    ]


def _models(running: Started) -> list[Argument]:
    return [Argument(model.key, model.name) for model in running.registry.available()]


def _levels(running: Started) -> list[Argument]:
    from pi_term.ai.catalog.levels import supported_levels

    return [Argument(level) for level in supported_levels(running.session.model)]


def _providers(logins: Sequence[Login]) -> list[Argument]:
    return [Argument(each.provider_id, each.label) for each in logins]


def _named(running: Started, kind: str) -> list[Argument]:
    found = running.resources.named("themes" if kind == "themes" else "keymaps")
    return [Argument(name) for name in sorted(found)]
