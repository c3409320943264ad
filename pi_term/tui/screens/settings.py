"""All settings: what each is for, what it is, where that comes from; and changing it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual import events
from textual.screen import ModalScreen

from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonValue, dumps_str
from pi_term.base.json_kinds import BAD
from pi_term.coding.settings.schema import SCHEMA, Setting
from pi_term.coding.settings.store import Scope, SettingsStore
from pi_term.tui.background import run_in_background
from pi_term.tui.choices import Choice
from pi_term.tui.opening import again
from pi_term.tui.screens.ask import AskScreen
from pi_term.tui.screens.choose import ChooseScreen
from pi_term.tui.screens.picker import PickerScreen, Remark
from pi_term.tui.setting_values import (
    editable_text,
    layers_text,
    origin_file,
    origin_text,
    read_value,
    value_text,
)
from pi_term.tui.text import home_path

if TYPE_CHECKING:
    from pi_term.render.theme import Theme
    from pi_term.tui.app import PiTermApp
    from pi_term.tui.keymap.table import KeyTable

_LONGEST_KEY = max(len(key) for key in SCHEMA)
_ELSE = "…"  # the option that asks for another value


class SettingsScreen(PickerScreen):
    """Every setting. Enter changes the selected one in the user's file, or in the project's."""

    CONTEXTS = ("select", "settings")
    EXPLAINED = 6

    def __init__(
        self,
        store: SettingsStore,
        suggested: Mapping[str, Sequence[str]],
        changed: Callable[[], Awaitable[None]],
        *,
        theme: Theme,
        keys: KeyTable,
    ) -> None:
        """`suggested` are known values by key; `changed` is called after each change."""
        self._store = store
        self._suggested = suggested
        self._changed = changed
        self._scope: Scope = "user"
        self._said: Remark | None = None  # of the last change
        self._editing = False
        self._held: list[events.Key] = []  # typed before the question was there that they are for
        super().__init__("Settings", self._rows(), theme=theme, keys=keys)
        self._title_rows = self._titles()

    def explain(self, choice: Choice) -> Sequence[Remark]:
        setting = SCHEMA[choice.value]
        remarks = [Remark(f"{setting.key}: {setting.doc}", "text")]
        remarks.append(Remark(f"Must be {setting.kind.description}."))
        file = origin_file(self._store, setting)
        remarks.append(Remark(layers_text(self._store, setting) + (f" · {file}" if file else "")))
        if self._said:
            remarks.insert(0, self._said)
        faults = [each for each in self._store.diagnostics if each.key and each.key.startswith(setting.key)]
        return [*remarks, *(Remark(each.text(), "error") for each in faults)]

    def show_selected(self, choice: Choice | None) -> None:
        if self._said and not self._editing:
            self._said = None
            self._paint()

    def _hint(self) -> str:
        hint = self.key_table.hint
        other = hint("app.settings.file") if self._store.file_of("project") is not None else ""
        reset = hint("app.settings.reset")
        parts = ["enter changes"]
        parts += [f"{reset} resets"] if reset else []
        parts += [f"{other} file"] if other else []
        return " · ".join([*parts, "esc closes"])

    # --- what keys do

    def on_key(self, event: events.Key) -> None:
        if self._editing:
            event.stop()
            event.prevent_default()
            self._held.append(event)
        else:
            super().on_key(event)

    def action_select_confirm(self) -> None:
        """Change the selected setting."""
        choice = self.selected
        if choice is not None and not self._editing:
            setting = SCHEMA[choice.value]
            self._work(lambda: self._edit(setting))

    def action_settings_reset(self) -> None:
        """Take the selected setting out of the file."""
        choice = self.selected
        if choice is not None and not self._editing:
            setting = SCHEMA[choice.value]
            self._work(lambda: self._reset(setting))

    def action_settings_file(self) -> None:
        """Write to the other file from now on."""
        if self._store.file_of("project") is not None:
            self._scope = "project" if self._scope == "user" else "user"
            self._title_rows = self._titles()
            self._paint()

    # --- inside

    def _work(self, work: Callable[[], Awaitable[Remark | None]]) -> None:
        async def run() -> None:
            try:
                self._said = await work()
            except PiTermError as error:
                self._said = Remark(error.text(), "error")
            finally:
                self._editing = False
            self._show_again()
            self._type_held(self)

        self._editing = True
        run_in_background(self, run, "settings")

    async def _edit(self, setting: Setting[Any]) -> Remark | None:
        current = self._store.get(setting)
        if setting.kind.options is not None and list(setting.kind.options) == [True, False]:
            return await self._write(setting, not current)
        options = setting.kind.options or self._suggested.get(setting.key)
        chosen = await self._choose(setting, options, current) if options else _ELSE
        if chosen is None:
            return None
        if chosen != _ELSE and options:
            return await self._write(setting, options[int(chosen)])
        return await self._ask(setting, self._own(setting))

    def _own(self, setting: Setting[Any]) -> Any:
        """What stands in the file that is written to; of values that are not merged, what holds."""
        if setting.merge is None:
            return self._store.get(setting)
        return self._store.given(setting).get(self._scope, setting.default)

    async def _choose(self, setting: Setting[Any], options: Sequence[JsonValue], current: Any) -> str | None:
        """The number of the option, or `_ELSE`."""
        clean = [setting.kind.clean(each, lambda path, message: None) for each in options]
        at = next((place for place, each in enumerate(clean) if each is not BAD and each == current), 0)
        choices = [
            Choice(
                str(place), each if isinstance(each, str) else dumps_str(each), "← now" if place == at else ""
            )
            for place, each in enumerate(options)
        ]
        if setting.kind.options is None:
            choices.append(Choice(_ELSE, "another value…"))
        title = f"{setting.key}\n{setting.doc}"
        return await self._question(
            ChooseScreen(title, choices, theme=self._theme, keys=self.key_table, at=at)
        )

    async def _question(self, screen: ModalScreen[str | None]) -> str | None:
        """What the screen is dismissed with; it gets what was typed before it was there."""
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        await self.app.push_screen(screen, answer.set_result)
        self._type_held(screen)
        return await answer

    def _type_held(self, screen: ModalScreen[str | None]) -> None:
        held, self._held = self._held, []
        for event in held:
            (screen.focused or screen).post_message(again(event))

    async def _ask(self, setting: Setting[Any], current: Any) -> Remark | None:
        text, problem = editable_text(current), ""
        while True:
            title = "\n".join(part for part in (setting.key, setting.doc, problem) if part)
            screen = AskScreen(title, theme=self._theme, keys=self.key_table, prefill=text)
            answer = await self._question(screen)
            if answer is None:
                return None
            try:
                return await self._write(setting, read_value(setting, answer))
            except PiTermError as error:
                text, problem = answer, error.message

    async def _write(self, setting: Setting[Any], value: JsonValue) -> Remark:
        problem = await asyncio.to_thread(self._store.set, setting, value, self._scope)
        await self._changed()
        if problem is not None:
            return Remark(problem.text(), "warning")
        origin = self._store.origin(setting)
        if origin.layer != self._scope:
            return Remark(f"Saved, but what the {origin.layer} says goes before it.", "warning")
        return Remark(f"{setting.key} is {value_text(self._store.get(setting))} now.", "success")

    async def _reset(self, setting: Setting[Any]) -> Remark:
        problem = await asyncio.to_thread(self._store.unset, setting, self._scope)
        await self._changed()
        if problem is not None:
            return Remark(problem.text(), "warning")
        return Remark(f"{setting.key} is {value_text(self._store.get(setting))} again.", "success")

    def _show_again(self) -> None:
        app: Any = self.app
        self._theme = app.theme_colours
        self._title_rows = self._titles()
        self.replace_choices(self._rows())

    def _titles(self) -> list[str]:
        file = self._store.file_of(self._scope)
        where = f"Changes go to {home_path(file)}" if file is not None else "Changes hold for this run"
        broken = [f"! {each.text()}" for each in self._store.diagnostics if each.severity == "error"]
        return ["Settings", where, *broken[:1]]

    def _rows(self) -> list[Choice]:
        store = self._store
        return [
            Choice(
                key,
                key.ljust(_LONGEST_KEY),
                value_text(store.get(setting)),
                origin_text(store, setting),
                found_by=setting.doc,
            )
            for key, setting in SCHEMA.items()
        ]


async def open_settings(app: PiTermApp, changed: Callable[[], Awaitable[None]]) -> None:
    """Show all settings until people close them."""
    assert app.started is not None
    resources = app.started.resources
    names = await asyncio.to_thread(
        lambda: {kind: list(resources.named(kind)) for kind in ("themes", "keymaps")}
    )
    suggested = {
        "theme": ["light/dark", *names["themes"]],
        "keymap": names["keymaps"],
        "defaultProvider": [provider.id for provider in app.registry.usable_providers()],
        "defaultModel": [model.id for model in app.registry.available()],
    }
    screen = SettingsScreen(
        app.session.harness.settings, suggested, changed, theme=app.theme_colours, keys=app.keys
    )
    await app.bridge.custom(screen)
