from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.base.json_locate import loads_lenient
from pi_term.coding.settings.edit import remove_value, set_value

KEYS = st.sampled_from(["a", "b", "theme", "x.y", 'q"', "ü"])
SCALARS = st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)


def expected_after(data: dict[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    out: dict[str, Any] = json.loads(json.dumps(data))
    here = out
    for part in path[:-1]:
        if not isinstance(here.get(part), dict):
            here[part] = {}
        here = here[part]
    here[path[-1]] = value
    return out


@given(OBJECTS, st.lists(KEYS, min_size=1, max_size=3), VALUES, st.sampled_from([None, 1, 2, "\t"]))
@settings(max_examples=100, deadline=None)
def test_only_the_value_at_the_path_changes(
    data: dict[str, Any], path: list[str], value: Any, indent: int | str | None
) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    changed = loads_lenient(set_value(text, path, value))
    expected = expected_after(data, path, value)
    assert json.dumps(changed) == json.dumps(expected)  # the order of keys, too


@given(OBJECTS, st.lists(KEYS, min_size=1, max_size=3), VALUES, st.data())
@settings(max_examples=100, deadline=None)
def test_comments_and_trailing_commas_are_no_obstacle(
    data: dict[str, Any], path: list[str], value: Any, draw: st.DataObject
) -> None:
    lines = json.dumps(data, indent=2, ensure_ascii=False).split("\n")
    notes = [draw.draw(st.sampled_from(["", ' // note, } "', " /* a */"])) for _ in lines]
    text = "\n".join(line + note for line, note in zip(lines, notes, strict=True))
    changed = set_value(text, path, value)
    assert json.dumps(loads_lenient(changed)) == json.dumps(expected_after(data, path, value))
    again = set_value(changed, path, value)
    assert again == changed


@pytest.mark.parametrize(
    ("text", "path", "value", "result"),
    [
        ("", ["theme"], "dark", '{\n  "theme": "dark"\n}\n'),
        ("{}", ["a", "b"], 1, '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"a":1}', ["b"], 2, '{"a":1, "b": 2}'),
        ('{"a":1}', ["a"], 2, '{"a":2}'),
        ('{\r\n\t"a": 1\r\n}\r\n', ["b"], True, '{\r\n\t"a": 1,\r\n\t"b": true\r\n}\r\n'),
        ('{\n    "a": 1, // one\n}', ["b"], 2, '{\n    "a": 1, // one\n    "b": 2\n}'),
        ('{\n    "a": 1 // one\n}', ["b"], 2, '{\n    "a": 1, // one\n    "b": 2\n}'),
        ('{\n  "a": {\n    "x": 1\n  }\n}', ["a", "y"], 2, '{\n  "a": {\n    "x": 1,\n    "y": 2\n  }\n}'),
        ('{"a": true}', ["a", "x"], 1, '{"a": {\n  "x": 1\n}}'),
        ('{"a": {"x": 1}, "a": {"y": 2}}', ["a", "x"], 3, '{"a": {"x": 1}, "a": {"y": 2, "x": 3}}'),
    ],
)
def test_the_look_of_the_file_is_kept(text: str, path: list[str], value: Any, result: str) -> None:
    assert set_value(text, path, value) == result


@given(OBJECTS, st.lists(KEYS, min_size=1, max_size=3), st.sampled_from([None, 1, 2, "\t"]))
@settings(max_examples=150, deadline=None)
def test_only_the_member_at_the_path_is_removed(
    data: dict[str, Any], path: list[str], indent: int | str | None
) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    expected = json.loads(json.dumps(data))
    here: Any = expected
    for part in path[:-1]:
        here = here.get(part) if isinstance(here, dict) else None
    if isinstance(here, dict) and path[-1] in here:
        del here[path[-1]]
        assert list(loads_lenient(remove_value(text, path))) == list(expected)
    else:
        assert remove_value(text, path) == text
    assert loads_lenient(remove_value(text, path)) == expected


REMOVED = {
    "first": ('{\n  "a": 1, // one\n  "b": 2\n}', ["a"], '{\n  // one\n  "b": 2\n}'),
    "last": ('{\n  "a": 1, // one\n  /* two */ "b": 2\n}', ["b"], '{\n  "a": 1 // one\n  /* two */\n}'),
    "only": ('{\r\n  "a": 1,\r\n}', ["a"], "{\r\n}"),
    "nested": ('{"a": {"b": 1, "c": [1, 2]}, "d": 3}', ["a", "c"], '{"a": {"b": 1}, "d": 3}'),
    "missing": ('{"a": 1}', ["b"], '{"a": 1}'),
    "nothing": ("", ["b"], ""),
}


@pytest.mark.parametrize("case", REMOVED)
def test_what_stands_around_a_removed_member_stays(case: str) -> None:
    text, path, after = REMOVED[case]
    assert remove_value(text, path) == after
