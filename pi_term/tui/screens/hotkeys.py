"""The live table of keys: what each action is on, what clashes, what not every terminal can send."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pi_term.base.diagnostics import Diagnostic
from pi_term.tui.actions import ACTIONS, BY_ID, Action
from pi_term.tui.choices import Choice
from pi_term.tui.keymap.names import is_shifted_symbol, needs_kitty, parse_chord
from pi_term.tui.screens.picker import PickerScreen, Remark
from pi_term.tui.text import home_path

if TYPE_CHECKING:
    from pathlib import Path

    from pi_term.tui.app import PiTermApp
    from pi_term.tui.looks import Looks

_SCOPES = ("app", "transcript", "editor", "select")
_NAMES = {"app": "anywhere", "select": "lists", "browse": "long lists", "session-picker": "sessions"}
"""What scopes are called where that is not their name."""
_KEYS_WIDTH = 24  # cells of the first column
_NONE = "—"


class HotkeysScreen(PickerScreen):
    """All actions with their keys; to be read."""

    EXPLAINED = 6
    HINT = "* may not arrive in this terminal · esc closes"

    def __init__(self, looks: Looks, file: Path, *, all_keys: bool = False) -> None:
        """`file` is where the user's own keys stand; with `all_keys` the terminal sends every one."""
        self._problems = looks.key_problems
        self._all_keys = all_keys
        self._file = file
        title = "Keys"
        if self._problems:
            title += "".join(f"\n! {each.text()}" for each in self._problems[:3])
        if len(self._problems) > 3:
            title += f"\n! and {len(self._problems) - 3} more: search for “!”"
        choices = [key_choice(action, looks, self._problems, all_keys=all_keys) for action in _ordered()]
        super().__init__(title, choices, theme=looks.theme, keys=looks.keys)

    def action_select_confirm(self) -> None:
        """There is nothing to choose: close."""
        self.dismiss(None)

    def explain(self, choice: Choice) -> Sequence[Remark]:
        action = BY_ID[choice.value]
        keys = self.key_table.keys_for(action.id)
        remarks = [
            Remark(f"{action.title}: {action.description}", "text"),
            Remark(f"{action.id} · {', '.join(keys) or 'no key'} · change it in {home_path(self._file)}"),
        ]
        limits = [limit for key in keys if (limit := key_limit(key, all_keys=self._all_keys))]
        remarks += [Remark(limit, "warning") for limit in limits]
        return [*remarks, *(Remark(each.text(), "error") for each in _about(action, self._problems))]


def key_choice(
    action: Action, looks: Looks, problems: Sequence[Diagnostic], *, all_keys: bool = False
) -> Choice:
    """The row of an action."""
    keys = looks.keys.keys_for(action.id)
    marked = [f"{key}*" if key_limit(key, all_keys=all_keys) else key for key in keys]
    shown = ", ".join(marked) or _NONE
    mark = "! " if _about(action, problems) else ""
    label = shown.ljust(_KEYS_WIDTH)
    limited = "kitty" if "*" in shown else ""
    return Choice(
        action.id,
        label,
        f"{mark}{action.title}",
        _NAMES.get(action.scope, action.scope),
        found_by=f"{action.id} {action.description} {limited}",
    )


def key_limit(key: str, *, all_keys: bool = False) -> str:
    """Where the key, or a sequence of them, does not arrive; "" for nowhere. `all_keys`: the terminal speaks
    the Kitty keyboard protocol.
    """
    chord = parse_chord(key)
    if any(is_shifted_symbol(each) for each in chord):
        return f"{key}: no terminal sends it, name the character that the keys type"
    if not all_keys and any(needs_kitty(each) for each in chord):
        return f"* {key} needs a terminal with the Kitty keyboard protocol"
    return ""


def _about(action: Action, problems: Sequence[Diagnostic]) -> list[Diagnostic]:
    """What is wrong with the keys of an action: told of it, or naming it."""
    return [each for each in problems if each.key == action.id or each.message.endswith(f" of {action.id}")]


def _ordered() -> list[Action]:
    """Actions that are always there, then those of single screens."""
    places = {scope: place for place, scope in enumerate(_SCOPES)}
    return sorted(ACTIONS, key=lambda action: places.get(action.scope, len(places)))


async def show_hotkeys(app: PiTermApp) -> None:
    """Show the keys that hold now."""
    assert app.started is not None
    await app.bridge.custom(
        HotkeysScreen(app.looks, app.started.paths.keybindings_file, all_keys=app.all_keys)
    )
