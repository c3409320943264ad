"""Arguments of any shape as lines."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.render.tools.arguments import argument_lines, compact


def shown(args: dict[str, Any], most: int = 100) -> list[str]:
    lines, more = argument_lines(args, most)
    texts = [f"{'  ' * level}{label}{' ' if label and value else ''}{value}" for level, label, value in lines]
    return [*texts, "…"] if more else texts


def test_names_values_and_nesting() -> None:
    args = {
        "query": "open issues",
        "filter": {"labels": ["bug", {"name": "x"}], "since": None},
        "limit": 25,
        "draft": False,
        "none": [],
    }
    assert shown(args) == [
        "query: open issues",
        "filter:",
        "  labels:",
        "    - bug",
        "    -",
        "      name: x",
        "  since: null",
        "limit: 25",
        "draft: false",
        "none: []",
    ]


def test_strings_that_look_like_something_else_are_quoted() -> None:
    values = ["42", "true", "", " a", "[x]", '"q"']
    assert shown({"v": values})[1:] == [
        '  - "42"',
        '  - "true"',
        '  - ""',
        '  - " a"',
        '  - "[x]"',
        '  - "\\"q\\""',
    ]


def test_texts_of_many_lines_are_laid_out() -> None:
    assert shown({"body": "one\n\ttwo\x1b[2J\nthree"}) == ["body: |", "  one", "  \ttwo", "  three"]
    assert shown({"body": "x\n" * 1000}, most=500)[-1] == "  …800 more lines"


def test_there_is_an_end_to_it() -> None:
    assert shown({str(n): n for n in range(1000)}, most=3) == ["0: 0", "1: 1", "2: 2", "…"]
    assert len(shown({"a": "x" * 1_000_000})[0]) < 3000


def test_deep_nesting_is_survived() -> None:
    value: Any = []
    for _ in range(50_000):
        value = [value]
    assert len(shown({"deep": value})) < 20
    assert compact(value, 10) == "[[[[[[[[[[…"
    assert argument_lines({"deep": value}, 3)[1]


class Endless(list[Any]):
    """A list that must not be read to its end."""

    def __iter__(self) -> Any:
        yield from range(10_000)
        raise AssertionError("too far")


def test_what_is_not_shown_costs_nothing() -> None:
    assert compact(Endless(), 20) == "[0, 1, 2, 3, 4, 5, 6…"
    assert shown({"a": Endless([0])}, most=3) == ["a:", "  - 0", "  - 1", "…"]


@pytest.mark.parametrize(
    ("value", "text"),
    [({"a": [1, "x"], "b": {}}, '{"a": [1, "x"], "b": {}}'), (1.5, "1.5"), (None, "null"), ([], "[]")],
)
def test_compact(value: Any, text: str) -> None:
    assert compact(value, 100) == text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=15,
)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4))
def test_any_arguments(args: dict[str, Any]) -> None:
    for _, label, value in argument_lines(args, 30)[0]:
        assert not any(char in label + value for char in "\n\x1b\x07")
