"""Where words begin and end in a line."""

from __future__ import annotations

import string

from pi_term.tui.widgets.editor.graphemes import end_of, start_before

_PLAIN = string.ascii_letters + string.digits + "_"  # of words; passed over at once: some are very long


def word_start(line: str, column: int) -> int:
    """The start of the word at or before `column`: blanks are skipped, then one run of letters or signs."""
    while column > 0 and line[column - 1].isspace():
        column -= 1
    if column == 0:
        return 0
    kind = _kind(line[start_before(line, column)])
    if kind == "word":
        column = min(column, len(line[:column].rstrip(_PLAIN)) + 1)
    while column > 0:
        start = start_before(line, column)
        if _kind(line[start]) != kind:
            break
        column = start
        if kind == "block":
            break
    return column


def word_end(line: str, column: int) -> int:
    """The end of the word at or after `column`."""
    size = len(line)
    while column < size and line[column].isspace():
        column += 1
    if column == size:
        return size
    kind = _kind(line[column])
    if kind == "word":
        column = max(column, size - len(line[column:].lstrip(_PLAIN)) - 1)
    while column < size and _kind(line[column]) == kind:
        column = end_of(line, column)
        if kind == "block":
            break
    return column


def _kind(char: str) -> str:
    if "\ud800" <= char <= "\udfff":
        return "block"
    if char.isspace():
        return "blank"
    return "word" if char.isalnum() or char == "_" else "sign"
