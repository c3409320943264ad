"""What the screen needs before anything else: colours and keys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.coding.resources.loader import ResourceLoader
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore
from pi_term.render.theme import Theme
from pi_term.tui.keymap.table import KeyTable, load_table
from pi_term.tui.theme_choice import choose_theme


@dataclass(frozen=True, slots=True)
class Looks:
    """A theme and a key table, and what was wrong with the files they came from.

    `theme_file` is the file of the user's or the project's that the theme is in: it may change.
    """

    theme: Theme
    keys: KeyTable
    theme_problems: tuple[Diagnostic, ...] = ()
    key_problems: tuple[Diagnostic, ...] = ()
    theme_file: Path | None = None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything that was wrong."""
        return (*self.theme_problems, *self.key_problems)


def load_looks(
    settings: SettingsStore,
    resources: ResourceLoader,
    keybindings: Path,
    env: Mapping[str, str],
    light: bool | None = None,
) -> Looks:
    """What the settings name, from the shipped files, the user's, and a trusted project's.

    `light` is what the terminal told of its background.
    """
    chosen = choose_theme(settings.get(schema.THEME), resources, env, light)
    name = settings.get(schema.KEYMAP)
    keymap = resources.find("keymaps", name)
    missing = [] if keymap else [Diagnostic("warning", f'there is no keymap "{name}"', key=schema.KEYMAP.key)]
    keys, problems = load_table(keymap=keymap.path if keymap else None, user=keybindings)
    return Looks(chosen.theme, keys, chosen.problems, (*missing, *problems), chosen.file)
