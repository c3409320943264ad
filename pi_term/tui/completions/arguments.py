"""What may follow the commands that take something."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pi_term.tui.completions.slash import Argument, Arguments, Called
from pi_term.tui.fuzzy import best_matches

if TYPE_CHECKING:
    from pi_term.coding.logins import Login
    from pi_term.coding.startup import Started


def arguments_of(running: Started) -> Mapping[str, Arguments]:
    """The offers for each command there is, by its name."""
    return {
        "model": partial(_models, running),
        "thinking": lambda typed: _fitting(_levels(running), typed),
        "name": lambda typed: _fitting(_own_name(running), typed),
        "login": lambda typed: _fitting(_providers(running.logins.choices()), typed),
        "logout": lambda typed: _fitting(_providers(running.logins.stored()), typed),
        "theme": lambda typed: _fitting(_named(running.resources.named("themes")), typed),
        "keymap": lambda typed: _fitting(_named(running.resources.named("keymaps")), typed),
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


def _fitting(found: Sequence[Argument], typed: str) -> list[Argument]:
    return [found[index] for index in best_matches(typed, [each.value for each in found])]


def _models(running: Started, typed: str) -> list[Argument]:
    """Those with a key, as the list of models orders them."""
    from pi_term.ai.catalog.ranking import by_fit

    registry = running.registry
    available = registry.available()
    found = [available[index] for index in best_matches(typed, [model.key for model in available])]
    return [Argument(model.key, model.name) for model in by_fit(found, typed, registry.providers)]


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
