"""Differences between an old and a new text, line by line, as edits tell them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from rich.segment import Segment

from pi_term.base.json import JsonObject
from pi_term.base.sanitize import sanitize
from pi_term.render.blocks.base import GUTTER
from pi_term.render.highlight import CodeLine, Highlighter, lexer_for_file
from pi_term.render.line import Line
from pi_term.render.margin import Margin
from pi_term.render.tools.code import code_runs, file_name
from pi_term.render.tools.panel import Panel, clipped

_LINE = re.compile(r"([+\- ])( *\d*) (.*)\Z", re.DOTALL)
_COLOURS = {"+": "toolDiffAdded", "-": "toolDiffRemoved"}
_MOST_EDITS = 200
_MOST_COLOURED = 300


class DiffLine(NamedTuple):
    """A line of a difference. `sign`: `+`, `-`, or a blank for what is the same (or left out)."""

    sign: str
    number: str
    text: str


def diff_from_text(text: str) -> list[DiffLine]:
    """The lines of a difference in Pi's form: a sign, a line number, the line."""
    lines: list[DiffLine] = []
    for line in sanitize(text).split("\n"):
        match = _LINE.match(line)
        lines.append(DiffLine(match[1], match[2].strip(), match[3]) if match else DiffLine(" ", "", line))
    return lines if text else []


def diff_from_args(args: JsonObject) -> list[DiffLine]:
    """What the arguments of an edit ask for, as far as they are known; line numbers are not."""
    lines: list[DiffLine] = []
    for edit in edits_of(args)[:_MOST_EDITS]:
        change = _change(_lines(edit.get("oldText")), _lines(edit.get("newText")))
        if lines and change:
            lines.append(DiffLine(" ", "", "…"))
        lines.extend(change)
    return lines


def edits_of(args: JsonObject) -> list[JsonObject]:
    """The edits among the arguments of a call: a list of them, or the arguments themselves."""
    edits = args.get("edits")
    if isinstance(edits, list):
        return [edit for edit in edits if isinstance(edit, dict)]
    return [args] if "oldText" in args or "newText" in args else []


def _lines(value: Any) -> list[str]:
    return sanitize(value).split("\n") if isinstance(value, str) and value else []


def _change(old: list[str], new: list[str]) -> list[DiffLine]:
    """Old and new lines, with what both begin and end with shown once."""
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    rest = min(len(old), len(new)) - start
    pairs = zip(reversed(old), reversed(new), strict=False)
    end = min(rest, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)))
    return [
        *(DiffLine(" ", "", line) for line in old[:start]),
        *(DiffLine("-", "", line) for line in old[start : len(old) - end]),
        *(DiffLine("+", "", line) for line in new[start : len(new) - end]),
        *(DiffLine(" ", "", line) for line in old[len(old) - end :]),
    ]


def diff_rows(diff: Sequence[DiffLine], path: str, panel: Panel) -> list[Line]:
    """The difference as rows: signs and numbers before the lines, these in the colours of their language."""
    digits = max((len(line.number) for line in diff), default=0)
    coloured = _coloured(diff, path)
    rows: list[Line] = []
    for line, code in zip(diff, coloured, strict=True):
        ground = f"{_COLOURS[line.sign]}Bg" if line.sign in _COLOURS else panel.ground
        token = _COLOURS.get(line.sign, "toolDiffContext")
        theme = panel.view.theme
        fill = theme.style(token, ground)
        mark = f"{' ' * GUTTER}{line.number:>{digits}}{' ' if digits else ''}{line.sign} "
        mark_segment = Segment(mark, theme.style(token, ground, bold=line.sign in _COLOURS or None))
        margin = _margin(mark_segment, panel.width, line.sign)
        runs = code_runs(code, panel, ground) if line.sign in _COLOURS else [(line.text, fill)]
        rows.extend(panel.rows(runs or [("", fill)], margin=margin, fill=fill))
    return rows


def _margin(mark: Segment, width: int, sign: str) -> Margin:
    margin = Margin.of_mark(mark, width)
    if not margin.cells:
        short = Segment(sign, mark.style)
        margin = Margin.of_mark(short, width)
    return Margin(margin.first, margin.rest, margin.cells, sign, sign)


def _coloured(diff: Sequence[DiffLine], path: str) -> list[CodeLine]:
    """The lines with colours: those of the new text in its context, those of the old in theirs.

    A very long difference gets none: it would take too long.
    """
    lexer = lexer_for_file(file_name(path)) if len(diff) <= _MOST_COLOURED else None
    new = _colours((line.text for line in diff if line.sign != "-"), lexer)
    old = _colours((line.text for line in diff if line.sign != "+"), lexer)
    coloured: list[CodeLine] = []
    new_at = old_at = 0
    for line in diff:
        coloured.append(old[old_at] if line.sign == "-" else new[new_at])
        new_at += line.sign != "-"
        old_at += line.sign != "+"
    return coloured


def _colours(lines: Iterable[str], lexer: Any) -> list[CodeLine]:
    highlighter = Highlighter(lexer)
    for line in lines:
        highlighter.push(clipped(line))
    return [*highlighter.done, *highlighter.tail()]
