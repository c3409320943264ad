"""Finding models by what people type: `provider/id`, an id, a part of a name, a pattern, `…:level`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pi_term.ai.models import THINKING_LEVELS, Model, ThinkingLevel
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError

if TYPE_CHECKING:
    from pi_term.ai.catalog.registry import ModelRegistry

_DATED = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2})$")
_LIST_HINT = "--list-models shows what there is."


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model, the thinking level that was asked for with it, and what people should know about it."""

    model: Model
    level: ThinkingLevel | None = None
    problem: Diagnostic | None = None


def find_model(registry: ModelRegistry, pattern: str, provider: str | None = None) -> ModelChoice:
    """The one model that `pattern` means, within `provider` if given.

    Exact names go before parts of names. An unknown id of a known provider is used as it is, with a
    warning. Raises `PiTermError`: `unknown_model`, `ambiguous_model`, `unknown_provider`.
    """
    if provider is not None and provider not in registry.providers:
        raise PiTermError("unknown_provider", f'There is no provider "{provider}".', _LIST_HINT)
    models = [model for model in registry.models() if provider in (None, model.provider)]
    for match in (_exact, _partial):
        for text, level in _readings(pattern):
            found = match(registry, models, text)
            if found:
                return ModelChoice(_only(registry, found, text), level)
    choice = _unlisted(registry, pattern, provider)
    if choice is None:
        raise PiTermError("unknown_model", f'Model "{pattern}" was not found.', _LIST_HINT)
    return choice


def match_models(
    registry: ModelRegistry, patterns: Iterable[str]
) -> tuple[list[ModelChoice], list[Diagnostic]]:
    """All available models that a list of patterns means, in its order, each once."""
    available = registry.available()
    chosen: dict[str, ModelChoice] = {}
    problems: list[Diagnostic] = []
    for pattern in patterns:
        level, found = _all_matches(registry, available, pattern)
        if not found:
            problems.append(Diagnostic("warning", f'No available model matches "{pattern}"'))
        for model in found:
            chosen.setdefault(model.key, ModelChoice(model, level))
        if len(found) > 1 and not _is_glob(pattern):
            named = ", ".join(model.key for model in found)
            problems.append(Diagnostic("warning", f'"{pattern}" means several models: {named}'))
    return list(chosen.values()), problems


def choose_model(
    registry: ModelRegistry,
    *,
    pattern: str | None = None,
    provider: str | None = None,
    scope: Sequence[ModelChoice] = (),
    default_provider: str | None = None,
    default_model: str | None = None,
) -> ModelChoice:
    """The model to begin with: `pattern`, else the default (if in `scope`), else the first of the scope,
    else the first available one. Raises `PiTermError("no_model")` where there is none.
    """
    if pattern is not None:
        return find_model(registry, pattern, provider)
    if registry.demo:
        return find_model(registry, "demo/demo")
    default = _default(registry, default_provider, default_model)
    if scope:
        return next((each for each in scope if default and each.model.key == default.key), scope[0])
    if default is not None and registry.has_auth(default.provider):
        return ModelChoice(default)
    first = next(iter(registry.available()), None)
    if first is None:
        raise PiTermError(
            "no_model",
            "No model is set up." if default is None else f"There is no key for {default.key}.",
            "Try --demo, describe models in models.json, or set a key and use --model anthropic/ID.",
        )
    wanted = "/".join(part for part in (default_provider, default_model) if part)
    if not wanted:
        return ModelChoice(first)
    problem = Diagnostic("warning", f"The default model {wanted} is not available; {first.key} is used")
    return ModelChoice(first, problem=problem)


def _default(registry: ModelRegistry, provider: str | None, model_id: str | None) -> Model | None:
    if model_id is None:
        return next((model for model in registry.available() if model.provider == provider), None)
    found = [
        model for model in registry.models() if model.id == model_id and provider in (None, model.provider)
    ]
    if found:
        return next((model for model in found if registry.has_auth(model.provider)), found[0])
    known = registry.providers.get(provider or "")
    return None if known is None else known.unknown_model(model_id)


def _readings(pattern: str) -> Iterator[tuple[str, ThinkingLevel | None]]:
    """The pattern as it is (ids may hold colons), then without its thinking level."""
    yield pattern, None
    head, colon, tail = pattern.rpartition(":")
    if colon and head and tail in THINKING_LEVELS:
        yield head, tail


def _exact(registry: ModelRegistry, models: Sequence[Model], text: str) -> list[Model]:
    wanted = text.lower()
    by_key = [model for model in models if model.key.lower() == wanted]
    return by_key or [model for model in models if model.id.lower() == wanted]


def _partial(registry: ModelRegistry, models: Sequence[Model], text: str) -> list[Model]:
    """The best model of each provider whose id or name holds `text`; the demo has to be named in full."""
    provider, rest = _split(registry, text)
    wanted = rest.lower()
    if not wanted:
        return []
    groups: dict[str, list[Model]] = {}
    for model in models:
        meant = provider in (None, model.provider) and registry.providers[model.provider].needs_key
        if meant and (wanted in model.id.lower() or wanted in model.name.lower()):
            groups.setdefault(model.provider, []).append(model)
    return [max(group, key=_rank) for group in groups.values()]


def _split(registry: ModelRegistry, text: str) -> tuple[str | None, str]:
    """A known provider and the rest, where `text` begins with one."""
    head, slash, rest = text.partition("/")
    known = next((each for each in registry.providers if each.lower() == head.lower()), None)
    return (known, rest) if slash and known is not None else (None, text)


def _rank(model: Model) -> tuple[bool, list[tuple[int, str]]]:
    """Names without a date first, then the highest version."""
    parts = re.findall(r"\d+|\D+", model.id.lower())
    return not _DATED.search(model.id), [
        (int(part), "") if part.isdecimal() else (-1, part) for part in parts
    ]


def _only(registry: ModelRegistry, found: Sequence[Model], text: str) -> Model:
    """The one with a key; raises when several providers could be meant."""
    with_key = [model for model in found if registry.has_auth(model.provider)]
    best = with_key or list(found)
    if len(best) > 1:
        named = ", ".join(model.key for model in best)
        raise PiTermError(
            "ambiguous_model", f'Model "{text}" could be {named}.', "Name the provider as well: provider/id."
        )
    return best[0]


def _unlisted(registry: ModelRegistry, pattern: str, provider: str | None) -> ModelChoice | None:
    *_, (text, level) = _readings(pattern)
    named, model_id = _split(registry, text)
    owner = registry.providers.get(named or provider or "")
    if provider is not None and named != provider:
        model_id = text
        owner = registry.providers[provider]
    model = owner.unknown_model(model_id) if owner is not None and model_id else None
    if owner is None or model is None:
        return None
    message = f'Model "{model_id}" was not found for provider "{owner.id}"; its id is used as it is'
    return ModelChoice(model, level, Diagnostic("warning", message))


def _is_glob(pattern: str) -> bool:
    return any(mark in pattern for mark in "*?[")


def _all_matches(
    registry: ModelRegistry, available: Sequence[Model], pattern: str
) -> tuple[ThinkingLevel | None, list[Model]]:
    for text, level in _readings(pattern):
        found = _exact(registry, available, text)
        if not found and _is_glob(text):
            found = [model for model in available if _globbed(model, text.lower())]
        elif not found:
            found = _partial(registry, available, text)
        if found:
            return level, found
    return None, []


def _globbed(model: Model, pattern: str) -> bool:
    return fnmatchcase(model.key.lower(), pattern) or fnmatchcase(model.id.lower(), pattern)
