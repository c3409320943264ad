"""A tool made of a function: its name, its docstring and its type hints say all that a model must know."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints, overload

from pi_term.agent.tools import ToolResult, text_result
from pi_term.base.json import JsonObject, JsonValue, dumps_str
from pi_term.coding.tools.definition import ToolContext, ToolDefinition

ToolFunction: TypeAlias = Callable[..., Any]

_SIMPLE: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "object",
    list: "array",
}


@overload
def tool(function: ToolFunction) -> ToolDefinition: ...
@overload
def tool(
    *, name: str | None = None, description: str | None = None
) -> Callable[[ToolFunction], ToolDefinition]: ...
def tool(
    function: ToolFunction | None = None, *, name: str | None = None, description: str | None = None
) -> ToolDefinition | Callable[[ToolFunction], ToolDefinition]:
    """Make a tool of a function, as a decorator: `@tool`, or `@tool(name="search")`.

    Parameters may be `str`, `int`, `float`, `bool`, lists, dicts, `Literal[...]` and these or None;
    `Annotated[str, "what it is for"]` describes one. One of the type `ToolContext` gets the call's. What the
    function returns is told to the model: a text, a `ToolResult`, or anything that JSON can say. An
    exception is told as an error. Other parameters raise `TypeError`.
    """
    if function is None:
        return lambda given: _definition(given, name, description)
    return _definition(function, name, description)


def _definition(function: ToolFunction, name: str | None, description: str | None) -> ToolDefinition:
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters
    contexts = [each for each in parameters if hints.get(each) is ToolContext]
    about = description or inspect.getdoc(function) or ""

    async def execute(args: JsonObject, context: ToolContext) -> ToolResult:
        made = function(**args, **dict.fromkeys(contexts, context))
        return _result(await made if isinstance(made, Awaitable) else made)

    known = {each: kind for each, kind in parameters.items() if each not in contexts}
    return ToolDefinition(
        name=name or function.__name__,
        label=name or function.__name__,
        description=about,
        parameters=_schema(known, hints),
        execute=execute,
        prompt_snippet=about.partition("\n")[0],
    )


def _result(made: object) -> ToolResult:
    if isinstance(made, ToolResult):
        return made
    return text_result("" if made is None else made if isinstance(made, str) else dumps_str(made))


def _schema(parameters: Mapping[str, inspect.Parameter], hints: Mapping[str, Any]) -> JsonObject:
    required = [name for name, each in parameters.items() if each.default is inspect.Parameter.empty]
    properties = {name: _property(name, each, hints.get(name, Any)) for name, each in parameters.items()}
    return {"type": "object", "properties": properties, "required": required}


def _property(name: str, parameter: inspect.Parameter, hint: Any) -> JsonObject:
    if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
        raise TypeError(f"a tool takes no parameter like {parameter}")
    try:
        found = _type_schema(hint)
    except TypeError as error:
        raise TypeError(f"parameter {name}: {error}") from None
    default = parameter.default
    if isinstance(default, str | int | float | bool):
        found["default"] = default
    return found


def _type_schema(hint: Any) -> dict[str, JsonValue]:
    if hint is Any:
        return {}
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        about = next((each for each in args[1:] if isinstance(each, str)), None)
        return _type_schema(args[0]) | ({} if about is None else {"description": about})
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, UnionType):
        return _one_of([each for each in args if each is not NoneType])
    if origin in (list, Sequence):
        return {"type": "array", "items": _type_schema(args[0])}
    if origin in (dict, Mapping):
        return {"type": "object"}
    raise TypeError(f"a tool cannot take {hint!r}")


def _one_of(hints: Sequence[Any]) -> dict[str, JsonValue]:
    schemas: list[JsonValue] = [_type_schema(each) for each in hints]
    return _type_schema(hints[0]) if len(schemas) == 1 else {"anyOf": schemas}
