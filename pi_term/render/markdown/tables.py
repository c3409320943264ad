"""The syntax of GFM tables: the line under the head, and the cells of a row."""

from __future__ import annotations

import re

from pi_term.render.markdown.leaf import Align

_DELIMITERS = re.compile(r"[|:\-][|:\- \t]*\Z")
_COLUMN = re.compile(r":?-+:?\Z")
_PIPE = re.compile(r"\\\||\|")


def table_aligns(line: str) -> tuple[Align, ...]:
    """The columns that the line under a table's head describes; none if it is not such a line."""
    if not _DELIMITERS.match(line) or line[:2] in ("- ", "-\t"):
        return ()
    parts = [part.strip(" \t") for part in line.split("|")]
    inner = [part for index, part in enumerate(parts) if part or 0 < index < len(parts) - 1]
    if not inner or not all(_COLUMN.match(part) for part in inner):
        return ()
    return tuple(_align(part) for part in inner)


def _align(column: str) -> Align:
    if column.endswith(":"):
        return "center" if column.startswith(":") else "right"
    return "left"


def table_cells(line: str) -> list[str]:
    """The texts of a row's cells; an escaped pipe is part of its cell."""
    cells: list[str] = []
    start = 0
    text = line.strip(" \t")
    for match in _PIPE.finditer(text):
        if match[0] == "|":
            cells.append(text[start : match.start()])
            start = match.end()
    cells.append(text[start:])
    if cells and not cells[0]:
        cells.pop(0)
    if cells and not cells[-1]:
        cells.pop()
    return [cell.replace("\\|", "|").strip(" \t") for cell in cells]
