"""What a value in a JSON file may be: one check, one description and one message for each kind.

A kind *cleans* a value: it gives back the Python value to use, or `BAD` after reporting what is wrong.
Containers drop their bad members and keep the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

from pi_term.base.json import JsonObject, JsonValue, dumps_str
from pi_term.base.json_locate import JsonPath

_SAFE_INTEGER = 2**53 - 1  # a bound that only says how far numbers are exact

T = TypeVar("T")
S = TypeVar("S", bound=str)


class _Bad(Enum):
    BAD = "bad"


BAD: Final = _Bad.BAD
Bad: TypeAlias = Literal[_Bad.BAD]
Report: TypeAlias = Callable[[JsonPath, str], None]


class Kind(Generic[T]):
    """A kind of value: `description` completes the sentence "must be …".

    `options` are all values there are, as they stand in a file; None where they are too many to list.
    """

    def __init__(
        self,
        description: str,
        convert: Callable[[JsonValue], T | Bad],
        options: Sequence[JsonValue] | None = None,
    ) -> None:
        self.description = description
        self.options = options
        self._convert = convert

    def clean(self, value: JsonValue, report: Report, path: JsonPath = ()) -> T | Bad:
        """The value to use; reports and gives `BAD` where it is of another kind."""
        cleaned = self._convert(value)
        if cleaned is BAD:
            report(path, f"must be {self.description}")
        return cleaned


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


BOOLEAN: Kind[bool] = Kind(
    "true or false", lambda value: value if isinstance(value, bool) else BAD, (True, False)
)
TEXT: Kind[str] = Kind("a string", lambda value: value if isinstance(value, str) else BAD)
OBJECT: Kind[JsonObject] = Kind("an object", lambda value: value if isinstance(value, dict) else BAD)


def number(low: float = 0, high: float = float("inf")) -> Kind[float]:
    """A number from `low` to `high`."""
    return Kind(
        f"a number{_bounds(low, high)}",
        lambda value: value if _is_number(value) and low <= value <= high else BAD,
    )


def whole(low: int = 0, high: float = float("inf")) -> Kind[int]:
    """A whole number from `low` to `high`; `4.0` counts as one."""

    def convert(value: JsonValue) -> int | Bad:
        if not _is_number(value) or not low <= value <= high or value != value // 1:
            return BAD
        return int(value)

    return Kind(f"a whole number{_bounds(low, high)}", convert)


def _bounds(low: float, high: float) -> str:
    if high >= _SAFE_INTEGER:
        return f" of at least {low:g}"
    return f" from {low:g} to {high:g}"


def choice(*words: S) -> Kind[S]:
    """One of some words."""
    listed = ", ".join(f'"{word}"' for word in words)
    return Kind(
        f"one of {listed}", lambda value: value if isinstance(value, str) and value in words else BAD, words
    )


def either(*kinds: Kind[Any]) -> Kind[Any]:
    """A value of any of the kinds; the first that accepts it decides."""

    def convert(value: JsonValue) -> Any:
        for kind in kinds:
            cleaned = kind.clean(value, _unheard)
            if cleaned is not BAD:
                return cleaned
        return BAD

    listed = [kind.options for kind in kinds]
    options = [value for values in listed for value in values or ()]
    return Kind(" or ".join(kind.description for kind in kinds), convert, None if None in listed else options)


def constant(value: JsonValue, means: T) -> Kind[T]:
    """Exactly `value`, which stands for `means` (`"disabled"` for 0)."""
    return Kind(
        dumps_str(value),
        lambda given: means if type(given) is type(value) and given == value else BAD,
        (value,),
    )


def _unheard(path: JsonPath, message: str) -> None:
    """Takes the reports of alternatives that are only tried."""


class ListOf(Kind[tuple[T, ...]]):
    """An array of `item`s; bad ones are reported and left out."""

    def __init__(self, item: Kind[T]) -> None:
        super().__init__("an array", lambda value: BAD)
        self.item = item

    def clean(self, value: JsonValue, report: Report, path: JsonPath = ()) -> tuple[T, ...] | Bad:
        if not isinstance(value, list | tuple):
            return super().clean(value, report, path)
        cleaned = (self.item.clean(each, report, (*path, index)) for index, each in enumerate(value))
        return tuple(each for each in cleaned if each is not BAD)


class MapOf(Kind[Mapping[str, T]]):
    """An object with `item`s under any key, or only under `keys`; bad entries are left out."""

    def __init__(self, item: Kind[T], keys: Collection[str] | None = None) -> None:
        super().__init__("an object", lambda value: BAD)
        self.item, self.keys = item, keys

    def clean(self, value: JsonValue, report: Report, path: JsonPath = ()) -> Mapping[str, T] | Bad:
        if not isinstance(value, dict):
            return super().clean(value, report, path)
        out: dict[str, T] = {}
        for key, each in value.items():
            if self.keys is not None and key not in self.keys:
                report((*path, key), f"unknown key; known are {', '.join(self.keys)}")
                continue
            cleaned = self.item.clean(each, report, (*path, key))
            if cleaned is not BAD:
                out[key] = cleaned
        return out


class Shape(Kind[JsonObject]):
    """An object with `fields` of their own kinds.

    Gives the known good fields; unknown ones are ignored, null counts as absent. Without a `required`
    field the whole object is bad.
    """

    def __init__(self, fields: Mapping[str, Kind[Any]], required: Collection[str] = ()) -> None:
        super().__init__("an object", lambda value: BAD)
        self.fields, self._required = fields, required

    def clean(self, value: JsonValue, report: Report, path: JsonPath = ()) -> JsonObject | Bad:
        if not isinstance(value, dict):
            return super().clean(value, report, path)
        out: JsonObject = {}
        for key, kind in self.fields.items():
            if value.get(key) is not None:
                cleaned = kind.clean(value[key], report, (*path, key))
                if cleaned is not BAD:
                    out[key] = cleaned
        missing = [key for key in self._required if key not in out]
        for key in missing:
            if value.get(key) is None:
                report(path, f'needs "{key}"')
        return BAD if missing else out
