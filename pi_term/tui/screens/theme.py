"""Choosing colours, seeing them at once; and choosing the keymap."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pi_term.base.diagnostics import Diagnostic
from pi_term.coding.settings import schema
from pi_term.coding.settings.schema import Setting
from pi_term.render.line import EMPTY_LINE, Line
from pi_term.tui.background import after
from pi_term.tui.choices import Choice
from pi_term.tui.screens.picker import PickerScreen
from pi_term.tui.setting_values import LAYER_NAMES
from pi_term.tui.text import Span, ends
from pi_term.tui.theme_choice import SYSTEM, SYSTEM_LIGHT, choose_theme

if TYPE_CHECKING:
    from pi_term.coding.resources.loader import Resource
    from pi_term.render.theme import Theme
    from pi_term.tui.app import PiTermApp
    from pi_term.tui.keymap.table import KeyTable
    from pi_term.tui.looks import Looks

_BY_BACKGROUND = "light/dark"
_SETTLED = 0.06  # seconds that a selection stays before it is shown: who runs through the list is not held up
_ABOUT = {
    _BY_BACKGROUND: "one of the two, by the terminal's background",
    "dark": "shipped",
    "light": "shipped",
    "high-contrast": "shipped, for those who want more of it",
    SYSTEM: "the terminal's own colours",
}
_SAMPLE = (
    ("accent", "accent "),
    ("success", "✓ done "),
    ("error", "✗ failed "),
    ("warning", "! careful "),
    ("muted", "muted "),
    ("dim", "dim "),
    ("mdLink", "link "),
    ("mdCode", "code "),
)
_CODE = (
    ("syntaxKeyword", "def "),
    ("syntaxFunction", "greet"),
    ("syntaxPunctuation", "("),
    ("syntaxVariable", "name"),
    ("syntaxPunctuation", "): "),
    ("syntaxKeyword", "return "),
    ("syntaxString", '"hello" '),
    ("syntaxComment", "# words  "),
    ("toolDiffAdded", "+ added "),
    ("toolDiffRemoved", "- removed"),
)


class ThemeScreen(PickerScreen):
    """Themes by name; `preview` shows the one that is selected, and gives the looks then."""

    EXPLAINED = 4

    def __init__(
        self,
        choices: Sequence[Choice],
        preview: Callable[[str], Looks],
        *,
        theme: Theme,
        keys: KeyTable,
        at: int,
    ) -> None:
        super().__init__("Theme", choices, theme=theme, keys=keys, at=at)
        self._preview = preview
        self._timer: asyncio.TimerHandle | None = None
        self._problem = ""

    def show_selected(self, choice: Choice | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if choice is not None:
            self._timer = after(self, _SETTLED, lambda: self._show_theme(choice.value))

    def _show_theme(self, name: str) -> None:
        looks = self._preview(name)
        self._theme, self._problem = looks.theme, _problem_text(looks.theme_problems)
        self._paint()

    def _below(self, width: int) -> list[Line]:
        problem = ends([(self._problem, self._theme.style("error"))], [], width, pad=3)
        return [EMPTY_LINE, self._sample(_SAMPLE, width), self._sample(_CODE, width), problem]

    def _sample(self, words: Sequence[tuple[str, str]], width: int) -> Line:
        spans: list[Span] = [(text, self._theme.style(token)) for token, text in words]
        return ends(spans, [], width, pad=3)


def _problem_text(problems: Sequence[Diagnostic]) -> str:
    """The first fault of a theme file, in a row."""
    if not problems:
        return ""
    first = problems[0]
    place = f"line {first.line}" if first.line is not None else ""
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return ": ".join(part for part in (place, first.key, first.message) if part) + more


async def select_theme(app: PiTermApp, name: str = "") -> None:
    """Use the theme of this name, or let people choose; Escape brings the old one back."""
    assert app.started is not None
    resources = app.started.resources
    found = await asyncio.to_thread(resources.named, "themes")
    if name:
        if name not in (SYSTEM, *found) and "/" not in name:
            app.notice(f"There is no theme “{name}”. There are {', '.join(found)}.", "warning")
            return
        await _keep(app, schema.THEME, name)
        return
    before = app.looks
    names = [_BY_BACKGROUND, *(each for each in found if each != SYSTEM_LIGHT)]
    current = app.session.harness.settings.get(schema.THEME)
    if current not in names:
        names.insert(0, current)

    def preview(wanted: str) -> Looks:
        app.use_looks(_looks_in(app, wanted))
        return app.looks

    screen = ThemeScreen(
        [_theme_choice(each, found, current) for each in names],
        preview,
        theme=app.theme_colours,
        keys=app.keys,
        at=names.index(current),
    )
    chosen = await app.bridge.custom(screen)
    if chosen is None:
        app.use_looks(before)
    else:
        await _keep(app, schema.THEME, chosen)


def _theme_choice(name: str, found: Mapping[str, Resource], current: str) -> Choice:
    resource = found.get(name)
    own = resource is not None and resource.source != "shipped"
    about = f"of the {resource.source}" if own and resource is not None else _ABOUT.get(name, "")
    return Choice(name, name, about, "← in use" if name == current else "")


def _looks_in(app: PiTermApp, name: str) -> Looks:
    """The looks of now in another theme."""
    assert app.started is not None
    chosen = choose_theme(name, app.started.resources, os.environ, app.parts.light)
    return replace(app.looks, theme=chosen.theme, theme_problems=chosen.problems, theme_file=chosen.file)


async def select_keymap(app: PiTermApp, name: str = "") -> None:
    """Use the keymap of this name, or let people choose one."""
    assert app.started is not None
    found = await asyncio.to_thread(app.started.resources.named, "keymaps")
    current = app.session.harness.settings.get(schema.KEYMAP)
    if name and name not in found:
        app.notice(f"There is no keymap “{name}”. There are {', '.join(found)}.", "warning")
        return
    if not name:
        choices = [
            Choice(each, each, resource.source, "← in use" if each == current else "")
            for each, resource in found.items()
        ]
        at = list(found).index(current) if current in found else 0
        title = "Keymap\nkeybindings.json is applied on top of it."
        screen = PickerScreen(title, choices, theme=app.theme_colours, keys=app.keys, at=at)
        name = await app.bridge.custom(screen) or ""
    if name:
        await _keep(app, schema.KEYMAP, name)


async def _keep(app: PiTermApp, setting: Setting[str], value: str) -> None:
    """Store it in the user's settings and show what is in force then."""
    assert app.started is not None
    settings = app.session.harness.settings
    problem = await asyncio.to_thread(settings.set, setting, value)
    await app.main.overlays.reloader.settings_changed()
    for each in (*([problem] if problem else []), *app.looks.diagnostics):
        app.notice(each.text(), each.severity)
    layer = settings.origin(setting).layer
    hidden = f" Saved; {LAYER_NAMES[layer]} goes before it." if layer != "user" else ""
    app.main.status.note(f"{setting.key.capitalize()}: {settings.get(setting)}.{hidden}")
