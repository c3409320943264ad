"""Lines out of a stream: the same as out of the whole text, however it is cut into chunks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from hypothesis import given
from hypothesis import strategies as st

from pi_term.coding.tools.excerpt import take_excerpt


async def cut(data: bytes, size: int) -> AsyncIterator[bytes]:
    """The data, a few bytes at a time."""
    for start in range(0, len(data), size):
        yield data[start : start + size]


@given(
    st.lists(st.sampled_from([b"", b"a", b"bcd", b"\xc3\xa9"]), max_size=12).map(b"\n".join),
    st.integers(1, 14),
    st.none() | st.integers(1, 14),
    st.integers(1, 7),
)
def test_an_excerpt_is_a_slice_of_the_lines(data: bytes, first: int, limit: int | None, size: int) -> None:
    found = asyncio.run(take_excerpt(cut(data, size), first, limit, lambda: None))
    lines = data.split(b"\n")
    wanted = lines[first - 1 :][:limit]
    assert found.total_lines == len(lines)
    assert found.counted_all
    assert found.is_past_end == (first > len(lines))
    assert found.window == b"\n".join(wanted)
    assert found.size == len(found.window)
    if wanted:
        ended = wanted[-1] == b"" and first - 1 + len(wanted) == len(lines)
        assert found.lines == len(wanted) - ended
        assert found.first_line_size == len(wanted[0])
