"""models.json: own providers and models, and changes to known ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cache
from typing import Any

from pi_term.ai.catalog.providers import ModelSource, Provider
from pi_term.ai.models import THINKING_LEVELS, CostTier, Model, ModelCost
from pi_term.ai.registry import known_apis
from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.json import JsonObject, JsonValue
from pi_term.base.json_kinds import (
    BAD,
    BOOLEAN,
    OBJECT,
    TEXT,
    Bad,
    Kind,
    ListOf,
    MapOf,
    Report,
    Shape,
    choice,
    constant,
    either,
    number,
    whole,
)
from pi_term.base.json_locate import JsonFile, JsonPath


class _ApiName(Kind[str]):
    """The name of an API. One that nobody speaks is told of but kept: an extension may yet bring it."""

    def __init__(self) -> None:
        super().__init__("a string", lambda value: value if isinstance(value, str) else BAD)

    def clean(self, value: JsonValue, report: Report, path: JsonPath = ()) -> str | Bad:
        cleaned = super().clean(value, report, path)
        if cleaned is not BAD and cleaned not in known_apis():
            report(path, f'no adapter speaks "{cleaned}"; known are {", ".join(known_apis())}')
        return cleaned


_API = _ApiName()
_PRICES: dict[str, Kind[Any]] = {key: number() for key in ("input", "output", "cacheRead", "cacheWrite")}
_TIER = Shape({"inputTokensAbove": whole(), **_PRICES}, ("inputTokensAbove", *_PRICES))
_OVERRIDE: dict[str, Kind[Any]] = {
    "name": TEXT,
    "reasoning": BOOLEAN,
    "thinkingLevelMap": MapOf(either(TEXT, constant(None, None)), THINKING_LEVELS),
    "input": ListOf(choice("text", "image")),
    "cost": Shape({**_PRICES, "tiers": ListOf(_TIER)}),
    "contextWindow": whole(1),
    "maxTokens": whole(1),
    "samplingParams": OBJECT,
    "samplingParamsByThinkingLevel": MapOf(OBJECT, THINKING_LEVELS),
    "headers": MapOf(TEXT),
    "compat": OBJECT,
}
_MODEL = Shape({"id": TEXT, "api": _API, "baseUrl": TEXT, **_OVERRIDE}, ("id",))
_PROVIDER = Shape(
    {
        "name": TEXT,
        "baseUrl": TEXT,
        "apiKey": TEXT,
        "api": _API,
        "headers": MapOf(TEXT),
        "compat": OBJECT,
        "authHeader": BOOLEAN,
        "models": ListOf(_MODEL),
        "modelOverrides": MapOf(Shape(_OVERRIDE)),
    }
)
_FILE = Shape({"providers": MapOf(_PROVIDER)}, ("providers",))

_PLAIN = {
    "name": "name",
    "api": "api",
    "baseUrl": "base_url",
    "reasoning": "reasoning",
    "contextWindow": "context_window",
    "maxTokens": "max_tokens",
}
_MERGED = {
    "headers": "headers",
    "compat": "compat",
    "thinkingLevelMap": "thinking_level_map",
    "samplingParams": "sampling_params",
}
_INHERITED = ("baseUrl", "headers", "compat")


def apply_models_file(
    known: Mapping[str, Provider], file: JsonFile
) -> tuple[dict[str, Provider], list[Diagnostic]]:
    """`known` with what the file adds and changes. What is wrong in it is reported; the rest counts."""
    providers = dict(known)
    if file.problem is not None:
        return providers, [file.problem]
    if not file.data:
        return providers, []
    overlay = _Overlay(file)
    content = _FILE.clean(file.data, overlay.report)
    described: JsonObject = {} if content is BAD else content["providers"]
    for provider_id, fields in described.items():
        providers[provider_id] = overlay.apply(known.get(provider_id) or Provider(provider_id), fields)
    # Who describes models wants them: they go before those that are built in.
    first = {key: providers[key] for key, fields in described.items() if fields.get("models")}
    return {**first, **{key: each for key, each in providers.items() if key not in first}}, overlay.problems


@dataclass(slots=True)
class _Overlay:
    """One pass over the file, and what it found to be wrong."""

    file: JsonFile
    problems: list[Diagnostic] = field(default_factory=list)

    def report(self, path: JsonPath, message: str) -> None:
        self.problems.append(self.file.diagnostic(path, message))

    def apply(self, base: Provider, fields: JsonObject) -> Provider:
        """The provider with its fields changed, known models overridden and new ones added."""
        provider = replace(
            base,
            name=fields.get("name", base.name),
            api=fields.get("api", base.api),
            base_url=fields.get("baseUrl", base.base_url),
            api_key=fields.get("apiKey", base.api_key),
            auth_header=fields.get("authHeader", base.auth_header),
            headers={**base.headers, **fields.get("headers", {})},
            compat={**base.compat, **fields.get("compat", {})},
        )
        inherited: JsonObject = {key: fields[key] for key in _INHERITED if key in fields}
        found = (self._model(provider, entry) for entry in fields.get("models", ()))
        own = tuple(model for model in found if model is not None)
        listed = _overlaid(base.listed, inherited, fields.get("modelOverrides", {}), own)
        return replace(provider, listed=listed)

    def _model(self, provider: Provider, entry: JsonObject) -> Model | None:
        model = Model(
            entry["id"],
            provider.id,
            provider.api,
            base_url=provider.base_url,
            headers=provider.headers,
            compat=provider.compat,
        )
        model = with_fields(model, entry)
        needs = [key for key, value in (("api", model.api), ("baseUrl", model.base_url)) if not value]
        if not needs:
            return model
        named = " and ".join(f'"{key}"' for key in needs)
        self.report(("providers", provider.id), f'model "{model.id}" needs {named}, here or at its provider')
        return None


def _overlaid(
    source: ModelSource, inherited: JsonObject, overrides: Mapping[str, JsonObject], own: tuple[Model, ...]
) -> ModelSource:
    """The models of `source` changed, with `own` in place of those of the same id, or after them."""

    def models() -> tuple[Model, ...]:
        changed = {
            model.id: with_fields(with_fields(model, inherited), overrides.get(model.id, {}))
            for model in source()
        }
        return tuple((changed | {model.id: model for model in own}).values())

    return cache(models)


def with_fields(model: Model, fields: JsonObject) -> Model:
    """The model with the (clean) fields of a models.json entry; objects merge entry by entry."""
    changes: dict[str, Any] = {name: fields[key] for key, name in _PLAIN.items() if key in fields}
    for key, name in _MERGED.items():
        if key in fields:
            changes[name] = {**getattr(model, name), **fields[key]}
    if "input" in fields:
        changes["input"] = tuple(fields["input"])
    by_level = fields.get("samplingParamsByThinkingLevel")
    if by_level:
        known = model.sampling_params_by_level
        changes["sampling_params_by_level"] = {
            level: {**known.get(level, {}), **by_level.get(level, {})} for level in {**known, **by_level}
        }
    if "cost" in fields:
        changes["cost"] = _with_prices(model.cost, fields["cost"])
    return replace(model, **changes)


def _with_prices(cost: ModelCost, fields: JsonObject) -> ModelCost:
    tiers = cost.tiers
    if "tiers" in fields:
        tiers = tuple(
            CostTier(each["inputTokensAbove"], *(each.get(key, 0) for key in _PRICES))
            for each in fields["tiers"]
        )
    return ModelCost(
        input=fields.get("input", cost.input),
        output=fields.get("output", cost.output),
        cache_read=fields.get("cacheRead", cost.cache_read),
        cache_write=fields.get("cacheWrite", cost.cache_write),
        tiers=tiers,
    )
