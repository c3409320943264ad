"""What is known of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias, get_args

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject

ThinkingLevel: TypeAlias = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]
THINKING_LEVELS: tuple[ThinkingLevel, ...] = get_args(ThinkingLevel)


@dataclass(frozen=True, slots=True)
class CostTier:
    """Prices for requests whose whole input exceeds `input_tokens_above` tokens."""

    input_tokens_above: int
    input: float
    output: float
    cache_read: float
    cache_write: float


@dataclass(frozen=True, slots=True)
class ModelCost:
    """Prices in US dollars per million tokens."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0
    tiers: tuple[CostTier, ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """One model of one provider, and how to speak to it.

    `thinking_level_map` gives the provider's own word for a level, None where it has none.
    `headers` are unresolved (`$NAME`, `!command`); `compat` holds Pi's switches for odd servers.
    `sampling_params` go into every request as they are, `sampling_params_by_level` over them.
    """

    id: str
    provider: str
    api: str
    name: str = ""
    base_url: str = ""
    reasoning: bool = False
    input: tuple[str, ...] = ("text",)
    context_window: int = 128_000
    max_tokens: int = 16_384
    cost: ModelCost = ModelCost()
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    compat: JsonObject = field(default_factory=dict)
    thinking_level_map: Mapping[str, str | None] = field(default_factory=dict)
    sampling_params: JsonObject = field(default_factory=dict)
    sampling_params_by_level: Mapping[str, JsonObject] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """`provider/id`, the name that settings and people use."""
        return f"{self.provider}/{self.id}"

    @property
    def label(self) -> str:
        """The name to show."""
        return self.name or self.id

    def sampling(self, level: ThinkingLevel) -> JsonObject:
        """The sampling parameters for a request at this (supported) thinking level."""
        return {**self.sampling_params, **self.sampling_params_by_level.get(level, {})}
