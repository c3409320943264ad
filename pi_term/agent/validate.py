"""Arguments of a tool call, fitted to the tool's JSON Schema.

Models are careless about types: numbers come as strings, lists as JSON text, absent values as null.
What is meant beyond doubt is mended; the rest is refused with a message that names the field.

The keywords that nearly all tools use are checked here, because `jsonschema` takes a tenth of a second to
import. A schema that uses others is handed to it after the mending.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pi_term.agent.tools import ToolError
from pi_term.base.json import JsonError, JsonObject, JsonValue, dumps_str, loads
from pi_term.base.text import shortened

_MISFIT = object()
_NUMBER = re.compile(r"\s*[-+]?\d+(\.\d+)?([eE][-+]?\d+)?\s*")
_CHECKED_HERE = {"type", "properties", "required", "items", "enum", "const", "anyOf", "additionalProperties"}
_ANNOTATIONS = {"title", "description", "default", "examples", "deprecated", "$schema", "$id", "$comment"}
_SHOWN = 80
"""Characters of a wrong value that an error message repeats."""


def validate_arguments(schema: JsonObject, args: JsonObject) -> JsonObject:
    """A mended copy of `args`; raises `ToolError` that names each field that does not fit.

    Numbers, booleans and strings become each other where the schema leaves no doubt; JSON text becomes
    the list or object that is wanted; null for an optional field means absent. Fields that the schema
    does not know are kept, unless it forbids them: then they are left out. Blocks for a tenth of a second
    the first time that a schema is not `is_ordinary`.
    """
    fitter = _Fitter()
    fitted = fitter.fit(schema, args, "")
    problems = fitter.problems
    if not problems and not is_ordinary(schema):
        problems = list(_library_problems(schema, fitted))
    if problems:
        raise ToolError(f"Invalid arguments: {'; '.join(problems)}.")
    if not isinstance(fitted, dict):
        raise ToolError("Invalid arguments: they must be an object.")
    return fitted


class _Fitter:
    """One walk over a schema and a value. `problems` says what could not be mended, a line each."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def fit(self, schema: Any, value: JsonValue, where: str) -> JsonValue:
        """The value as the schema wants it; where it cannot be, a problem is noted."""
        if not isinstance(schema, Mapping):
            if schema is False:
                self._complain(where, "is not allowed")
            return value
        value = self._of_type(schema, value, where)
        if value is _MISFIT:
            return None
        if isinstance(value, dict):
            value = self._fit_object(schema, value, where)
        elif isinstance(value, list) and "items" in schema:
            value = [self.fit(schema["items"], item, f"{where}[{i}]") for i, item in enumerate(value)]
        value = self._fit_choice(schema, value, where)
        self._check_listed(schema, value, where)
        return value

    def _of_type(self, schema: Mapping[str, Any], value: JsonValue, where: str) -> JsonValue:
        wanted = _types(schema)
        if not wanted or any(_is_type(value, name) for name in wanted):
            return int(value) if isinstance(value, float) and wanted == ["integer"] else value
        for name in wanted:
            mended = _MENDERS[name](value) if name in _MENDERS else _MISFIT
            if mended is not _MISFIT:
                return mended
        self._complain(where, f"must be {_kinds(wanted)}, not {_shown(value)}")
        return _MISFIT

    def _fit_object(self, schema: Mapping[str, Any], value: JsonObject, where: str) -> JsonObject:
        known: Mapping[str, Any] = schema.get("properties") or {}
        required = schema.get("required") or ()
        rest = schema.get("additionalProperties", True)
        fitted: JsonObject = {}
        for key, item in value.items():
            if key in known:
                if item is not None or key in required or _takes_null(known[key]):
                    fitted[key] = self.fit(known[key], item, _inside(where, key))
            elif rest is not False:
                fitted[key] = self.fit(rest, item, _inside(where, key))
        for key in required:
            if key not in value:
                self._complain(_inside(where, key), "is required")
        return fitted

    def _fit_choice(self, schema: Mapping[str, Any], value: JsonValue, where: str) -> JsonValue:
        """The first alternative that fits as it is, else the first that fits when mended."""
        choices = schema.get("anyOf") or schema.get("oneOf")
        if not choices:
            return value
        mended: list[JsonValue] = []
        for choice in choices:
            attempt = _Fitter()
            fitted = attempt.fit(choice, value, where)
            if not attempt.problems:
                if fitted == value and type(fitted) is type(value):
                    return value
                mended.append(fitted)
        if mended:
            return mended[0]
        self._complain(where, f"fits none of its {len(choices)} forms: {_shown(value)}")
        return value

    def _check_listed(self, schema: Mapping[str, Any], value: JsonValue, where: str) -> None:
        allowed = [schema["const"]] if "const" in schema else schema.get("enum")
        if allowed is not None and not any(_same(value, each) for each in allowed):
            self._complain(where, f"must be {' or '.join(map(_shown, allowed))}, not {_shown(value)}")

    def _complain(self, where: str, what: str) -> None:
        self.problems.append(f"{where or 'they'} {what}")


def _inside(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _types(schema: Mapping[str, Any]) -> list[str]:
    wanted = schema.get("type")
    return [wanted] if isinstance(wanted, str) else list(wanted or ())


def _takes_null(schema: Any) -> bool:
    """Whether null is a value of its own here; where it is not, it stands for "absent"."""
    if not isinstance(schema, Mapping):
        return schema is True
    if "const" in schema or "enum" in schema:
        return None in schema.get("enum", [schema.get("const")])
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return any(_takes_null(choice) for choice in choices)
    wanted = _types(schema)
    return not wanted or "null" in wanted


def _is_type(value: JsonValue, name: str) -> bool:
    match name:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "integer":
            return (isinstance(value, int) and not isinstance(value, bool)) or (
                isinstance(value, float) and value.is_integer()
            )
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case "null":
            return value is None
    return True


def _to_number(value: JsonValue) -> JsonValue:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        text = value.strip()
        return int(text) if text.lstrip("+-").isdigit() and len(text) < 400 else float(text)
    return _MISFIT


def _to_integer(value: JsonValue) -> JsonValue:
    number = _to_number(value)
    if isinstance(number, float) and number.is_integer():
        return int(number)
    return number if isinstance(number, int) else _MISFIT


def _to_boolean(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower(), _MISFIT)
    return bool(value) if isinstance(value, (int, float)) and value in (0, 1) else _MISFIT


def _to_string(value: JsonValue) -> JsonValue:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return dumps_str(value) if isinstance(value, (bool, int, float)) else _MISFIT


def _from_json_text(kind: type) -> Callable[[JsonValue], JsonValue]:
    def mend(value: JsonValue) -> JsonValue:
        if not isinstance(value, str):
            return _MISFIT
        try:
            decoded = loads(value)
        except JsonError:
            return _MISFIT
        return decoded if isinstance(decoded, kind) else _MISFIT

    return mend


_MENDERS: dict[str, Callable[[JsonValue], JsonValue]] = {
    "number": _to_number,
    "integer": _to_integer,
    "boolean": _to_boolean,
    "string": _to_string,
    "array": _from_json_text(list),
    "object": _from_json_text(dict),
}


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Equality as JSON has it: true is not 1."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _kinds(names: list[str]) -> str:
    return " or ".join(name if name == "null" else f"{_article(name)} {name}" for name in names)


def _article(name: str) -> str:
    return "an" if name[0] in "aio" else "a"


def _shown(value: JsonValue) -> str:
    return shortened(dumps_str(value), _SHOWN)


def is_ordinary(schema: Any) -> bool:
    """Whether this schema and those inside it use only common keywords, so that checking takes no time."""
    if not isinstance(schema, Mapping):
        return True
    if set(schema) - _CHECKED_HERE - _ANNOTATIONS or isinstance(schema.get("items"), list):
        return False
    inner = [*(schema.get("properties") or {}).values(), *schema.get("anyOf", ())]
    inner += [schema.get("items"), schema.get("additionalProperties")]
    return all(map(is_ordinary, inner))


def _library_problems(schema: JsonObject, value: JsonValue) -> Iterator[str]:
    from jsonschema import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    chosen = validator_for(schema, default=Draft202012Validator)
    try:
        # A registry of our own: the default one would fetch schemas over the network.
        for error in chosen(schema, registry=Registry()).iter_errors(value):
            where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.path)
            yield f"{where.lstrip('.') or 'they'}: {error.message[:200]}"
    except (SchemaError, Unresolvable, TypeError, ValueError) as error:
        yield f"the tool's own schema cannot be used ({error})"
