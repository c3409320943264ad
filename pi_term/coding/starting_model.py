"""Which model a session begins with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pi_term.ai.catalog import ModelChoice, ModelRegistry
from pi_term.ai.catalog.search import choose_model
from pi_term.ai.models import ThinkingLevel
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.coding.session import SessionFile, chosen_model
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore

if TYPE_CHECKING:
    from pi_term.coding.startup import StartRequest


def model_of_session(
    file: SessionFile | None, request: StartRequest, registry: ModelRegistry
) -> ModelChoice | None:
    """The model that the session to be opened talked to, unless another is asked for or its key is gone."""
    model = None if file is None or request.model is not None else chosen_model(file.tree)
    if model is None:
        return None
    registry.demo = registry.demo or model.provider == "demo"
    if not registry.has_auth(model.provider):
        return None
    try:
        return registry.find(f"{model.provider}/{model.model_id}")
    except PiTermError:
        return None  # it is not described any more: the session goes on with another


def choose_first_model(
    request: StartRequest, settings: SettingsStore, registry: ModelRegistry, scope: Sequence[ModelChoice]
) -> ModelChoice:
    """The model of a new session."""
    return choose_model(
        registry,
        pattern=request.model,
        provider=request.provider,
        scope=scope,
        default_provider=request.provider or settings.get(schema.DEFAULT_PROVIDER),
        default_model=settings.get(schema.DEFAULT_MODEL),
    )


def first_level(settings: SettingsStore, choice: ModelChoice) -> ThinkingLevel:
    """How hard a model thinks where nobody says otherwise."""
    levels = settings.get(schema.MODEL_THINKING_LEVELS)
    return levels.get(choice.model.key, settings.get(schema.DEFAULT_THINKING_LEVEL))


def model_scope(
    request: StartRequest, settings: SettingsStore, registry: ModelRegistry
) -> tuple[list[ModelChoice], list[Diagnostic]]:
    """The models to go through, as far as there are any of that name."""
    enabled = settings.get(schema.ENABLED_MODELS)
    patterns = request.models or enabled
    return registry.match(patterns) if patterns else ([], [])
