"""An object in pieces: the same in the end however it is cut, readable and growing in between."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai import growing_json
from pi_term.ai.growing_json import GrowingObject

AWKWARD = ["\\ud83d", "\ud83d", "😀\\", '"\\', "\\\\u1234", "\\" * 7, "\n\t\x01"]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(AWKWARD),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=4)


def fed(*pieces: str) -> GrowingObject:
    growing = GrowingObject()
    for piece in pieces:
        growing.feed(piece)
    return growing


@settings(max_examples=100)
@given(OBJECTS, st.lists(st.integers(0, 500), max_size=20), st.booleans(), st.sampled_from([None, 1]))
def test_any_cutting_gives_the_object(
    value: dict[str, Any], cuts: list[int], escaped: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    edges = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    assert fed(*(text[a:b] for a, b in itertools.pairwise(edges))).value == json.loads(text)
    assert fed(*text).value == json.loads(text)


@settings(max_examples=100)
@given(st.text(max_size=30), st.sampled_from([True, False]))
def test_a_string_only_ever_grows(said: str, escaped: bool) -> None:
    growing, before = fed('{"s": "'), ""
    for character in json.dumps(said, ensure_ascii=escaped)[1:]:
        growing.feed(character)
        assert growing.value["s"].startswith(before)
        before = growing.value["s"]
    assert before == json.loads(json.dumps(said, ensure_ascii=escaped))


@given(st.lists(st.sampled_from([*'{}[]":,\\u019eE-+. \n', '"a":', "true", "tru", "\\ud83d"]), max_size=25))
def test_nonsense_is_survived(pieces: list[str]) -> None:
    assert isinstance(fed("{", *pieces).value, dict)


@pytest.mark.parametrize("text", ["", "[1]", '"x"', "null", "no json", "\x00"])
def test_what_is_no_object_stays_empty(text: str) -> None:
    assert fed(text, '{"a": 1}'[: 8 if text else 0]).value == {}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ('{"a": tr', {}),
        ('{"a": true', {}),
        ('{"a": true,', {"a": True}),
        ('{"a": -', {}),
        ('{"a": 1.', {}),
        ('{"a": [1, 23', {"a": [1, 23]}),
        ('{"a": [1, 23], "b": [', {"a": [1, 23], "b": []}),
        ('{"a": 1, "a": "x', {"a": "x"}),
        ('{"a": {"b": "c\\u00', {"a": {"b": "c"}}),
        ('{"a": "x\\q', {"a": "x"}),
        ('{"a" "b"', {}),
    ],
)
def test_what_is_seen_of_an_unfinished_object(text: str, seen: dict[str, Any]) -> None:
    assert fed(text).value == seen


def test_depth_does_not_matter() -> None:
    value = fed('{"a": ' + "[" * 50_000 + "1").value["a"]
    for _ in range(49_999):
        (value,) = value
    assert value == [1]


def test_the_work_grows_with_the_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in characters that are matched: of what came before, nothing is looked at again (B-086)."""

    class Counting:
        def __init__(self, pattern: Any) -> None:
            self.pattern = pattern

        def match(self, text: str, at: int) -> Any:
            nonlocal looked_at
            found = self.pattern.match(text, at)
            looked_at += found.end() - at if found else len(text) - at
            return found

    looked_at = 0
    for name in ("_BLANKS", "_NAME", "_CHARACTERS", "_WORD"):
        monkeypatch.setattr(growing_json, name, Counting(getattr(growing_json, name)))
    text = json.dumps({"path": "a.py", "content": 'x = "1"\n' * 5000, "list": list(range(2000))})
    growing = fed(*(text[at : at + 4] for at in range(0, len(text), 4)))
    assert growing.value == json.loads(text)
    assert looked_at < 3 * len(text)
