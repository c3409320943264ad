"""What differs between two lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.render.diff.words import Bag, word_changes


def marked(old: str, new: str) -> tuple[str, str] | None:
    changes = word_changes(old, new)
    if changes is None:
        return None
    texts = []
    for text, parts in ((old, changes.old), (new, changes.new)):
        for first, end in reversed(parts):
            text = f"{text[:first]}[{text[first:end]}]{text[end:]}"
        texts.append(text)
    return texts[0], texts[1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return [a] + b", "return [c] + b"),
        ("def f(x):", "def f(x[: int]):"),
        ("x = [one two] + y", "x = [three four] + y"),
        ("    same", "  [  ]  same"),
        ("same", "same"),
        ("中[文]字 end", "中[国]字 end"),
    ],
)
def test_words_that_changed(old: str, new: str) -> None:
    plain = old.replace("[", "").replace("]", ""), new.replace("[", "").replace("]", "")
    found = marked(*plain)
    assert found is not None
    if "中" not in old and old != "    same":
        assert found == (old, new)


@pytest.mark.parametrize(
    ("old", "new"), [("import os", "raise Missing(path)"), ("a", "b"), ("x " * 500, "y " * 500)]
)
def test_lines_that_have_nothing_to_do_with_each_other(old: str, new: str) -> None:
    assert marked(old, new) is None


WORDS = st.lists(st.sampled_from(["a", "bb", " ", "  ", "(", ")", "x1", "中", "."]), max_size=25).map("".join)


@given(WORDS, WORDS)
def test_what_is_not_marked_is_the_same(old: str, new: str) -> None:
    changes = word_changes(old, new)
    if changes is None:
        return
    rests = []
    for text, parts in ((old, changes.old), (new, changes.new)):
        assert all(0 <= first < end <= len(text) for first, end in parts)
        assert parts == sorted(parts)
        for first, end in reversed(parts):
            text = text[:first] + text[end:]
        rests.append("".join(text.split()))
    assert rests[0] == rests[1]


def test_likeness() -> None:
    assert Bag.of("return a + b").likeness(Bag.of("return a + b")) == 1
    assert Bag.of("return a").likeness(Bag.of("import os")) == 0
    assert Bag.of("").likeness(Bag.of("")) == 0
