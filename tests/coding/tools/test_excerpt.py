"""Lines out of a stream: the same as out of the whole text, however it is cut into chunks."""

from __future__ import annotations

import io
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pi_term.coding.tools.excerpt import take_excerpt


class _Chunks(io.RawIOBase):
    """A source that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data = io.BytesIO(data)
        self._size = size

    def read(self, count: int = -1) -> bytes:
        return self._data.read(self._size)


@given(
    st.lists(st.sampled_from([b"", b"a", b"bcd", b"\xc3\xa9"]), max_size=12).map(b"\n".join),
    st.integers(1, 14),
    st.none() | st.integers(1, 14),
    st.integers(1, 7),
)
def test_an_excerpt_is_a_slice_of_the_lines(data: bytes, first: int, limit: int | None, size: int) -> None:
    source: Any = _Chunks(data, size)
    found = take_excerpt(source, first, limit, lambda: None)
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
