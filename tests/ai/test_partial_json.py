from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.partial_json import PartialArguments


def fed(*pieces: str) -> PartialArguments:
    arguments = PartialArguments()
    for piece in pieces:
        arguments.feed(piece)
    return arguments


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"path": "src/ma', {"path": "src/ma"}),
        ('{"path": "a", "lim', {"path": "a"}),
        ('{"n": 12', {"n": 12}),
        ('{"a": {"b": [1, 2', {"a": {"b": [1, 2]}}),
        ('{"a": "x\\ud83d', {"a": "x"}),
        ('{"a": "x\\ud83d\\', {"a": "x"}),
        ('{"a": "x\\ud83d\\ude', {"a": "x"}),
        ("", {}),
        ("[1, 2", {}),
        ("no json", {}),
    ],
)
def test_shows_what_can_be_read_so_far(text: str, shown: dict[str, object]) -> None:
    arguments = fed(text)
    assert arguments.value == shown
    assert arguments.text == text


@pytest.mark.parametrize(
    "text", ['{"path": "a.py", "content": "print(', "[1]", '"x"', "{broken", "{} {}", "null"]
)
def test_what_is_no_whole_object_is_never_run(text: str) -> None:
    assert fed(text).finish() is None


@pytest.mark.parametrize("text", ["", "  ", "{}"])
def test_no_arguments_are_no_error(text: str) -> None:
    assert fed(text).finish() == {}


def test_odd_but_legal_json_is_kept() -> None:
    assert fed('{"n": 123456789012345678901234567890, "s": "\\ud800"}').finish() == {
        "n": 123456789012345678901234567890,
        "s": "\ud800",
    }


def test_later_nonsense_leaves_the_last_readable_object_on_show() -> None:
    arguments = fed('{"a": 1', "\x00\x00 garbage")
    assert arguments.value == {"a": 1}
    assert arguments.finish() is None


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=100)
@given(
    value=st.dictionaries(st.text(max_size=6), _VALUES, max_size=4),
    cuts=st.lists(st.integers(0, 400), max_size=9),
)
def test_any_cutting_gives_the_same_arguments(value: dict[str, object], cuts: list[int]) -> None:
    text = json.dumps(value)
    edges = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    arguments = fed(*(text[a:b] for a, b in itertools.pairwise(edges)))
    assert arguments.finish() == value
    assert arguments.value == value


def test_every_piece_can_be_seen_at_once() -> None:
    arguments, said = PartialArguments(), ""
    arguments.feed('{"path": "a.py", "content": "')
    for number in range(500):
        arguments.feed(f"line {number}\\n")
        said += f"line {number}\n"
        assert arguments.value == {"path": "a.py", "content": said}


def test_the_object_is_always_the_same_one() -> None:
    arguments = PartialArguments()
    first = arguments.feed('{"edits": [{"oldText": "a')
    assert arguments.feed('b", "newText": "c"}], "n": 1') is first
    assert first == {"edits": [{"oldText": "ab", "newText": "c"}], "n": 1}
    assert arguments.feed("2}") == {"edits": [{"oldText": "ab", "newText": "c"}], "n": 12}
