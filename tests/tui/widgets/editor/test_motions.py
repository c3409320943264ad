"""Word movements."""

from __future__ import annotations

import pytest

from pi_term.tui.widgets.editor.motions import word_end, word_start


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("foo bar", [7, 4, 0]),
        ("foo  bar  ", [10, 5, 0]),
        ("a.b_c(d)", [8, 7, 6, 5, 2, 1, 0]),
        ("  x", [3, 2, 0]),
        ("naïve 你好", [8, 6, 0]),
        ("a\udc00\udc01b", [4, 3, 2, 1, 0]),
    ],
)
def test_word_starts_from_the_end(line: str, expected: list[int]) -> None:
    places = [len(line)]
    while places[-1]:
        places.append(word_start(line, places[-1]))
    assert places == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("foo bar", [0, 3, 7]),
        ("  foo, bar  ", [0, 5, 6, 10, 12]),
        ("e\u0301a-b", [0, 3, 4, 5]),
        ("a\udc00\udc01b", [0, 1, 2, 3, 4]),
    ],
)
def test_word_ends_from_the_start(line: str, expected: list[int]) -> None:
    places = [0]
    while places[-1] < len(line):
        places.append(word_end(line, places[-1]))
    assert places == expected
