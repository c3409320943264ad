"""Dataclasses that are JSON objects on disk and on the wire.

A `Record` has snake_case attributes for camelCase keys, leaves out what is `None`, and keeps keys it
does not know in `extra`, so that what a newer writer stored passes through untouched.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar, Self

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject

Codec = Callable[[Any], Any]


def camel(name: str) -> str:
    """`tool_call_id` -> `toolCallId`."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def coded(decode: Codec, encode: Codec, **more: Any) -> Any:
    """A field whose JSON form differs from its Python value; `more` goes to `dataclasses.field`."""
    return field(metadata={"decode": decode, "encode": encode}, **more)


def record_field(kind: type[Record], **more: Any) -> Any:
    """A field that holds another record."""
    return coded(kind.from_json, lambda record: record.to_json(), **more)


def memory_field() -> Any:
    """A field that is no part of the JSON form; None unless set."""
    return field(default=None, metadata={"memory_only": True})


@dataclass(slots=True)
class Record:
    """Base of all JSON records.

    `TAG` names the class attribute (`type`, `role`) that is written first, as a key of its own name.
    `CHECKED`: whether `from_json` refuses other values where text or an object is meant.
    """

    TAG: ClassVar[str] = ""
    CHECKED: ClassVar[bool] = False
    extra: JsonObject = field(default_factory=dict, kw_only=True, repr=False)

    @classmethod
    def from_json(cls, data: JsonObject) -> Self:
        """Build from a decoded object; missing keys take the defaults, unknown ones go to `extra`.

        Raises `ValueError` where a key without a default is missing; see also `CHECKED`.
        """
        keys, known = _layout(cls)
        values: dict[str, Any] = {}
        for name, key, decode, _ in keys:
            value = data.get(key)
            if value is not None:
                values[name] = value if decode is None else decode(value)
        extra = {key: value for key, value in data.items() if key not in known}
        try:
            return cls(**values, extra=extra)
        except TypeError as error:
            raise ValueError(f"{cls.__name__}: {error}") from None

    def to_json(self) -> JsonObject:
        """The JSON object: tag first, then the fields in order, then the unknown keys."""
        out: JsonObject = {self.TAG: getattr(self, self.TAG)} if self.TAG else {}
        for name, key, _, encode in _layout(type(self))[0]:
            value = getattr(self, name)
            if value is not None:
                out[key] = value if encode is None else encode(value)
        out.update(self.extra)
        return out


def _text(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(f"text is expected, not {type(value).__name__}")
    return value


def _object(value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"an object is expected, not {type(value).__name__}")
    return value


_CHECKS: dict[str, Codec] = {
    "str": _text,
    "str | None": _text,
    "JsonObject": _object,
    "JsonObject | None": _object,
}
"""By annotation: what everybody relies on, and a file that others wrote may not hold."""


_Layout = tuple[list[tuple[str, str, Codec | None, Codec | None]], frozenset[str]]
_layouts: dict[type[Record], _Layout] = {}


def _layout(cls: type[Record]) -> _Layout:
    found = _layouts.get(cls)
    if found is None:
        rows = [
            (
                each.name,
                camel(each.name),
                each.metadata.get("decode") or (_CHECKS.get(str(each.type)) if cls.CHECKED else None),
                each.metadata.get("encode"),
            )
            for each in dataclasses.fields(cls)
            if each.name != "extra" and not each.metadata.get("memory_only")
        ]
        known = {key for _, key, _, _ in rows}
        if cls.TAG:
            known.add(cls.TAG)
        found = _layouts[cls] = (rows, frozenset(known))
    return found
