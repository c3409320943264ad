"""What may follow the commands that take something."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pi_term.tui.completions.slash import Argument, Arguments, Called

if TYPE_CHECKING:
    from pi_term.coding.logins import Login
    from pi_term.coding.startup import Started


def arguments_of(running: Started) -> Mapping[str, Arguments]:
    """The offers for each command there is, by its name."""
    return {
        "model": partial(_models, running),
        "thinking": partial(_levels, running),
        "name": partial(_own_name, running),
        "login": lambda: _providers(running.logins.choices()),
        "logout": lambda: _providers(running.logins.stored()),
        "theme": lambda: [Argument("system"), *_named(running.resources.named("themes"))],
        "keymap": lambda: _named(running.resources.named("keymaps")),
    }


def resource_commands(running: Started) -> list[Called]:
    """Templates and, where the settings want them offered, skills. Reads files."""
    from pi_term.coding.settings import schema

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


def _own_name(running: Started) -> list[Argument]:
    name = running.session.file.tree.name
    return [Argument(name)] if name else []


def _providers(logins: Sequence[Login]) -> list[Argument]:
    return [Argument(each.provider_id, each.label) for each in logins]


def _named(names: Iterable[str]) -> list[Argument]:
    return [Argument(name) for name in sorted(names)]
