"""Which thinking levels a model has."""

from __future__ import annotations

from pi_term.ai.models import THINKING_LEVELS, Model, ThinkingLevel

_ONLY_WHEN_MAPPED = frozenset({"xhigh", "max"})


def supported_levels(model: Model) -> tuple[ThinkingLevel, ...]:
    """The levels to offer for `model`, in order; a model that does not reason has only `off`.

    A level that the model's map gives as None is left out; `xhigh` and `max` need an entry there.
    """
    if not model.reasoning:
        return ("off",)
    known = model.thinking_level_map
    levels = tuple(
        level
        for level in THINKING_LEVELS
        if (known[level] is not None if level in known else level not in _ONLY_WHEN_MAPPED)
    )
    return levels or ("off",)


def clamp_level(model: Model, level: ThinkingLevel) -> ThinkingLevel:
    """`level` if the model has it, else the next higher one that it has, else the next lower."""
    supported = supported_levels(model)
    position = THINKING_LEVELS.index(level)
    upwards = (*THINKING_LEVELS[position:], *reversed(THINKING_LEVELS[:position]))
    return next(each for each in upwards if each in supported)
