"""A provider: where models are served, and what is common to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import TypeAlias

from pi_term.ai.models import Model
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject

ModelSource: TypeAlias = Callable[[], tuple[Model, ...]]


def no_models() -> tuple[Model, ...]:
    """The source of a provider whose models are named by people only."""
    return ()


@dataclass(frozen=True, slots=True)
class Provider:
    """Where models are served, how to speak to them, and where the key comes from.

    `api`, `base_url`, `headers` and `compat` hold for models that do not say otherwise. `env_keys` are
    variables with a key, `env_bearers` such with a token to send as it is. `api_key` and the headers are
    unresolved (`$NAME`, `!command`). `listed` gives the models, read when they are first asked for;
    `default` is the id of the one to begin with. With `hosted` the provider is known to have more models than
    are listed, all in its own API.
    """

    id: str
    name: str = ""
    api: str = ""
    base_url: str = ""
    env_keys: tuple[str, ...] = ()
    env_bearers: tuple[str, ...] = ()
    api_key: str | None = field(default=None, repr=False)
    auth_header: bool = False
    needs_key: bool = True
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    compat: JsonObject = field(default_factory=dict)
    listed: ModelSource = field(default=no_models, repr=False)
    default: str = ""
    hosted: bool = False

    @property
    def models(self) -> tuple[Model, ...]:
        """The listed models, in their order."""
        return self.listed()

    @property
    def label(self) -> str:
        """The name to show."""
        return self.name or self.id

    def model(self, model_id: str) -> Model | None:
        """The listed model with exactly this id."""
        return next((each for each in self.models if each.id == model_id), None)

    def preferred(self) -> Model | None:
        """The model to begin with, where none is named."""
        return self.model(self.default) or next(iter(self.models), None)

    def unknown_model(self, model_id: str) -> Model | None:
        """A model of this provider that is not listed, as much like the listed ones as can be told."""
        if not self.needs_key:
            return None
        if self.hosted:
            return Model(
                model_id,
                self.id,
                self.api,
                base_url=self.base_url,
                input=("text", "image"),
                headers=self.headers,
                compat=self.compat,
            )
        like = self.preferred()
        return None if like is None else replace(like, id=model_id, name="")
