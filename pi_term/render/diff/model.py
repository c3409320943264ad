"""A difference, line by line: as edits tell it when they are done, or as their arguments ask for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Literal, NamedTuple, TypeAlias

from pi_term.base.json import JsonObject
from pi_term.base.sanitize import sanitize
from pi_term.render.tools.output import first_lines
from pi_term.render.tools.panel import clipped

Sign: TypeAlias = Literal["+", "-", " ", "~"]

_LINE = re.compile(r"([+\- ])( *\d*) (.*)\Z", re.DOTALL)
_LEFT_OUT = "..."
_MOST_EDITS = 200
_MOST_COMPARED = 10_000
"""Old times new lines that are compared: what takes a few milliseconds."""


class DiffLine(NamedTuple):
    """A line of a difference.

    `sign`: added, removed, the same, or `~` where lines that are the same are left out; then `left_out` is
    how many, None if that is not known. `old` and `new` are the line's numbers in both texts, from 1, where
    it is in them and the number is known.
    """

    sign: Sign
    text: str = ""
    old: int | None = None
    new: int | None = None
    left_out: int | None = None


class Diff(NamedTuple):
    """The first lines of a difference, how many follow, and how many lines are added and removed in all."""

    lines: list[DiffLine]
    hidden: int
    added: int
    removed: int


def diff_of_text(text: str, most: int) -> Diff:
    """A difference in Pi's form: a sign, a line number, the line. At most `most` lines are looked at."""
    raw, hidden = first_lines(text, most)
    reader = _Reader()
    for line in sanitize("\n".join(raw)).split("\n") if raw else ():
        reader.read(line)
    added = text.count("\n+") + text.startswith("+")
    removed = text.count("\n-") + text.startswith("-")
    return Diff(reader.lines, hidden, added, removed)


class _Reader:
    """Reads Pi's form, which has one number on each line: that of the new text for added lines, else the
    old one."""

    def __init__(self) -> None:
        self.lines: list[DiffLine] = []
        self._grown = 0
        self._next = 1
        self._gap: int | None = None

    def read(self, line: str) -> None:
        match = _LINE.match(line)
        number = int(match[2]) if match and match[2].strip() else None
        if match is None or number is None:
            is_gap = match is not None and match[1] == " " and match[3] == _LEFT_OUT
            if is_gap:
                self._gap = len(self.lines)
            self.lines.append(DiffLine("~") if is_gap else DiffLine(" ", clipped(line)))
            return
        text = clipped(match[3])
        if match[1] == "+":
            self.lines.append(DiffLine("+", text, new=number))
            self._close_gap(number - self._grown)
            self._grown += 1
            return
        self._close_gap(number)
        self._next = number + 1
        if match[1] == "-":
            self.lines.append(DiffLine("-", text, old=number))
            self._grown -= 1
        else:
            self.lines.append(DiffLine(" ", text, old=number, new=number + self._grown))

    def _close_gap(self, number: int) -> None:
        """The first line after a gap, by its old number, tells how long the gap was."""
        if self._gap is not None and number > self._next:
            self.lines[self._gap] = DiffLine("~", left_out=number - self._next)
        self._gap = None


def diff_of_args(args: JsonObject) -> Diff:
    """What the arguments of an edit ask for, as far as they are known; line numbers are not."""
    lines: list[DiffLine] = []
    for edit in edits_of(args)[:_MOST_EDITS]:
        change = _change(_lines(edit.get("oldText")), _lines(edit.get("newText")))
        if lines and change:
            lines.append(DiffLine("~"))
        lines.extend(change)
    added = sum(line.sign == "+" for line in lines)
    return Diff(lines, 0, added, sum(line.sign == "-" for line in lines))


def edits_of(args: JsonObject) -> list[JsonObject]:
    """The edits among the arguments of a call: a list of them, one alone, or the arguments themselves."""
    edits = args.get("edits")
    if isinstance(edits, dict):
        return [edits]
    if isinstance(edits, list):
        return [edit for edit in edits if isinstance(edit, dict)]
    return [args] if "oldText" in args or "newText" in args else []


def _lines(value: Any) -> list[str]:
    if not isinstance(value, str) or not value:
        return []
    return [clipped(line) for line in sanitize(value).split("\n")]


def _change(old: list[str], new: list[str]) -> list[DiffLine]:
    """Old and new lines, with what both have shown once."""
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    rest = min(len(old), len(new)) - start
    pairs = zip(reversed(old), reversed(new), strict=False)
    end = min(rest, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)))
    return [
        *(DiffLine(" ", line) for line in old[:start]),
        *_compared(old[start : len(old) - end], new[start : len(new) - end]),
        *(DiffLine(" ", line) for line in old[len(old) - end :]),
    ]


def _compared(old: Sequence[str], new: Sequence[str]) -> list[DiffLine]:
    if len(old) * len(new) > _MOST_COMPARED:
        return [*(DiffLine("-", line) for line in old), *(DiffLine("+", line) for line in new)]
    from pi_term.coding.tools.edit.align import aligned

    lines: list[DiffLine] = []
    for span in aligned(old, new):
        if span.same:
            lines += [DiffLine(" ", line) for line in old[span.old_start : span.old_end]]
        else:
            lines += [DiffLine("-", line) for line in old[span.old_start : span.old_end]]
            lines += [DiffLine("+", line) for line in new[span.new_start : span.new_end]]
    return lines
