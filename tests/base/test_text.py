from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.base.text import encode, fenced, shortened, without_surrogates


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("plain", "plain"),
        ("é \U0001f600", "é \U0001f600"),
        ("a\ud83db\udc00", "a\ufffdb\ufffd"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\ud83d\n\ude00", "\ufffd\n\ufffd"),
    ],
)
def test_halves_of_characters_are_replaced_or_joined(text: str, mended: str) -> None:
    assert without_surrogates(text) == mended


@given(st.text(st.characters(categories=("L", "Cs", "Zs"))))
def test_the_outcome_can_always_be_encoded(text: str) -> None:
    assert encode(text).decode("utf-8") == without_surrogates(text)


def test_long_text_is_cut_with_an_ellipsis() -> None:
    assert shortened("abcde", 5) == "abcde"
    assert shortened("abcdef", 5) == "abcd…"


@given(st.text("`a\n"))
def test_nothing_in_a_fence_ends_it(text: str) -> None:
    first, *inside, last = fenced(text).split("\n")
    assert first == last
    assert not any(first in line for line in inside)
    assert "\n".join(inside) == text
