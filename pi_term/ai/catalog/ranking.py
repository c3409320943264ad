"""Which of several models people likely mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pi_term.ai.models import Model

_DATE = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2})(?!\d)")
_SIZE = re.compile(r"\d+(?:\.\d+)?[bt](?![a-z])", re.IGNORECASE)
_VERSION = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_JOINTS = frozenset(" -_.:/@~")
_ELSEWHERE = 5  # the rank of what is found in none of the places that are looked at


def newness(model: Model) -> tuple[bool, list[int], bool, int]:
    """Grows with what is the better guess: a name without a date, then its version, then one without a size,
    then how plain it is.
    """
    return _newness(model.id)


@lru_cache(4096)
def _newness(model_id: str) -> tuple[bool, list[int], bool, int]:
    undated = _DATE.sub("", model_id)
    unsized = _SIZE.sub("", undated)
    version = [int(number) for number in _VERSION.findall(unsized)]
    return undated == model_id, version, unsized == undated, -len(model_id)


def by_fit(models: Sequence[Model], query: str, providers: Iterable[str]) -> list[Model]:
    """The models, those first whose own name fits the query best: the id as a whole, how it begins, a word
    in it, the name that is shown; only then what the provider is called.

    What fits equally well comes in the order of the `providers`, of each the newest first. Where the query is
    found in none of these places, nothing is moved.
    """
    words = query.lower().split()
    ranks = {model.key: max((_rank(model, word) for word in words), default=0) for model in models}
    if not words or all(rank == _ELSEWHERE for rank in ranks.values()):
        return list(models)
    places = {provider: place for place, provider in enumerate(providers)}
    newest = sorted(models, key=newness, reverse=True)
    return sorted(newest, key=lambda model: (ranks[model.key], places[model.provider]))


def _rank(model: Model, word: str) -> int:
    """How far from the heart of the name the word is."""
    own = model.id.lower()
    short = own.rpartition("/")[2]  # gateways put the maker before it
    if word in (own, short, model.key.lower()):
        return 0
    if word == model.provider or own.startswith(word) or short.startswith(word):
        return 1
    if model.key.lower().startswith(word) and "/" in word:
        return 1
    if _begins_word(own, word):
        return 2
    if word in own or word in model.name.lower():
        return 3
    return 4 if word in model.provider else _ELSEWHERE


def _begins_word(text: str, word: str) -> bool:
    at = text.find(word)
    while at > 0 and text[at - 1] not in _JOINTS:
        at = text.find(word, at + 1)
    return at >= 0
