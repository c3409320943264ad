"""Fitting a model's arguments to a tool's schema."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.agent.tools import ToolError
from pi_term.agent.validate import validate_arguments

READ = {
    "type": "object",
    "required": ["path"],
    "properties": {
        "path": {"type": "string"},
        "offset": {"type": "number"},
        "count": {"type": "integer"},
        "deep": {"type": "boolean"},
        "mode": {"enum": ["fast", "slow", 3]},
        "names": {"type": "array", "items": {"type": "string"}},
        "pair": {
            "type": "object",
            "required": ["old"],
            "properties": {"old": {"type": "string"}, "size": {"type": "number"}},
        },
        "either": {"anyOf": [{"type": "number"}, {"type": "boolean"}, {"type": "null"}]},
        "maybe": {"type": ["string", "null"]},
    },
}


@pytest.mark.parametrize(
    ("args", "fitted"),
    [
        ({"path": 5}, {"path": "5"}),
        ({"path": 2.5}, {"path": "2.5"}),
        ({"path": 5.0}, {"path": "5"}),
        ({"path": True}, {"path": "true"}),
        ({"offset": "3"}, {"offset": 3}),
        ({"offset": " -2.5e1 "}, {"offset": -25.0}),
        ({"offset": 2.5}, {"offset": 2.5}),
        ({"count": "7"}, {"count": 7}),
        ({"count": "7.0"}, {"count": 7}),
        ({"count": 7.0}, {"count": 7}),
        ({"deep": "true"}, {"deep": True}),
        ({"deep": "False"}, {"deep": False}),
        ({"deep": 1}, {"deep": True}),
        ({"offset": None, "names": None}, {}),
        ({"maybe": None, "either": None}, {"maybe": None, "either": None}),
        ({"names": '["a", 1]'}, {"names": ["a", "1"]}),
        ({"pair": '{"old": "x", "size": "2"}'}, {"pair": {"old": "x", "size": 2}}),
        ({"pair": {"old": "x", "size": None}}, {"pair": {"old": "x"}}),
        ({"either": True}, {"either": True}),
        ({"either": "4"}, {"either": 4}),
        ({"colour": "red"}, {"colour": "red"}),
        ({"mode": 3}, {"mode": 3}),
    ],
)
def test_what_is_meant_beyond_doubt_is_mended(args: dict[str, Any], fitted: dict[str, Any]) -> None:
    found = validate_arguments(READ, {"path": "p", **args})
    expected = {"path": "p", **fitted}
    assert found == expected
    assert [type(found[key]) for key in expected] == [type(each) for each in expected.values()]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, "path is required"),
        ({"path": None}, "path must be a string"),
        ({"path": ["a"]}, "path must be a string"),
        ({"path": "p", "offset": "three"}, 'offset must be a number, not "three"'),
        ({"path": "p", "offset": ""}, "offset must be a number"),
        ({"path": "p", "offset": True}, "offset must be a number"),
        ({"path": "p", "count": 2.5}, "count must be an integer"),
        ({"path": "p", "deep": "yes"}, "deep must be a boolean"),
        ({"path": "p", "mode": "quick"}, 'mode must be "fast" or "slow" or 3'),
        ({"path": "p", "mode": True}, "mode must be"),
        ({"path": "p", "names": "[broken"}, "names must be an array"),
        ({"path": "p", "names": '{"a": 1}'}, "names must be an array"),
        ({"path": "p", "names": ["a", None]}, "names[1] must be a string"),
        ({"path": "p", "pair": {}}, "pair.old is required"),
        ({"path": "p", "either": "x"}, "either fits none"),
        ({"path": "p", "maybe": []}, "maybe must be a string or null"),
    ],
)
def test_an_error_names_the_field(args: dict[str, Any], said: str) -> None:
    with pytest.raises(ToolError) as caught:
        validate_arguments(READ, args)
    assert said in str(caught.value)


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(ToolError, match=r"offset must.*path is required"):
        validate_arguments(READ, {"offset": []})


def test_a_long_wrong_value_is_not_repeated_whole() -> None:
    with pytest.raises(ToolError) as caught:
        validate_arguments(READ, {"path": "p", "offset": "x" * 10_000})
    assert len(str(caught.value)) < 300


def test_the_arguments_that_came_are_left_as_they_are() -> None:
    args = {"path": 5, "pair": {"old": 1}}
    validate_arguments(READ, args)
    assert args == {"path": 5, "pair": {"old": 1}}


def test_surplus_fields_go_where_the_schema_forbids_them() -> None:
    closed = {"type": "object", "properties": {"a": {"type": "number"}}, "additionalProperties": False}
    assert validate_arguments(closed, {"a": "1", "b": 2}) == {"a": 1}
    typed = {"type": "object", "additionalProperties": {"type": "number"}}
    assert validate_arguments(typed, {"b": "2"}) == {"b": 2}


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"type": "object", "properties": {}}])
def test_a_schema_that_says_nothing_takes_everything(schema: dict[str, Any]) -> None:
    assert validate_arguments(schema, {"a": [None, {"b": 1}]}) == {"a": [None, {"b": 1}]}


RARE = {
    "type": "object",
    "properties": {
        "count": {"type": "integer", "minimum": 1},
        "name": {"type": "string", "pattern": "^[a-z]+$"},
        "one": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
        "point": {"$ref": "#/$defs/point"},
    },
    "$defs": {"point": {"type": "object", "required": ["x"]}},
}


def test_rarer_keywords_count_too() -> None:
    args = {"count": "3", "name": "abc", "one": 1, "point": {"x": 1}}
    assert validate_arguments(RARE, args) == {**args, "count": 3}


@pytest.mark.parametrize(
    ("args", "field"),
    [({"count": 0}, "count"), ({"name": "A"}, "name"), ({"one": []}, "one"), ({"point": {}}, "point")],
)
def test_rarer_keywords_name_the_field_too(args: dict[str, Any], field: str) -> None:
    with pytest.raises(ToolError, match=field):
        validate_arguments(RARE, args)


BROKEN = [
    {"type": "object", "minProperties": "x"},
    {"$ref": "#/nowhere"},
    {"$ref": "http://127.0.0.1:9/schema.json"},
]


@pytest.mark.parametrize("schema", BROKEN)
def test_a_broken_schema_is_an_error_and_no_crash(schema: dict[str, Any]) -> None:
    with pytest.raises(ToolError):
        validate_arguments(schema, {"a": 1})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(list(READ["properties"])), VALUES))
def test_what_is_accepted_obeys_the_schema(args: dict[str, Any]) -> None:
    from jsonschema import Draft202012Validator

    try:
        fitted = validate_arguments(READ, args)
    except ToolError:
        return
    Draft202012Validator(READ).validate(fitted)
    assert validate_arguments(READ, fitted) == fitted


@given(st.dictionaries(st.sampled_from(list(READ["properties"])), VALUES))
def test_what_obeys_the_schema_is_accepted_unchanged(args: dict[str, Any]) -> None:
    from jsonschema import Draft202012Validator

    if Draft202012Validator(READ).is_valid(args):
        assert validate_arguments(READ, args) == args


def test_ordinary_schemas_do_not_load_the_library() -> None:
    code = (
        "import sys; from pi_term.agent.validate import validate_arguments\n"
        "from pi_term.coding.tools import builtin_tools\n"
        "args = {'path': 'p', 'content': '', 'command': 'c', 'pattern': 'x'}\n"
        "args['edits'] = [{'oldText': 'a', 'newText': 'b'}]\n"
        "[validate_arguments(tool.parameters, args) for tool in builtin_tools().values()]\n"
        "print('jsonschema' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "False\n"
