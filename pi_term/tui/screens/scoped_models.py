"""Which models the keys for the next and the previous one go through, and in which order."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pi_term.ai.catalog import ModelChoice
from pi_term.coding.settings import schema
from pi_term.tui.choices import Choice
from pi_term.tui.screens.model import WIDE, numbers_text
from pi_term.tui.screens.picker import PickerScreen, Remark

if TYPE_CHECKING:
    from pi_term.coding.settings.store import SettingsStore
    from pi_term.render.theme import Theme
    from pi_term.tui.app import PiTermApp
    from pi_term.tui.keymap.table import KeyTable

_ACTIONS = (
    ("app.models.save", "keeps it"),
    ("app.models.enableAll", "all"),
    ("app.models.clearAll", "none"),
    ("app.models.toggleProvider", "provider"),
    ("app.models.reorderUp", "earlier"),
    ("app.models.reorderDown", "later"),
)


class ScopedModelsScreen(PickerScreen):
    """Models with marks. Enter marks; what is marked holds for this run, `save` tells to keep it.

    No mark at all means every model.
    """

    CONTEXTS = ("select", "models")
    EXPLAINED = 4

    def __init__(
        self,
        models: Sequence[ModelChoice],
        marked: Sequence[str],
        *,
        theme: Theme,
        keys: KeyTable,
        narrow: bool = False,
    ) -> None:
        """`models` in the order to show; `marked` are the keys of those that are chosen. `narrow`: there is
        little room beside the names.
        """
        self._narrow = narrow
        self._order = {each.model.key: each for each in models}
        self._marked = set(marked)
        self.save = False
        title = "Models to go through\nNone marked means all of them."
        super().__init__(title, self._rows(), theme=theme, keys=keys)

    @property
    def chosen(self) -> list[ModelChoice]:
        """What is marked, in order; empty for all."""
        return [each for key, each in self._order.items() if key in self._marked]

    def explain(self, choice: Choice) -> Sequence[Remark]:
        each = self._order[choice.value]
        keys = [f"{key} {what}" for action, what in _ACTIONS if (key := self.key_table.hint(action))]
        level = f" · thinks at {each.level}" if each.level else ""
        return [Remark(each.model.label + level, "text"), Remark(" · ".join(keys), "dim")]

    def _hint(self) -> str:
        return "enter marks · esc closes"

    # --- what keys do

    def action_select_confirm(self) -> None:
        """Mark the model, or take its mark away."""
        choice = self.selected
        if choice is not None:
            self._marked ^= {choice.value}
            self._show_again()

    def action_models_all(self) -> None:
        """Mark everything that is shown."""
        self._marked |= set(self._visible())
        self._show_again()

    def action_models_none(self) -> None:
        """Take the marks from everything that is shown."""
        self._marked -= set(self._visible())
        self._show_again()

    def action_models_provider(self) -> None:
        """Mark all models of the provider of the selected one, or none of them."""
        choice = self.selected
        if choice is None:
            return
        provider = self._order[choice.value].model.provider
        theirs = {key for key, each in self._order.items() if each.model.provider == provider}
        self._marked = self._marked - theirs if theirs <= self._marked else self._marked | theirs
        self._show_again()

    def action_models_up(self) -> None:
        """Move the model up in the order."""
        self._reorder(-1)

    def action_models_down(self) -> None:
        """Move the model down in the order."""
        self._reorder(1)

    def action_models_save(self) -> None:
        """Close, and keep what is marked for new sessions."""
        self.save = True
        self.dismiss(None)

    # --- inside

    def _visible(self) -> list[str]:
        return [self._choices[number].value for number in self._shown]

    def _reorder(self, by: int) -> None:
        """Swap the selected model with its neighbour; in what is found by a search, with that one."""
        visible, choice = self._visible(), self.selected
        if choice is None or not 0 <= self._at + by < len(visible):
            return
        order = list(self._order)
        mine, other = order.index(choice.value), order.index(visible[self._at + by])
        order.insert(other, order.pop(mine))
        self._order = {key: self._order[key] for key in order}
        self._show_again()

    def _show_again(self) -> None:
        self.replace_choices(self._rows())

    def _rows(self) -> list[Choice]:
        numbers = {each.model.key: place for place, each in enumerate(self.chosen, 1)}
        return [self._row_of(each, numbers.get(key)) for key, each in self._order.items()]

    def _row_of(self, each: ModelChoice, number: int | None) -> Choice:
        model = each.model
        mark = "✓" if number is not None else " "
        name = model.name if model.name != model.id else ""
        aside = "" if self._narrow else numbers_text(model)
        place = f"{number}." if number is not None else ""
        return Choice(model.key, f"{mark} {model.key}", f"{place} {name}".strip(), aside)


async def choose_scope(app: PiTermApp) -> None:
    """Let people mark and order; it holds at once."""
    harness = app.session.harness
    scope = {each.model.key: each for each in harness.scope}
    others = [ModelChoice(model) for model in app.registry.available() if model.key not in scope]
    screen = ScopedModelsScreen(
        [*scope.values(), *others],
        list(scope),
        theme=app.theme_colours,
        keys=app.keys,
        narrow=app.size.width < WIDE,
    )
    await app.bridge.custom(screen)
    chosen = screen.chosen
    if len(chosen) == len(scope) + len(others):
        chosen = []
    harness.scope = chosen
    said = f"{len(chosen)} models" if chosen else "all models"
    if screen.save:
        await _save(app, harness.settings, chosen)
        said += ", for new sessions too"
    app.main.status.note(f"Next and previous model: {said}")


async def _save(app: PiTermApp, settings: SettingsStore, chosen: Sequence[ModelChoice]) -> None:
    patterns = [each.model.key + (f":{each.level}" if each.level else "") for each in chosen]
    if patterns:
        problem = await asyncio.to_thread(settings.set, schema.ENABLED_MODELS, patterns)
    else:
        problem = await asyncio.to_thread(settings.unset, schema.ENABLED_MODELS)
    app.main.overlays.reloader.note_settings()
    if problem is not None:
        app.notice(problem.text(), problem.severity)
