"""Reading again what people write, and telling what is different now."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.base.dataclass import dataclass
from pi_term.coding.settings import schema
from pi_term.coding.settings.schema import SCHEMA
from pi_term.tui.actions import ACTIONS
from pi_term.tui.text import home_path

if TYPE_CHECKING:
    from pi_term.coding.startup import Started
    from pi_term.tui.app import PiTermApp
    from pi_term.tui.looks import Looks

_MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class Inventory:
    """What was loaded: by kind, names with something that differs when the contents do."""

    kinds: Mapping[str, Mapping[str, object]]

    @classmethod
    def of(cls, started: Started, looks: Looks) -> Inventory:
        """What is there now; reads files, so not on the event loop."""
        resources = started.resources
        return cls(
            {
                **_in_memory(started, looks),
                "prompts": {f"/{each.name}": _stamp(each.path) for each in resources.templates().values()},
                "skills": {each.name: _stamp(each.path) for each in resources.skills().values()},
                "context files": {home_path(each.path): each.text for each in resources.context_files()},
                "models": {model.key: model for model in started.registry.available()},
                "trust": {"trusted" if started.trust.trusted else "not trusted": True},
            }
        )

    def with_settings(self, started: Started, looks: Looks) -> Inventory:
        """The same with the settings and looks of now; reads no files."""
        return Inventory({**self.kinds, **_in_memory(started, looks)})

    def changes_since(self, before: Inventory) -> list[str]:
        """A line for each kind that is not the same: new, changed and gone names."""
        lines = []
        for kind, now in self.kinds.items():
            then = before.kinds[kind]
            marked = [f"+{name}" for name in now if name not in then]
            marked += [name for name in now if name in then and now[name] != then[name]]
            marked += [f"−{name}" for name in then if name not in now]
            if marked:
                more = len(marked) - _MOST_NAMED
                named = ", ".join(marked[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
                lines.append(f"{kind}: {named}")
        return lines


def _in_memory(started: Started, looks: Looks) -> dict[str, dict[str, object]]:
    settings = started.settings
    return {
        "settings": {key: settings.get(key) for key in SCHEMA},
        "keys": {action.id: looks.keys.keys_for(action.id) for action in ACTIONS},
        "theme": {looks.theme.name: dict(looks.theme.colours)},
    }


class Reloader:
    """Reads again, for `/reload` and after settings were changed."""

    def __init__(self, app: PiTermApp) -> None:
        self._app = app
        self._known: Inventory | None = None

    async def note_what_is_there(self) -> None:
        """Remember what was loaded, to tell later what changed."""
        if self._known is None:
            self._known = await self._inventory()

    async def reload(self, *, decided: bool = False) -> None:
        """Everything; `decided`: also the trust of the folder. Tells what changed and what is wrong."""
        app = self._app
        assert app.started is not None
        if app.session.busy:
            app.notice("Reload when the agent is done, or stop it first.", "warning")
            return
        # So soon after the start that nothing was noted yet, what is in memory is still the old.
        before = self._known or await self._inventory()
        problems = await app.started.reload(decided=decided)
        app.follow_folder()
        self._use_modes()
        self._known = await self._inventory()
        changes = self._known.changes_since(before)
        said = ["Read again. Different now:", *changes] if changes else ["Read again: nothing has changed."]
        app.notice("\n".join(said))
        for each in dict.fromkeys([*problems, *app.started.resources.news()]):
            app.notice(each.text(), each.severity)

    async def settings_changed(self) -> None:
        """A setting was changed: show what it does."""
        app = self._app
        assert app.started is not None
        looks = await asyncio.to_thread(app.parts.looks_of, app.started)
        if (looks.theme.name, looks.theme_file) == (app.looks.theme.name, app.looks.theme_file):
            looks = _same_theme(looks, app.looks)
        app.use_looks(looks)
        app.main.use_folder(app.started)
        self._use_modes()
        self._use_scope()
        self.note_settings()

    def note_settings(self) -> None:
        """What was changed from within is no news when everything is read again."""
        app = self._app
        if self._known is not None and app.started is not None:
            self._known = self._known.with_settings(app.started, app.looks)

    def _use_scope(self) -> None:
        """Go through other models, if that is what was changed."""
        harness = self._app.session.harness
        enabled = harness.settings.get(schema.ENABLED_MODELS)
        before = None if self._known is None else self._known.kinds["settings"][schema.ENABLED_MODELS.key]
        if enabled != before:
            harness.scope, misses = self._app.registry.match(enabled or ())
            for miss in misses:
                self._app.notice(miss.text(), miss.severity)

    def _use_modes(self) -> None:
        """Deliver what waits as the settings say."""
        settings, agent = self._app.session.harness.settings, self._app.session.agent
        agent.steering.mode = settings.get(schema.STEERING_MODE)
        agent.follow_ups.mode = settings.get(schema.FOLLOW_UP_MODE)

    async def _inventory(self) -> Inventory:
        assert self._app.started is not None
        return await asyncio.to_thread(Inventory.of, self._app.started, self._app.looks)


def _same_theme(looks: Looks, shown: Looks) -> Looks:
    """`looks` with the very theme that is shown already, so that nothing is painted anew."""
    return replace(looks, theme=shown.theme)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
