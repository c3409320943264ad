"""Paths that ripgrep prints."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.coding.tools.search.paths import FirstPaths, PathStream, path_order, shown_path

_NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=6)


def read(pieces: list[bytes]) -> tuple[list[str], str | None]:
    taken: list[str] = []
    stream = PathStream(taken.extend)
    for piece in pieces:
        stream.feed(piece)
    return taken, stream.log


@given(st.lists(_NAMES, max_size=5), st.none() | st.text(st.characters(exclude_characters="\0\r")), st.data())
def test_paths_are_the_same_wherever_the_stream_is_cut(
    names: list[str], log: str | None, data: st.DataObject
) -> None:
    text = "".join(f"./{name}\0" for name in names) + ("" if log is None else f"\0{log}")
    whole = text.encode("utf-8", "replace")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert read(pieces) == (names, None if log is None else log.encode("utf-8", "replace").decode())


def test_names_that_are_not_utf8_stay_usable() -> None:
    assert read([b"./caf\xe9\0"]) == (["caf\udce9"], None)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("a/b c.txt", "a/b c.txt"),
        ("caf\udce9", "caf\ufffd"),
        ("n\nl", '"n\\nl"'),
        ("\x1b[2J", '"\\u001b[2J"'),
        ("\u00a0é\u202e", "\u00a0é\u202e"),
    ],
)
def test_how_a_path_is_shown(path: str, shown: str) -> None:
    assert shown_path(path) == shown


@given(
    st.lists(st.lists(st.sampled_from(["a", "a b", "b/c", "a/b", "a-b", "a/"])), max_size=6),
    st.integers(1, 4),
)
def test_the_first_paths_are_kept(groups: list[list[str]], limit: int) -> None:
    first = FirstPaths(limit)
    for group in groups:
        first.add(group)
    every = [path for group in groups for path in group]
    assert first.sorted() == sorted(every, key=path_order)[:limit]


def test_what_is_in_a_folder_comes_right_after_it() -> None:
    assert sorted(["a b", "a/x", "a-b", "a", "B"], key=path_order) == ["B", "a", "a/x", "a b", "a-b"]


def test_memory_does_not_grow_with_the_paths_that_are_not_kept() -> None:
    first = FirstPaths(3)
    tracemalloc.start()
    for start in range(600_000, 0, -1000):
        first.add(f"{'x' * 60}{number:07}" for number in range(start, start + 1000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert first.sorted() == [f"{'x' * 60}{number:07}" for number in (1000, 1001, 1002)]
    assert peak < 16_000_000
