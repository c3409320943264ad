from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.base.sanitize import sanitize, sanitize_keep_sgr, sanitize_line

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@pytest.mark.parametrize(
    ("attack", "left"),
    [
        ("a\x1b]52;c;aGk=\x07b", "ab"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]8;;http://x\x1b\\link", "alink"),
        ("a\x1b[2Jb", "ab"),
        ("a\x1b[6nb", "ab"),
        ("a\x1bcb", "ab"),
        ("a\x1bPq#0;2\x1b\\b", "ab"),
        ("a\x1b]unterminated\nnext line", "aunterminated\nnext line"),
        ("a\x9b2Jb", "ab"),
        ("a\x9d0;t\x9cb", "ab"),
        ("a\rb\x08c\x07", "abc"),
        ("one\r\ntwo", "one\ntwo"),
        ("\u202eevil\u2066", "evil"),
        ("\ud800", "\ufffd"),
    ],
)
def test_nothing_acts_and_the_text_stays(attack: str, left: str) -> None:
    """B-052: sequences vanish whole, the visible text around them is complete."""
    assert sanitize(attack) == left


@given(st.text(st.characters(codec=None) | st.sampled_from("\x1b[]\x9b\x9dPm;0123\x07\\\n"), max_size=60))
def test_no_control_byte_is_left(text: str) -> None:
    assert not _UNSAFE.search(sanitize(text))
    assert not _UNSAFE.search(re.sub(r"\x1b\[[0-9;:]*m", "", sanitize_keep_sgr(text)))


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]) | st.just("\n") | st.just("\t")))
def test_plain_text_is_untouched(text: str) -> None:
    assert sanitize(text) == text


def test_colours_may_stay() -> None:
    assert sanitize_keep_sgr("\x1b[31mred\x1b[0m\x1b[2J") == "\x1b[31mred\x1b[0m"


def test_a_line_is_one_line() -> None:
    assert sanitize_line("a\n\tb\x1b[2J") == "a  b"
