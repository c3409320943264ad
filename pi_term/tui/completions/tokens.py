"""The word at the cursor that a file name would complete, and how a name is written into a prompt."""

from __future__ import annotations

import re
from typing import NamedTuple

_LONGEST = 4000  # characters of a line that are looked at
# A mention begins a word. In quotes it may hold blanks.
_QUOTED = re.compile(r'(?:^|(?<=[\s"\'(\[{=,;:<]))(@?)"([^"]*)\Z')
_MENTION = re.compile(r"(?:^|(?<=[\s\"'(\[{=,;:<]))(@)([^\s\"']*)\Z")
_PLAIN = re.compile(r"(?:^|(?<=[\s\"'(\[{=,;:<]))()([^\s\"']*)\Z")
_NEEDS_QUOTES = re.compile(r"[\s\"'(){}<>,;:=]|\[")


class Word(NamedTuple):
    """The word from `start` to the cursor; `name` is what it says without `@` and quotes."""

    start: int
    name: str
    mention: bool
    quoted: bool


def word_at(text: str, cursor: int) -> Word:
    """The word before the cursor, empty where there is none."""
    left = max(cursor - _LONGEST, 0)
    typed = text[left:cursor]
    quoted = _QUOTED.search(typed)
    if quoted is not None and typed.count('"', 0, quoted.start(2)) % 2 == 1:
        return Word(left + quoted.start(1), quoted[2], bool(quoted[1]), True)
    plain = _MENTION.search(typed) or _PLAIN.search(typed)
    if plain is None:
        return Word(cursor, "", False, False)
    return Word(left + plain.start(1), plain[2], bool(plain[1]), False)


def mention_at(text: str, cursor: int) -> Word | None:
    """The `@` mention that is being written at the cursor."""
    word = word_at(text, cursor)
    return word if word.mention else None


def written(name: str, *, mention: bool, quoted: bool, is_folder: bool) -> str:
    """`name` as it stands in a prompt, in quotes where it would else fall apart.

    That of a folder stays open, so that it can be gone on with.
    """
    mark = "@" if mention else ""
    if quoted or _NEEDS_QUOTES.search(name):
        return f'{mark}"{name}' + ("" if is_folder else '"')
    return mark + name


def mentions_in(text: str) -> list[str]:
    """The names that a prompt mentions, in their order."""
    found = re.findall(r'(?:^|(?<=\s))@(?:"([^"\n]+)"|([^\s"]+))', text)
    return [quoted or plain for quoted, plain in found]
