"""Finding models by what people type: `provider/id`, an id, a part of a name, a pattern, `…:level`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pi_term.ai.catalog.ranking import newness
from pi_term.ai.models import THINKING_LEVELS, Model, ThinkingLevel
from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError

if TYPE_CHECKING:
    from pi_term.ai.catalog.providers import Provider
    from pi_term.ai.catalog.registry import ModelRegistry

_MARKS = re.compile(r"[^a-z0-9\0]+")
_MOST_NAMED = 6
_LIST_HINT = "--list-models shows what there is."


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model, the thinking level that was asked for with it, and what people should know about it."""

    model: Model
    level: ThinkingLevel | None = None
    problem: Diagnostic | None = None


def find_model(registry: ModelRegistry, pattern: str, provider: str | None = None) -> ModelChoice:
    """The one model that `pattern` means, within `provider` if given.

    Models with a key go before others, and exact names before parts of names. An unknown id of a known
    provider is used as it is, with a warning. Raises `PiTermError`: `unknown_model`, `ambiguous_model`,
    `unknown_provider`.
    """
    if provider is not None and provider not in registry.providers:
        raise PiTermError("unknown_provider", f'There is no provider "{provider}".', _LIST_HINT)
    for text, level in _readings(pattern):
        named = _named(registry, text, provider)
        if named is not None:
            return ModelChoice(named, level)
    for providers in _pools(registry, provider):
        models = [model for each in providers for model in each.models]
        for match in (_exact, _partial):
            for text, level in _readings(pattern):
                found = match(registry, models, text)
                if found:
                    return ModelChoice(_only(found, text), level)
    choice = _unlisted(registry, pattern, provider)
    if choice is None:
        raise PiTermError("unknown_model", f'Model "{pattern}" was not found.', _LIST_HINT)
    return choice


def _named(registry: ModelRegistry, text: str, provider: str | None) -> Model | None:
    """The model of exactly this full name: found without reading the models of other providers.

    Gateways have ids that look like full names; such a one counts where the named provider has no key.
    """
    owner, model_id = _split(registry, text)
    if provider is not None:
        within = registry.get(provider, text)
        if within is not None or owner != provider:
            return within
    if owner is None:
        return None
    model = registry.get(owner, model_id)
    if provider is not None or registry.has_auth(owner):
        return model
    passed_on = (each.model(text) for each in registry.usable_providers())
    return next((each for each in passed_on if each is not None), model)


def _pools(registry: ModelRegistry, provider: str | None) -> Iterator[Sequence[Provider]]:
    """The providers to look at: those with a key, then the others."""
    asked = [each for each in registry.providers.values() if provider in (None, each.id)]
    usable = [each for each in asked if registry.has_auth(each.id)]
    yield usable
    yield [each for each in asked if each not in usable]


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
    first = _first(registry)
    if first is None:
        raise PiTermError(
            "no_model",
            "No model is set up." if default is None else f"There is no key for {default.key}.",
            "Try --demo, store a key with pi-term auth login, or describe models in models.json.",
        )
    wanted = "/".join(part for part in (default_provider, default_model) if part)
    if not wanted:
        return ModelChoice(first)
    problem = Diagnostic("warning", f"The default model {wanted} is not available; {first.key} is used")
    return ModelChoice(first, problem=problem)


def _first(registry: ModelRegistry) -> Model | None:
    """What to begin with where nothing is wished for."""
    found = (provider.preferred() for provider in registry.usable_providers())
    return next((model for model in found if model is not None), None)


def _default(registry: ModelRegistry, provider: str | None, model_id: str | None) -> Model | None:
    known = registry.providers.get(provider or "")
    if model_id is None:
        usable = known is not None and registry.has_auth(known.id)
        return known.preferred() if known is not None and usable else None
    if known is not None:
        return known.model(model_id) or known.unknown_model(model_id)
    if provider is not None:
        return None
    found = (each.model(model_id) for pool in _pools(registry, None) for each in pool)
    return next((model for model in found if model is not None), None)


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
    """The best model of each provider whose id or name holds `text`; the demo has to be named in full.

    Where none holds it as it is, marks between letters and digits are passed over ("sonnet4.5"), and each of
    several words is looked for by itself.
    """
    provider, rest = _split(registry, text)
    if not rest.strip():
        return []
    meant = [
        model
        for model in models
        if provider in (None, model.provider) and registry.providers[model.provider].needs_key
    ]
    wanted = rest.lower()
    found = [model for model in meant if wanted in model.id.lower() or wanted in model.name.lower()]
    groups: dict[str, list[Model]] = {}
    for model in found or _loosely(meant, rest):
        groups.setdefault(model.provider, []).append(model)
    return [_best(registry.providers[key], group) for key, group in groups.items()]


def _loosely(models: Iterable[Model], text: str) -> list[Model]:
    words = [squeezed for word in text.split() if (squeezed := _squeezed(word))]
    if not words:
        return []
    return [
        model for model in models if all(word in _squeezed(f"{model.id}\0{model.name}") for word in words)
    ]


def _squeezed(text: str) -> str:
    """Letters and digits only; ids and names stay apart."""
    return _MARKS.sub("", text.lower())


def _best(provider: Provider, models: Sequence[Model]) -> Model:
    """The provider's default where it is among them, else the one of the highest version."""
    return next((model for model in models if model.id == provider.default), None) or max(models, key=newness)


def _split(registry: ModelRegistry, text: str) -> tuple[str | None, str]:
    """A known provider and the rest, where `text` begins with one."""
    head, slash, rest = text.partition("/")
    known = next((each for each in registry.providers if each.lower() == head.lower()), None)
    return (known, rest) if slash and known is not None else (None, text)


def _only(found: Sequence[Model], text: str) -> Model:
    """The one that was found; raises when several providers could be meant."""
    if len(found) > 1:
        named = ", ".join(model.key for model in found[:_MOST_NAMED])
        more = ", …" if len(found) > _MOST_NAMED else ""
        raise PiTermError(
            "ambiguous_model",
            f'Model "{text}" could be {named}{more}.',
            "Name the provider as well: provider/id.",
        )
    return found[0]


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


def search_models(models: Iterable[Model], query: str) -> list[Model]:
    """The models whose full name or shown name has every word of `query`; else, whose letters hold the
    words' letters in their order. All of them for a blank query.
    """
    words = query.lower().split()
    named = [(model, f"{model.key}\0{model.name}".lower()) for model in models]
    exact = [model for model, name in named if all(word in name for word in words)]
    return exact or [model for model, name in named if all(_scattered(word, name) for word in words)]


def _scattered(word: str, name: str) -> bool:
    letters = iter(name)
    return all(letter in letters for letter in word)


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
