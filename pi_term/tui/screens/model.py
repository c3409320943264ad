"""Choosing the model: what there is, what it costs, and whether there is a key for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pi_term.ai.catalog.levels import supported_levels
from pi_term.ai.catalog.ranking import by_fit
from pi_term.base.errors import PiTermError
from pi_term.coding.settings import schema
from pi_term.tui.choices import Choice
from pi_term.tui.screens.picker import PickerScreen, Remark
from pi_term.tui.text import count_text

if TYPE_CHECKING:
    from pi_term.ai.catalog import ModelChoice, ModelRegistry
    from pi_term.ai.models import Model
    from pi_term.render.theme import Theme
    from pi_term.tui.app import PiTermApp
    from pi_term.tui.keymap.table import KeyTable

_NO_KEY = "no key"
WIDE = 80
"""Cells from which on prices stand beside the names."""
_KEY_KINDS = {
    "run": "given for this run",
    "stored": "stored",
    "signed-in": "you are signed in",
    "environment": "from the environment",
    "models.json": "in models.json",
    "header": "in a header of models.json",
}


class ModelScreen(PickerScreen):
    """All models; those without a key come last. `save` tells whether it is to be the default too."""

    CONTEXTS = ("select", "models")
    EXPLAINED = 5

    def __init__(
        self,
        registry: ModelRegistry,
        current: str,
        *,
        theme: Theme,
        keys: KeyTable,
        query: str = "",
        narrow: bool = False,
    ) -> None:
        """`narrow`: there is little room beside the names."""
        self._models = {model.key: model for model in _by_use(registry)}
        self._registry = registry
        self._current = current
        self.save = False
        usable = {provider.id for provider in registry.usable_providers()}
        choices = [
            model_choice(model, current, model.provider in usable, narrow=narrow)
            for model in self._models.values()
        ]
        at = list(self._models).index(current) if current in self._models else 0
        title = "Model" if usable - {"demo"} else "Model\nNo provider has a key yet: /login gives one."
        super().__init__(title, choices, theme=theme, keys=keys, at=at, query=query)

    def action_models_save(self) -> None:
        """Take the model, for new sessions too."""
        self.save = True
        self.action_select_confirm()

    def explain(self, choice: Choice) -> Sequence[Remark]:
        model = self._models[choice.value]
        return [Remark(model.label, "text"), self._key_remark(model), Remark(_abilities(model))]

    def _show(self, found: Sequence[int]) -> None:
        if self._query:
            numbers = {self._choices[number].value: number for number in found}
            models = by_fit([self._models[key] for key in numbers], self._query, self._registry.providers)
            found = [numbers[model.key] for model in models]
        super()._show(found)

    def _key_remark(self, model: Model) -> Remark:
        provider = self._registry.providers[model.provider]
        if not provider.needs_key:
            return Remark(f"{provider.name or provider.id}: needs no key")
        source = self._registry.key_source(provider.id)
        if source is None or not self._registry.has_auth(provider.id):
            names = ", ".join(provider.env_keys)
            other = f", or set {names}" if names else ""
            return Remark(
                f"{provider.name or provider.id}: {_NO_KEY} yet; /login {provider.id}{other}", "warning"
            )
        told = source.detail if source.kind == "environment" else ""
        where = _KEY_KINDS[source.kind] + (f": {told}" if told else "")
        return Remark(f"{provider.name or provider.id}: key {where}")

    def _hint(self) -> str:
        save = self.key_table.hint("app.models.save")
        return "enter uses it" + (f" · {save} also saves it" if save else "") + " · esc closes"


def _by_use(registry: ModelRegistry) -> list[Model]:
    """Those that can be used, then the others; the demo only when it was asked for."""
    available = registry.available()
    usable = {provider.id for provider in registry.usable_providers()}
    rest = [model for model in registry.models() if model.provider not in usable]
    needs = {provider.id for provider in registry.providers.values() if provider.needs_key}
    return [*available, *(model for model in rest if model.provider in needs)]


def model_choice(model: Model, current: str, usable: bool, *, narrow: bool = False) -> Choice:
    """How a list shows a model."""
    name = model.name if model.name != model.id else ""
    detail = f"← in use  {name}" if model.key == current else name
    if narrow:
        aside = "" if usable else _NO_KEY
    else:
        aside = numbers_text(model) if usable else f"{_NO_KEY}  {numbers_text(model)}"
    return Choice(model.key, model.key, detail, aside, not usable)


def numbers_text(model: Model) -> str:
    """Price and context window in columns."""
    return f"{price_text(model):>15}  {count_text(model.context_window):>5}"


def price_text(model: Model) -> str:
    """Dollars for a million tokens, read and written: `$3 / $15`; "" where nothing is known to be paid."""
    cost = model.cost
    return f"${cost.input:g} / ${cost.output:g}" if cost.input or cost.output else ""


def _abilities(model: Model) -> str:
    levels = supported_levels(model)
    parts = [
        f"{model.context_window:,} tokens of context",
        f"answers up to {model.max_tokens:,}",
        f"thinks: {', '.join(levels)}" if model.reasoning else "does not think",
        "sees images" if "image" in model.input else "text only",
    ]
    price = price_text(model)
    return " · ".join([*parts, *([f"{price} for a million tokens in / out"] if price else [])])


async def select_model(app: PiTermApp, name: str = "") -> None:
    """Use the one model of this name; otherwise let people choose, beginning with what they typed."""
    choice = _named(app.registry, name)
    if choice is not None:
        await use_model(app, choice)
        return
    await asyncio.to_thread(app.registry.reload)
    screen = ModelScreen(
        app.registry,
        app.session.model.key,
        theme=app.theme_colours,
        keys=app.keys,
        query=name,
        narrow=app.size.width < WIDE,
    )
    chosen = await app.bridge.custom(screen)
    if chosen is None:
        return
    picked = app.registry.find(chosen)
    if await use_model(app, picked) and screen.save:
        await _save(app, picked.model)


def _named(registry: ModelRegistry, name: str) -> ModelChoice | None:
    if not name:
        return None
    try:
        choice = registry.find(name)
    except PiTermError:
        return None
    return choice if choice.problem is None else None


async def use_model(app: PiTermApp, choice: ModelChoice) -> bool:
    """Switch to it; where there is no key for it yet, that is asked for first. Whether it is used."""
    model = choice.model
    if not app.registry.has_auth(model.provider):
        from pi_term.tui.screens.login import log_in

        await log_in(app, model.provider)
        if not app.registry.has_auth(model.provider):
            app.notice(f"There is no key for {model.provider} yet: /login {model.provider}", "warning")
            return False
    if model == app.session.model and choice.level is None:
        app.main.status.note(f"Model: {model.key}")
    else:
        await app.session.set_model(model, choice.level)
        app.main.note_switch(f"Model: {model.key}")
    return True


async def _save(app: PiTermApp, model: Model) -> None:
    settings = app.session.harness.settings
    for setting, value in ((schema.DEFAULT_PROVIDER, model.provider), (schema.DEFAULT_MODEL, model.id)):
        problem = await asyncio.to_thread(settings.set, setting, value)
        if problem is not None:
            app.notice(problem.text(), problem.severity)
            return
    app.main.overlays.reloader.note_settings()
    app.main.status.note(f"Model: {model.key}, for new sessions too")
