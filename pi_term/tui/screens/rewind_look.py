"""How a restore of files is told: a file in a row, all of it as a preview."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.render.line import EMPTY_LINE, Line
from pi_term.render.theme import Theme
from pi_term.tui.screens.browser_layout import both_ends
from pi_term.tui.screens.text_preview import diff_rows, line_counts, text_rows
from pi_term.tui.text import Span, path_text

if TYPE_CHECKING:
    from pi_term.coding.checkpoints import FilePreview, Preview

_WORDS = {"write": "", "create": "made again", "delete": "deleted"}
_MOST_ROWS = 600  # of a preview of many files


def count_of_files(number: int) -> str:
    """`1 file`, `3 files`."""
    return f"{number} file{'' if number == 1 else 's'}"


def file_row(
    each: FilePreview, cwd: Path, width: int, theme: Theme, ground: str | None = None, mark: str = ""
) -> Line:
    """A file: its path, what happens to it or what is in the way, how many lines come and go."""
    file = each.file
    token = "text" if file.obstacle is None else "warning" if file.confirmable else "muted"
    said = "; ".join(filter(None, [_WORDS[file.action], file.reason]))
    left: list[Span] = [
        (mark, theme.style("accent", ground)),
        (path_text(file.path, cwd), theme.style(token, ground)),
        (f"  {said}" if said else "", theme.style("muted" if file.obstacle is None else token, ground)),
    ]
    difference = each.difference
    counts = [] if difference is None else line_counts(difference.added, difference.removed, theme, ground)
    return both_ends(left, counts, width)


def file_rows(each: FilePreview, width: int, theme: Theme) -> Sequence[Line]:
    """What would change in a file; takes a while, for worker threads."""
    file, difference = each.file, each.difference
    if difference is not None and difference.details["diff"]:
        return diff_rows(difference.details["diff"], file.path, width, theme)
    if not file.confirmable:
        text = f"It cannot be restored: {file.reason}."
    elif difference is not None:
        text = "Its lines stay the same: only line ends, the encoding or nothing visible changes."
    else:
        size = "nothing" if file.size is None else f"{file.size:,} bytes"
        text = f"It would hold {size}. Its lines cannot be shown: it is no text, or too long."
    return text_rows(text, width, theme)


def preview_rows(preview: Preview, cwd: Path, width: int, theme: Theme) -> list[Line]:
    """All of a restore: its files, then what would change in each; for worker threads."""
    rows: list[Line] = []
    for row in _preview_rows(preview, cwd, width, theme):
        if len(rows) >= _MOST_ROWS:
            return [*rows, *text_rows("… and more", width, theme)]
        rows.append(row)
    return rows


def _preview_rows(preview: Preview, cwd: Path, width: int, theme: Theme) -> Iterator[Line]:
    for each in preview.files:
        yield file_row(each, cwd, width, theme)
    for each in preview.files:
        yield EMPTY_LINE
        if len(preview.files) > 1:
            yield file_row(each, cwd, width, theme)
        yield from file_rows(each, width, theme)
