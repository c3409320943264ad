from __future__ import annotations

from typing import Any

import pytest

from pi_term.base.json_kinds import (
    BAD,
    BOOLEAN,
    OBJECT,
    TEXT,
    Kind,
    ListOf,
    MapOf,
    Shape,
    choice,
    constant,
    either,
    number,
    whole,
)
from pi_term.base.json_locate import JsonPath


def clean(kind: Kind[Any], value: Any) -> tuple[Any, list[tuple[JsonPath, str]]]:
    reports: list[tuple[JsonPath, str]] = []
    return kind.clean(value, lambda path, message: reports.append((path, message)), ("k",)), reports


@pytest.mark.parametrize(
    ("kind", "value", "result"),
    [
        (BOOLEAN, True, True),
        (BOOLEAN, 1, BAD),
        (TEXT, "", ""),
        (TEXT, 3, BAD),
        (OBJECT, {"a": 1}, {"a": 1}),
        (OBJECT, [], BAD),
        (number(), 1.5, 1.5),
        (number(), True, BAD),
        (number(), -1, BAD),
        (whole(0, 3), 3.0, 3),
        (whole(0, 3), 3.5, BAD),
        (whole(0, 3), 4, BAD),
        (whole(), float("inf"), BAD),
        (choice("a", "b"), "b", "b"),
        (choice("a", "b"), ["a"], BAD),
        (either(number(), constant("disabled", 0.0)), "disabled", 0.0),
        (either(number(), constant("disabled", 0.0)), "off", BAD),
        (constant(False, "none"), 0, BAD),
        (constant(False, "none"), False, "none"),
    ],
)
def test_what_counts(kind: Kind[Any], value: Any, result: Any) -> None:
    cleaned, reports = clean(kind, value)
    assert cleaned == result
    assert bool(reports) == (result is BAD)


def test_messages_say_what_is_wanted() -> None:
    assert clean(whole(3, 20), 2)[1] == [(("k",), "must be a whole number from 3 to 20")]
    assert clean(choice("a", "b"), 1)[1] == [(("k",), 'must be one of "a", "b"')]
    wanted = 'must be true or false or "auto"'
    assert clean(either(BOOLEAN, constant("auto", "auto")), 7)[1] == [(("k",), wanted)]


def test_containers_lose_only_their_bad_members() -> None:
    assert clean(ListOf(TEXT), ["a", 1, "b"]) == (("a", "b"), [(("k", 1), "must be a string")])
    assert clean(MapOf(whole()), {"a": 1, "b": "x"})[0] == {"a": 1}
    cleaned, reports = clean(MapOf(whole(), ("low", "high")), {"low": 1, "hihg": 2})
    assert cleaned == {"low": 1}
    assert reports == [(("k", "hihg"), "unknown key; known are low, high")]
    for kind in (ListOf(TEXT), MapOf(TEXT), Shape({})):
        assert clean(kind, "x")[0] is BAD


def test_a_shape_keeps_good_fields_and_insists_on_required_ones() -> None:
    shape = Shape({"id": TEXT, "n": whole()}, required=("id",))
    assert clean(shape, {"id": "a", "n": "x", "more": 1}) == (
        {"id": "a"},
        [(("k", "n"), "must be a whole number of at least 0")],
    )
    assert clean(shape, {"n": 1}) == (BAD, [(("k",), 'needs "id"')])
    assert clean(shape, {"id": 5}) == (BAD, [(("k", "id"), "must be a string")])
    assert clean(shape, {"id": "a", "n": None}) == ({"id": "a"}, [])
