"""A difference, line by line: as edits tell it when they are done, or as their arguments ask for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Literal, NamedTuple, TypeAlias

from pi_term.base.json import JsonObject
from pi_term.base.sanitize import sanitize
from pi_term.render.tools.output import first_lines
from pi_term.render.tools.panel import LONGEST_LINE, clipped

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


_GAP = DiffLine("~")


class Diff(NamedTuple):
    """The first lines of a difference, how many follow, and how many lines are added and removed in all."""

    lines: list[DiffLine]
    hidden: int
    added: int
    removed: int


def diff_of_text(text: str, most: int) -> Diff:
    """A difference in Pi's form: a sign, a line number, the line. At most `most` lines are looked at.

    The one number on each line is that of the new text for added lines, else the old one.
    """
    raw, hidden = first_lines(text, most)
    lines: list[DiffLine] = []
    grown = 0  # how far numbers of the new text are ahead of those of the old one
    following = 1  # the number of the next old line
    for line in sanitize("\n".join(raw)).split("\n") if raw else ():
        match = _LINE.match(line)
        if match is None or not match[2].strip():
            is_gap = match is not None and match[1] == " " and match[3] == _LEFT_OUT
            lines.append(_GAP if is_gap else DiffLine(" ", clipped(line)))
            continue
        sign, number = match[1], int(match[2])
        said = match[3] if len(line) <= LONGEST_LINE else clipped(match[3])
        old = number - grown if sign == "+" else number
        if lines and lines[-1] is _GAP and old > following:
            lines[-1] = DiffLine("~", left_out=old - following)
        if sign == "+":
            lines.append(DiffLine("+", said, None, number))
            grown += 1
            continue
        following = number + 1
        lines.append(
            DiffLine("-", said, number) if sign == "-" else DiffLine(" ", said, number, number + grown)
        )
        grown -= sign == "-"
    added = text.count("\n+") + text.startswith("+")
    return Diff(lines, hidden, added, text.count("\n-") + text.startswith("-"))


def diff_of_args(args: JsonObject) -> Diff:
    """What the arguments of an edit ask for, as far as they are known; line numbers are not."""
    lines: list[DiffLine] = []
    for edit in edits_of(args)[:_MOST_EDITS]:
        change = _change(_lines(edit.get("oldText")), _lines(edit.get("newText")))
        if lines and change:
            lines.append(_GAP)
        lines.extend(change)
    added = sum(line.sign == "+" for line in lines)
    return Diff(lines, 0, added, sum(line.sign == "-" for line in lines))


def folded(diff: Diff, context: int) -> Diff:
    """The difference with no more than `context` lines that are the same before and after each change."""
    changed = [at for at, line in enumerate(diff.lines) if line.sign in "+-"]
    if not changed:
        return diff
    kept = {near for at in changed for near in range(at - context, at + context + 1)}
    lines: list[DiffLine] = []
    for at, line in enumerate(diff.lines):
        if line.sign in "+-" or (line.sign == " " and at in kept):
            lines.append(line)
            continue
        count = 1 if line.sign == " " else line.left_out
        if lines and lines[-1].sign == "~":
            before = lines.pop().left_out
            count = None if before is None or count is None else before + count
        lines.append(DiffLine("~", left_out=count))
    return diff._replace(lines=lines)


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
