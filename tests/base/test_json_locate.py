from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.base.json import JsonError
from pi_term.base.json_locate import (
    error_position,
    loads_lenient,
    locate,
    parse_json_file,
    plain_json,
    read_json_file,
    spans,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)

COMMENTED = """\
// what I like
{
  "theme": "dark", /* not
  light */ "url": "http://x//y",
  "list": [1, {"a": "b,]"},],
}
"""


def test_comments_and_trailing_commas_are_accepted_and_strings_left_alone() -> None:
    expected = {"theme": "dark", "url": "http://x//y", "list": [1, {"a": "b,]"}]}
    assert loads_lenient(COMMENTED) == expected
    assert len(plain_json(COMMENTED)) == len(COMMENTED)
    assert plain_json(COMMENTED).count("\n") == COMMENTED.count("\n")


def test_locate_gives_the_line_of_the_key() -> None:
    assert locate(COMMENTED, ()) == 2
    assert locate(COMMENTED, ("theme",)) == 3
    assert locate(COMMENTED, ("url",)) == 4
    assert locate(COMMENTED, ("list", 1, "a")) == 5
    assert locate(COMMENTED, ("list", 2)) is None
    assert locate(COMMENTED, ("nothing",)) is None


def test_of_a_repeated_key_the_last_counts() -> None:
    text = '{"a": {"x": 1},\n "a": {"y": 2}}'
    assert locate(text, ("a",)) == 2
    assert locate(text, ("a", "x")) is None
    assert locate(text, ("a", "y")) == 2


def test_error_position_points_at_the_fault() -> None:
    text = '{\n  // note\n  "a": 1\n  "b": 2\n}'
    with pytest.raises(JsonError) as caught:
        loads_lenient(text)
    assert error_position(text, caught.value) == (4, 3)


@pytest.mark.parametrize(
    "text", ["", "}", "{]", '{"a": [1, 2', '{"\\q": 1}', "{1: 2}", "[1,,2]", '"open', "{{{"]
)
def test_malformed_text_is_survived(text: str) -> None:
    spans(text)


@given(JSON, st.sampled_from([None, 1, "\t"]))
@settings(max_examples=80, deadline=None)
def test_each_span_holds_its_value(value: Any, indent: int | str | None) -> None:
    text = json.dumps(value, indent=indent)
    found = spans(text)
    for path, span in found.items():
        expected = value
        for part in path:
            expected = expected[part]
        assert json.loads(text[span.start : span.end]) == expected


def test_a_file_with_a_byte_order_mark_loads(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}')
    file = read_json_file(path)
    assert (file.data, file.broken) == ({"a": 1}, False)


def test_a_missing_or_blank_file_is_an_empty_object(tmp_path: Path) -> None:
    assert not read_json_file(tmp_path / "none.json").broken
    assert not read_json_file(tmp_path / "none" / "none.json").broken
    assert parse_json_file(tmp_path, " \n").data == {}


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        (b'{\n "a": 1,\n "b" 2\n}', 3, "not valid JSON"),
        (b"[1]", 1, "must hold a JSON object"),
        (b'{"a": "\xff"}', None, "not UTF-8"),
        (b"{" * 100_000, 1, "not valid JSON"),
    ],
)
def test_a_broken_file_says_where(tmp_path: Path, content: bytes, line: int | None, says: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    file = read_json_file(path)
    assert file.broken
    assert file.data == {}
    assert file.problem is not None
    assert file.problem.line == line
    assert says in file.problem.text()
    assert str(path) in file.problem.text()


def test_an_unreadable_file_is_broken_not_missing(tmp_path: Path) -> None:
    assert read_json_file(tmp_path).broken


def test_a_diagnostic_names_file_line_and_key(tmp_path: Path) -> None:
    file = parse_json_file(tmp_path / "s.json", '{\n"retry": {\n"maxRetries": "x"}}')
    found = file.diagnostic(("retry", "maxRetries"), "must be a number")
    assert (found.line, found.key, found.severity) == (3, "retry.maxRetries", "warning")


def test_values_are_found_by_their_path() -> None:
    file = parse_json_file(None, '{"a": {"b": 0}, "c": 1}')
    assert file.value(("a", "b")) == 0
    assert file.value(("c", "b")) is None
    assert file.value(("x", "b")) is None
