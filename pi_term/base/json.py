"""The only JSON codec of the house.

`orjson` does the work. Where it refuses or bends what real session files hold (lone surrogates, integers
over 64 bits, trees deeper than its limit) the standard library takes over, and for trees deeper than
that an encoder which does not recurse.
"""

from __future__ import annotations

import json as _stdlib
from collections.abc import Iterator
from typing import Any, TypeAlias

import orjson

JsonValue: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]

_DIGITS_AS_ZERO = bytes.maketrans(b"123456789", b"000000000")
_HUGE = b"0" * 19  # the digits of the shortest integers that may not fit into 64 bits
_RAW = orjson.OPT_PASSTHROUGH_SUBCLASS


class JsonError(ValueError):
    """Text that is not JSON. `position` is the offset in characters where reading stopped (or 0)."""

    def __init__(self, message: str, position: int = 0) -> None:
        super().__init__(message)
        self.position = position


def loads(data: bytes | str) -> JsonValue:
    """Decode one JSON value; raises `JsonError`."""
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    if _HUGE in raw.translate(_DIGITS_AS_ZERO):
        return _loads_slow(data)  # orjson would make a float of an integer that long
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _loads_slow(data)


def _loads_slow(data: bytes | str) -> JsonValue:
    try:
        text = data.decode("utf-8", "surrogatepass") if isinstance(data, bytes) else data
        return _stdlib.loads(text, parse_constant=_refuse_constant)
    except _stdlib.JSONDecodeError as error:
        raise JsonError(f"{error.msg} at line {error.lineno} column {error.colno}", error.pos) from None
    except RecursionError:
        raise JsonError("nested too deeply") from None
    except UnicodeDecodeError as error:
        raise JsonError(f"not UTF-8: {error.reason}", error.start) from None
    except ValueError as error:  # NaN and Infinity; an integer of thousands of digits
        raise JsonError(str(error)) from None


def _refuse_constant(name: str) -> None:
    raise JsonError(f"{name} is not JSON")


def dumps(value: JsonValue) -> bytes:
    """Encode compactly as UTF-8; lone surrogates are written as `\\ud800` escapes."""
    try:
        return orjson.dumps(value, option=_RAW)
    except (orjson.JSONEncodeError, UnicodeEncodeError, RecursionError):
        return _encode_slowly(value).encode("utf-8")


def dumps_str(value: JsonValue, *, indent: bool = False) -> str:
    """Encode as text; `indent` gives two spaces a level, for files that people edit."""
    if indent:
        return _stdlib.dumps(value, indent=2, ensure_ascii=False)
    return dumps(value).decode("utf-8")


_SHALLOW = 8  # levels; a tree of entries nests a thousand, each entry but a few


def _encode_slowly(value: JsonValue) -> str:
    """Encode without recursion: the parts of open containers wait on a stack of iterators.

    What is not deep is left to the fast encoder.
    """
    out: list[str] = []
    stack: list[Iterator[str | _Open]] = [iter([_Open(value)])]
    while stack:
        part = next(stack[-1], None)
        if part is None:
            stack.pop()
        elif isinstance(part, str):
            out.append(part)
        elif (text := _fast(part.value)) is not None:
            out.append(text)
        else:
            stack.append(_parts(part.value))
    return "".join(out)


def _fast(value: JsonValue) -> str | None:
    """The encoding of what the fast encoder can take, else None."""
    if not _is_shallow(value, _SHALLOW):
        return None
    try:
        return orjson.dumps(value, option=_RAW).decode("utf-8")
    except (orjson.JSONEncodeError, UnicodeEncodeError):
        return None


def _is_shallow(value: JsonValue, levels: int) -> bool:
    if isinstance(value, dict):
        return levels > 0 and all(_is_shallow(item, levels - 1) for item in value.values())
    if isinstance(value, (list, tuple)):
        return levels > 0 and all(_is_shallow(item, levels - 1) for item in value)
    return True


class _Open:
    """A value whose encoding is still to come."""

    __slots__ = ("value",)

    def __init__(self, value: JsonValue) -> None:
        self.value = value


def _parts(value: JsonValue) -> Iterator[str | _Open]:
    if isinstance(value, dict):
        yield "{"
        for number, (key, item) in enumerate(value.items()):
            yield f"{',' if number else ''}{_text(str(key))}:"
            yield _Open(item)
        yield "}"
    elif isinstance(value, (list, tuple)):
        yield "["
        for number, item in enumerate(value):
            if number:
                yield ","
            yield _Open(item)
        yield "]"
    elif isinstance(value, str):
        yield _text(value)
    elif isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        yield "null"
    else:
        yield _stdlib.dumps(value)


def _text(value: str) -> str:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return _stdlib.dumps(value, ensure_ascii=True)
    return _stdlib.dumps(value, ensure_ascii=False)
