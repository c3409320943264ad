"""What the screen needs before anything else: colours and keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pi_term.base.diagnostics import Diagnostic
from pi_term.coding.resources.loader import ResourceLoader
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore
from pi_term.render.theme import Theme
from pi_term.tui.keymap.table import KeyTable, load_table
from pi_term.tui.theme_choice import choose_theme


@dataclass(frozen=True, slots=True)
class Looks:
    """A theme and a key table, and what was wrong with the files they came from."""

    theme: Theme
    keys: KeyTable
    diagnostics: tuple[Diagnostic, ...] = ()


def load_looks(
    settings: SettingsStore, resources: ResourceLoader, keybindings: Path, env: Mapping[str, str]
) -> Looks:
    """What the settings name, from the shipped files, the user's, and a trusted project's."""
    theme, theme_problems = choose_theme(settings.get(schema.THEME), resources, env)
    name = settings.get(schema.KEYMAP)
    keymap = resources.find("keymaps", name)
    missing = [] if keymap else [Diagnostic("warning", f'there is no keymap "{name}"', key=schema.KEYMAP.key)]
    keys, key_problems = load_table(keymap=keymap.path if keymap else None, user=keybindings)
    return Looks(theme, keys, (*theme_problems, *missing, *key_problems))
