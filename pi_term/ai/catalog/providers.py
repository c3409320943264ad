"""Providers, and those that are known without any configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pi_term.ai.models import Model
from pi_term.base.json import JsonObject


@dataclass(frozen=True, slots=True)
class Provider:
    """Where models are served, how to speak to them, and where the key comes from.

    `api`, `base_url`, `headers` and `compat` hold for models that do not say otherwise. `api_key` and the
    headers are unresolved (`$NAME`, `!command`). `template` has the facts to assume of an unknown model.
    """

    id: str
    name: str = ""
    api: str = ""
    base_url: str = ""
    env_keys: tuple[str, ...] = ()
    api_key: str | None = field(default=None, repr=False)
    auth_header: bool = False
    needs_key: bool = True
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    compat: JsonObject = field(default_factory=dict)
    models: tuple[Model, ...] = ()
    template: Model | None = None

    def unknown_model(self, model_id: str) -> Model | None:
        """A model of this provider that is not listed, as much like the listed ones as can be told."""
        if not self.needs_key:
            return None
        like = self.template or next(iter(self.models), None)
        return None if like is None else replace(like, id=model_id, name="")


_DEMO = Provider(
    "demo",
    "Demo",
    "demo",
    needs_key=False,
    models=(Model("demo", "demo", "demo", "Demo (scripted)", reasoning=True),),
)


def builtin_providers() -> dict[str, Provider]:
    """The providers that need no models.json, by id."""
    anthropic = _hosted(
        "anthropic", "Anthropic", "anthropic-messages", "https://api.anthropic.com", "ANTHROPIC_API_KEY"
    )
    openai = _hosted("openai", "OpenAI", "openai-completions", "https://api.openai.com/v1", "OPENAI_API_KEY")
    return {provider.id: provider for provider in (_DEMO, anthropic, openai)}


def _hosted(provider_id: str, name: str, api: str, base_url: str, env_key: str) -> Provider:
    template = Model("", provider_id, api, base_url=base_url, input=("text", "image"))
    return Provider(provider_id, name, api, base_url, (env_key,), template=template)
