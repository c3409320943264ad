"""Cutting text to lines and bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.coding.tools.truncate import Truncation, format_size, truncate_head, truncate_tail

TEXTS = st.text(st.sampled_from("ab\n\n é中😀\ud800"), max_size=60)
LIMITS = st.integers(1, 12)


def lines_of(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def size_of(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


@given(TEXTS, LIMITS, st.integers(1, 40))
def test_a_head_is_as_many_whole_first_lines_as_fit(text: str, max_lines: int, max_bytes: int) -> None:
    cut = truncate_head(text, max_lines, max_bytes)
    check_totals(cut, text, max_lines, max_bytes)
    if cut.truncated:
        lines = lines_of(text)
        kept = cut.output_lines
        assert cut.content == "\n".join(lines[:kept])
        assert cut.first_line_exceeds_limit == (size_of(lines[0]) > max_bytes)
        if kept < min(len(lines), max_lines):
            assert size_of("\n".join(lines[: kept + 1])) > max_bytes


@given(TEXTS, LIMITS, st.integers(1, 40))
def test_a_tail_is_as_many_whole_last_lines_as_fit(text: str, max_lines: int, max_bytes: int) -> None:
    cut = truncate_tail(text, max_lines, max_bytes)
    check_totals(cut, text, max_lines, max_bytes)
    if cut.truncated:
        lines = lines_of(text)
        kept = cut.output_lines
        assert cut.last_line_partial == (size_of(lines[-1]) > max_bytes)
        if cut.last_line_partial:
            assert lines[-1].endswith(cut.content)
            assert size_of(cut.content) > max_bytes - 4
        else:
            assert cut.content == "\n".join(lines[len(lines) - kept :])
            if kept < min(len(lines), max_lines):
                assert size_of("\n".join(lines[len(lines) - kept - 1 :])) > max_bytes


def check_totals(cut: Truncation, text: str, max_lines: int, max_bytes: int) -> None:
    fits = len(lines_of(text)) <= max_lines and size_of(text) <= max_bytes
    assert cut.truncated is not fits
    assert cut.total_lines == len(lines_of(text))
    assert cut.total_bytes == size_of(text)
    assert cut.output_bytes == size_of(cut.content) <= max_bytes
    assert cut.output_lines <= max_lines
    if fits:
        assert cut.content == text
        assert cut.truncated_by is None


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0B"),
        (1023, "1023B"),
        (60000, "58.6KB"),
        (51200, "50.0KB"),
        (1572864, "1.5MB"),
        (1024**3, "1.0GB"),
    ],
)
def test_sizes_for_people(count: int, shown: str) -> None:
    assert format_size(count) == shown
