"""The providers that are known without any configuration, and their models.

The catalogue is data beside this module, made by `scripts/make_catalogue.py`: an index of the providers, and
for each a file of models, written as models.json writes them. A file is read when its models are first asked
for: who begins with a model of models.json reads the index only.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pi_term.ai.catalog.models_file import with_fields
from pi_term.ai.catalog.providers import ModelSource, Provider, no_models
from pi_term.ai.models import Model
from pi_term.base.json import JsonObject, loads

DATA = Path(__file__).parent / "data"

_DEMO = Provider(
    "demo",
    "Demo",
    "demo",
    needs_key=False,
    listed=lambda: (Model("demo", "demo", "demo", "Demo (scripted)", reasoning=True),),
)


@cache
def builtin_providers() -> dict[str, Provider]:
    """The providers by id, the demo first."""
    index: JsonObject = loads((DATA / "index.json").read_bytes())
    found = (_provider(provider_id, entry) for provider_id, entry in index["providers"].items())
    return {provider.id: provider for provider in (_DEMO, *found)}


def _provider(provider_id: str, entry: JsonObject) -> Provider:
    compat = entry.get("compat", {})
    listed = no_models
    if entry["models"]:
        listed = _models_in(DATA / f"{provider_id}.json", provider_id, entry, compat)
    return Provider(
        provider_id,
        entry["name"],
        entry["api"],
        entry["baseUrl"],
        env_keys=tuple(entry["env"]),
        env_bearers=tuple(entry.get("bearers", ())),
        compat=compat,
        default=entry.get("default", ""),
        listed=listed,
        hosted=True,
    )


def _models_in(file: Path, provider_id: str, common: JsonObject, compat: JsonObject) -> ModelSource:
    def read() -> tuple[Model, ...]:
        entries: list[JsonObject] = loads(file.read_bytes())
        return tuple(
            with_fields(
                Model(each["id"], provider_id, common["api"], base_url=common["baseUrl"], compat=compat), each
            )
            for each in entries
        )

    return cache(read)
