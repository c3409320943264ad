"""All settings: what each is for, what it is, where that comes from; and changing it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual import events
from textual.screen import ModalScreen

from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonValue
from pi_term.coding.settings.schema import SCHEMA
from pi_term.coding.settings.store import Scope, SettingsStore
from pi_term.render.line import Line
from pi_term.tui.background import run_in_background
from pi_term.tui.choices import Choice
from pi_term.tui.opening import again
from pi_term.tui.screens.picker import PickerScreen, Remark
from pi_term.tui.screens.setting_questions import SettingQuestions
from pi_term.tui.setting_rows import SettingRow, setting_rows
from pi_term.tui.setting_values import layers_text, origin_file, origin_text, value_text
from pi_term.tui.text import ends, home_path, place_text

if TYPE_CHECKING:
    from pi_term.render.theme import Theme
    from pi_term.tui.app import PiTermApp
    from pi_term.tui.keymap.table import KeyTable

_WIDTH = max(len(key) for key in SCHEMA)  # cells of the names; longer ones move their values aside
_HEADING = "#"  # begins the values of choices that are headings


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
        self._wanted = ""  # the row to select next
        super().__init__("Settings", self._list_rows(), theme=theme, keys=keys, at=1)
        self._title_rows = self._titles()

    def explain(self, choice: Choice) -> Sequence[Remark]:
        row = self._rows.get(choice.value)
        if row is None:  # a heading, on the way over it
            return []
        file = origin_file(self._store, row)
        remarks = [Remark(f"{row.key}: {row.setting.doc}", "text"), Remark(row.form)]
        if not row.opens:
            remarks.append(Remark(layers_text(self._store, row) + (f" · {file}" if file else "")))
        if self._said:
            remarks.insert(0, self._said)
        key = row.setting.key
        faults = [each for each in self._store.diagnostics if each.key and each.key.startswith(key)]
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
        if choice is not None and choice.value in self._rows and not self._editing:
            row = self._rows[choice.value]
            self._work(lambda: self._edit(row))

    def action_settings_reset(self) -> None:
        """Take the selected setting out of the file."""
        choice = self.selected
        if choice is not None and choice.value in self._rows and not self._editing:
            row = self._rows[choice.value]
            self._work(lambda: self._reset(row))

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

    async def _edit(self, row: SettingRow) -> Remark | None:
        if row.kind.options is not None and list(row.kind.options) == [True, False]:
            return await self._write(row, not row.get(self._store))
        questions = SettingQuestions(self._question, self._suggested, self._theme, self.key_table)
        if row.opens:
            added = await questions.member(row)
            if added is None:
                return None
            row = added
        said: Remark | None = None

        async def write(value: JsonValue) -> None:
            nonlocal said
            said = await self._write(row, value)

        await questions.change(row, row.get(self._store), row.own(self._store, self._scope), write)
        if said is not None:
            self._wanted = row.key
        return said

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

    async def _write(self, row: SettingRow, value: JsonValue) -> Remark:
        problem = await asyncio.to_thread(self._store.set, row.setting, value, self._scope, row.member)
        await self._changed()
        if problem is not None:
            return Remark(problem.text(), "warning")
        layer = row.layer(self._store)
        if layer != self._scope:
            return Remark(f"Saved, but what the {layer} says goes before it.", "warning")
        return Remark(f"{row.key} is {value_text(row.get(self._store))} now.", "success")

    async def _reset(self, row: SettingRow) -> Remark:
        problem = await asyncio.to_thread(self._store.unset, row.setting, self._scope, row.member)
        await self._changed()
        if problem is not None:
            return Remark(problem.text(), "warning")
        return Remark(f"{row.key} is {_shown(row, self._store)} again.", "success")

    def _show_again(self) -> None:
        app: Any = self.app
        said = self._said
        self._theme = app.theme_colours
        self._title_rows = self._titles()
        self.replace_choices(self._list_rows())
        if self._wanted:
            self.select_value(self._wanted)
            self._wanted = ""
        if self._said is not said:  # what was changed may be another row than the one that was selected
            self._said = said
            self._paint()

    def _titles(self) -> list[str]:
        file = self._store.file_of(self._scope)
        where = f"Changes go to {home_path(file)}" if file is not None else "Changes hold for this run"
        broken = [f"! {each.text()}" for each in self._store.diagnostics if each.severity == "error"]
        return ["Settings", where, *broken[:1]]

    def _list_rows(self) -> list[Choice]:
        """All rows, each group below its heading."""
        self._rows = {}
        choices: list[Choice] = []
        last = ""
        for group, row in setting_rows(self._store):
            if group != last:
                choices.append(Choice(f"{_HEADING}{group}", group))
                last = group
            self._rows[row.key] = row
            origin = origin_text(self._store, row)
            about = f"{group} {row.setting.doc}"
            choices.append(
                Choice(row.key, row.key.ljust(_WIDTH), _shown(row, self._store), origin, found_by=about)
            )
        return choices

    # --- headings, which are in the list and are passed over

    def _show(self, found: Sequence[int]) -> None:
        if self._query:
            found = [number for number in found if not _is_heading(self._choices[number])]
        super()._show(found)
        self._leave_heading(1)

    def _move(self, by: int, *, wrap: bool = False) -> None:
        super()._move(by, wrap=wrap)
        self._leave_heading(1 if by > 0 else -1, wrap=wrap)

    def _leave_heading(self, step: int, *, wrap: bool = False) -> None:
        selected = self.selected
        if selected is None or not _is_heading(selected):
            return
        at = self._at + step
        self._at = at if at >= 0 else len(self._shown) - 1 if wrap else self._at + 1
        self._paint()

    def _position(self, *, more: bool) -> str:
        rows = [place for place, number in enumerate(self._shown) if not _is_heading(self._choices[number])]
        return place_text(sum(place < self._at for place in rows), len(rows), more=more)

    def _row(self, place: int, width: int) -> Line:
        choice = self._choices[self._shown[place]]
        if not _is_heading(choice):
            return super()._row(place, width)
        return ends([(choice.label, self._theme.style("accent"))], [], width)


def _is_heading(choice: Choice) -> bool:
    return choice.value.startswith(_HEADING)


def _shown(row: SettingRow, store: SettingsStore) -> str:
    """The value, of an object with members of its own how many there are."""
    value = row.get(store)
    if not row.opens:
        return value_text(value)
    return f"for {len(value)} model{'s' if len(value) > 1 else ''}" if value else "none"


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
        "modelThinkingLevels": [model.key for model in app.registry.available()],
        "compaction.modelOverrides": [model.key for model in app.registry.available()],
    }
    screen = SettingsScreen(
        app.session.harness.settings, suggested, changed, theme=app.theme_colours, keys=app.keys
    )
    await app.bridge.custom(screen)
