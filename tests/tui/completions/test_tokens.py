"""The word at the cursor, and names as they are written into a prompt."""

from __future__ import annotations

import pytest

from pi_term.tui.completions.tokens import Word, mention_at, mentions_in, word_at, written


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("@", Word(0, "", True, False)),
        ("see @src/a", Word(4, "src/a", True, False)),
        ("(@a", Word(1, "a", True, False)),
        ('see @"my do', Word(4, "my do", True, True)),
        ("@[id", Word(0, "[id", True, False)),
    ],
)
def test_a_mention_begins_a_word(text: str, word: Word) -> None:
    assert mention_at(text, len(text)) == word


@pytest.mark.parametrize("text", ["", "a@b", "see @a and", '"quoted" word', "x@"])
def test_anything_else_is_none(text: str) -> None:
    assert mention_at(text, len(text)) is None


def test_only_what_stands_before_the_cursor_counts() -> None:
    assert mention_at("@abc def", 3) == Word(0, "ab", True, False)


def test_a_word_for_tab() -> None:
    assert word_at("cat src/ma", 10) == Word(4, "src/ma", False, False)
    assert word_at('cat "my do', 10) == Word(4, "my do", False, True)
    assert word_at('"a b" c', 7) == Word(6, "c", False, False)


def test_names_that_would_fall_apart_are_quoted() -> None:
    assert written("src/a.py", mention=True, quoted=False, is_folder=False) == "@src/a.py"
    assert written("a b.txt", mention=True, quoted=False, is_folder=False) == '@"a b.txt"'
    assert written("my docs/", mention=True, quoted=False, is_folder=True) == '@"my docs/'
    assert written("app/[id]/p.tsx", mention=False, quoted=False, is_folder=False) == '"app/[id]/p.tsx"'


def test_mentions_of_a_prompt() -> None:
    assert mentions_in('@a.py and @"b c.py", not x@y') == ["a.py", "b c.py"]
