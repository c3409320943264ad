"""Globs as `find` and `grep` know them, turned into regular expressions.

`*` and `?` stop at `/`; `**` between slashes stands for any number of folders; `{a,b}` may be nested, and one
of its alternatives empty; `[!a]` and `[^a]` leave out; a backslash takes the next character as it is. A glob
without a slash is compared with names, at any depth; one with a slash with paths, from the searched folder
on. A slash at its end asks for folders.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from pi_term.agent.tools import ToolError

Test: TypeAlias = Callable[[str], object]
"""Tells whether a path fits: then the result is true."""
MOST_ALTERNATIVES = 500
_ANY = "[^/]*"
_NAME = "[^/]+"
_FOLDERS = "[^/]+/"


@dataclass(frozen=True)
class Glob:
    """A glob. `smart_case`: without a capital letter in it, capitals do not matter.

    Using one that is not well formed raises `ToolError`.
    """

    text: str
    smart_case: bool = False

    def test(self, root: str) -> Test:
        """What tells whether the glob fits a path, which is relative to the folder `root`.

        Paths of folders end in a slash.
        """
        fits = self._pattern.fullmatch
        if self._is_absolute:
            begin = f"{root.rstrip('/')}/"
            return lambda path: fits(begin + path)
        return fits

    def names(self) -> list[str] | None:
        """Globs of literals and stars only, one of which fits the name of each file that this one fits.

        None if there are no such but `*`.
        """
        found = {_loosened(parts[-1]) for parts in self._alternatives}
        return None if "*" in found else sorted(found)

    def mentions(self, name: str) -> bool:
        """Whether a part of it is this very name."""
        return any(part.raw == name for parts in self._alternatives for part in parts)

    @cached_property
    def _body(self) -> str:
        text = self.text
        while text.startswith("./"):
            text = text[2:].lstrip("/")
        return text

    @property
    def _is_absolute(self) -> bool:
        return self._body.startswith("/")

    @cached_property
    def _has_slash(self) -> bool:
        return "/" in self._body.rstrip("/")

    @cached_property
    def _alternatives(self) -> list[list[_Part]]:
        body = self._body.rstrip("/") or "**"
        return [list(_parts(each)) for each in _Expansion(body).alternatives()]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        is_name = not (self._has_slash or self._is_absolute)
        if is_name and all(map(_is_ending, self._alternatives)):
            # The usual `*.py`, in a form that is found twice as fast.
            begin = ".*"
            alternatives = "|".join(
                "".join(map(_piece_pattern, each[0].pieces[1:])) for each in self._alternatives
            )
        else:
            begin = "(?:.*/)?(?=[^/])" if is_name else ""
            alternatives = "|".join(map(_path_pattern, self._alternatives))
        end = "/" if self._body.endswith("/") else "/?"
        ignores_case = self.smart_case and self.text == self.text.lower()
        flags = re.DOTALL | (re.IGNORECASE if ignores_case else 0)
        return re.compile(f"{begin}(?:{alternatives}){end}", flags)


class _Expansion:
    """A glob without its braces: all the globs that it is short for."""

    def __init__(self, glob: str) -> None:
        self._glob = glob
        self._at = 0

    def alternatives(self) -> list[str]:
        return list(dict.fromkeys(self._sequence(inside=False)))

    def _sequence(self, *, inside: bool) -> list[str]:
        """From here to the end, or to what ends an alternative within braces."""
        texts = [""]
        while self._at < len(self._glob):
            char = self._glob[self._at]
            if inside and char in ",}":
                break
            pieces = self._braces() if char == "{" else [self._piece()]
            texts = [text + piece for text in texts for piece in pieces]
            if len(texts) > MOST_ALTERNATIVES:
                raise _malformed(self._glob, f"its braces stand for over {MOST_ALTERNATIVES} globs")
        return texts

    def _braces(self) -> list[str]:
        found: list[str] = []
        while self._at < len(self._glob) and self._glob[self._at] != "}":
            self._at += 1
            found += self._sequence(inside=True)
        if self._at == len(self._glob):
            raise _malformed(self._glob, "a { is not closed")
        self._at += 1
        return found

    def _piece(self) -> str:
        start = self._at
        char = self._glob[start]
        self._at = _class_end(self._glob, start) if char == "[" else start + (2 if char == "\\" else 1)
        if self._at > len(self._glob):
            raise _malformed(self._glob, "nothing follows its last backslash")
        return self._glob[start : self._at]


@dataclass(frozen=True, slots=True)
class _Part:
    """What stands between two slashes: as written, and in pieces: stars and what one character long thing
    each stands for."""

    raw: str
    pieces: tuple[str, ...]


def _parts(glob: str) -> Iterator[_Part]:
    pieces: list[str] = []
    at = 0
    while at <= len(glob):
        char = glob[at : at + 1]
        if char in ("/", ""):
            yield _Part("".join(pieces), tuple(pieces))
            pieces = []
            at += 1
            continue
        end = _class_end(glob, at) if char == "[" else at + (2 if char == "\\" else 1)
        pieces.append(glob[at:end])
        at = end


def _class_end(glob: str, start: int) -> int:
    """The end of the character class that begins here. A `]` that comes first in it is a member."""
    first = start + 2 if glob[start + 1 : start + 2] in ("!", "^") else start + 1
    end = glob.find("]", first + 1)
    if end < 0:
        raise _malformed(glob, "a [ is not closed")
    return end + 1


def _malformed(glob: str, why: str) -> ToolError:
    return ToolError(f"Not a valid glob: {glob}: {why}.")


def _is_ending(parts: list[_Part]) -> bool:
    """Whether it is one star, and then something."""
    star, *rest = parts[0].pieces
    return len(parts) == 1 and star == "*" and bool(rest) and "*" not in rest


def _path_pattern(parts: list[_Part]) -> str:
    """Parts between two `**` are taken where they first fit; nothing is tried twice, so that no glob takes
    long."""
    runs: list[list[_Part]] = [[]]
    for part in parts:
        if part.raw != "**":
            runs[-1].append(part)
        elif runs[-1] or len(runs) == 1:
            runs.append([])
    first, *middle = ["/".join(map(_part_pattern, run)) for run in runs]
    if not middle:
        return first
    begin = f"{first}/" if runs[0] else ""
    *middle, last = middle
    between = "".join(f"(?>(?:{_FOLDERS})*?{run}/)" for run in middle)
    return f"{begin}{between}(?:{_FOLDERS})*{last or _NAME}"


def _part_pattern(part: _Part) -> str:
    fixed = [""]
    for piece in part.pieces:
        if piece != "*":
            fixed[-1] += _piece_pattern(piece)
        elif fixed[-1] or len(fixed) == 1:
            fixed.append("")
    if len(fixed) == 1:
        return fixed[0]
    if fixed == ["", ""]:
        return _NAME
    first, *middle, last = fixed
    return first + "".join(f"(?>[^/]*?{each})" for each in middle) + _ANY + last


def _piece_pattern(piece: str) -> str:
    if piece == "?":
        return "[^/]"
    if piece[0] == "[":
        return _class_pattern(piece)
    return re.escape(piece[-1])


def _class_pattern(piece: str) -> str:
    inner, negated = piece[1:-1], False
    if inner[0] in "!^" and len(inner) > 1:
        inner, negated = inner[1:], True
    members: list[str] = []
    at = 0
    while at < len(inner):
        if inner[at + 1 : at + 2] == "-" and at + 2 < len(inner):
            low, high = inner[at], inner[at + 2]
            if low > high:
                raise _malformed(piece, f"{low} comes after {high}")
            members.append(f"{re.escape(low)}-{re.escape(high)}")
            at += 3
        else:
            members.append(re.escape(inner[at]))
            at += 1
    return f"(?!/)[{'^' if negated else ''}{''.join(members)}]"


def _loosened(part: _Part) -> str:
    """The part with stars for all that is not literal, in a way that every glob library reads alike."""
    loose = ""
    for piece in part.pieces:
        char = piece[-1]
        if piece in ("*", "?") or piece[0] == "[" or char in ":!":
            loose += "" if loose.endswith("*") else "*"
        else:
            loose += f"[{char}]" if char in "*?[{}\\," else char
    return loose
