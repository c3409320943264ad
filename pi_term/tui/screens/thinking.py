"""Choosing how hard the model thinks."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pi_term.ai.catalog.levels import supported_levels
from pi_term.coding.settings import schema
from pi_term.tui.choices import Choice
from pi_term.tui.screens.picker import PickerScreen

if TYPE_CHECKING:
    from pi_term.ai.models import ThinkingLevel
    from pi_term.tui.app import PiTermApp

_EXPLAINED: dict[ThinkingLevel, str] = {
    "off": "answers at once",
    "minimal": "a glance before the answer",
    "low": "for simple work",
    "medium": "for everyday work",
    "high": "for hard problems; slower and dearer",
    "xhigh": "for very hard problems",
    "max": "as hard as it can",
}


class ThinkingScreen(PickerScreen):
    """The levels of the model; `save` tells whether new sessions are to begin with it."""

    CONTEXTS = ("select", "thinking")

    save = False

    def action_thinking_save(self) -> None:
        """Take the level, for new sessions too."""
        self.save = True
        self.action_select_confirm()

    def _hint(self) -> str:
        save = self.key_table.hint("app.thinking.save")
        return "enter uses it" + (f" · {save} also saves it" if save else "") + " · esc closes"


async def select_thinking(app: PiTermApp, name: str = "") -> None:
    """Use the level of this name, or let people choose one of the model's."""
    session = app.session
    levels = supported_levels(session.model)
    if not session.model.reasoning:
        app.main.status.note(f"{session.model.label} does not think.")
        return
    if name:
        found = [level for level in levels if level == name.casefold()]
        if not found:
            app.notice(f"{session.model.label} has the levels {', '.join(levels)}.", "warning")
            return
        await _use(app, found[0], False)
        return
    current = session.thinking_level
    choices = [
        Choice(level, level, _EXPLAINED[level], "← in use" if level == current else "") for level in levels
    ]
    at = levels.index(current) if current in levels else 0
    title = f"How hard shall {session.model.label} think?"
    screen = ThinkingScreen(title, choices, theme=app.theme_colours, keys=app.keys, at=at)
    chosen = await app.bridge.custom(screen)
    if chosen is not None:
        await _use(app, levels[[each.value for each in choices].index(chosen)], screen.save)


async def _use(app: PiTermApp, level: ThinkingLevel, save: bool) -> None:
    is_new = level != app.session.thinking_level
    await app.session.set_thinking_level(level)
    said = f"Thinking: {level}"
    if save:
        setting = schema.DEFAULT_THINKING_LEVEL
        problem = await asyncio.to_thread(app.session.harness.settings.set, setting, level)
        if problem is not None:
            app.notice(problem.text(), problem.severity)
            return
        app.main.overlays.reloader.note_settings()
        app.main.status.note(f"{said}, for new sessions too")
    elif is_new:
        app.main.note_switch(said)
    else:
        app.main.status.note(said)
