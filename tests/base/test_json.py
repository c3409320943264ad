from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.base import json

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_round_trip(value: Any) -> None:
    assert json.loads(json.dumps(value)) == value


@pytest.mark.parametrize(
    "value", ["\ud83d", 2**80 + 1, {"a": "x\udc00y", "n": -(2**70) - 1}, ["\ud83d", 1.5, None]]
)
def test_what_the_fast_path_refuses_survives(value: Any) -> None:
    assert json.loads(json.dumps(value)) == value


def test_a_tree_a_hundred_thousand_levels_deep_is_written() -> None:
    tree: dict[str, Any] = {"leaf": "end"}
    for number in range(100_000):
        tree = {"n": number, "children": [tree]}
    data = json.dumps(tree)
    assert data.count(b'"children"') == 100_000
    assert data.startswith(b'{"n":99999,"children":[{"n":99998,')


@pytest.mark.parametrize("text", ["", "{", '{"a":}', "NaN", "[1,]", b"\xff\xfe", "1" * 5000])
def test_bad_text_is_a_json_error(text: str | bytes) -> None:
    with pytest.raises(json.JsonError):
        json.loads(text)


def test_too_deep_text_is_an_error_not_a_crash() -> None:
    with pytest.raises(json.JsonError):
        json.loads("[" * 200_000 + "]" * 200_000)
