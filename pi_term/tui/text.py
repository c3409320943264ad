"""Short texts for narrow places."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from rich.segment import Segment
from rich.style import Style

from pi_term.base.sanitize import sanitize_line
from pi_term.base.text import shortened
from pi_term.render.cells import cut_cells, width_of
from pi_term.render.line import Line

Span = tuple[str, Style | None]


def line_of(*spans: Span) -> Line:
    """A row of styled pieces; every piece is made safe to show."""
    safe = [(sanitize_line(text), style) for text, style in spans]
    return Line(
        tuple(Segment(text, style) for text, style in safe if text), "".join(text for text, _ in safe)
    )


def ends(left: Sequence[Span], right: Sequence[Span], width: int, pad: int = 1) -> Line:
    """A row with something at each end; the left end is cut when both do not fit."""
    inner = max(0, width - 2 * pad)
    tail = fit(right, inner)
    room = inner - spans_width(tail)
    head = fit(left, max(0, room - 1) if tail else room)
    gap = max(0, inner - spans_width(head) - spans_width(tail))
    return line_of((" " * pad, None), *head, (" " * gap, None), *tail, (" " * pad, None))


def fit(spans: Sequence[Span], width: int) -> list[Span]:
    """As much of the pieces as fits, with an ellipsis where something is cut."""
    if spans_width(spans) <= width:
        return list(spans)
    out: list[Span] = []
    room = width - 1
    for text, style in spans:
        text = sanitize_line(text)
        size = width_of(text)
        if size > room:
            if width > 0:
                out.append((cut_cells(text, 0, max(0, room)) + "…", style))
            break
        out.append((text, style))
        room -= size
    return out


def spans_width(spans: Sequence[Span]) -> int:
    """Cells that the pieces take."""
    return sum(width_of(sanitize_line(text)) for text, _ in spans)


def count_text(number: int) -> str:
    """`950`, `1.1k`, `23k`, `1.2M`."""
    if number < 1000:
        return str(number)
    if number < 9_950:
        return f"{number / 1000:.1f}k"
    if number < 999_500:
        return f"{number / 1000:.0f}k"
    return f"{number / 1_000_000:.1f}M"


def place_text(at: int, count: int, *, more: bool = False) -> str:
    """`(3/12)`: which row of a list is selected, from 0, and how many there are; `more` of them may come."""
    if more and not count:
        return "…"
    return f"({at + 1 if count else 0}/{count}{'…' if more else ''})"


def seconds_text(seconds: float) -> str:
    """`7 s`, `1 min 12 s`, `2 h 5 min`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def ago_text(seconds: float) -> str:
    """How long ago something was: `now`, `5 min ago`, `3 h ago`, `2 days ago`, `4 months ago`."""
    minutes = int(seconds) // 60
    if minutes < 1:
        return "now"
    if minutes < 60:
        return f"{minutes} min ago"
    hours = minutes // 60
    if hours < 24:
        return f"{hours} h ago"
    days = hours // 24
    if days < 60:
        return f"{days} day{'s' if days > 1 else ''} ago"
    return f"{days // 30} months ago" if days < 730 else f"{days // 365} years ago"


def one_line(text: str, length: int = 200) -> str:
    """The beginning of a text with single blanks between its words."""
    return shortened(" ".join(text[: 4 * length].split()), length)


def path_text(path: str, cwd: Path) -> str:
    """The path as people know it: from the working folder, or from home."""
    relative = os.path.relpath(path, os.path.realpath(cwd))
    return home_path(Path(path)) if relative.startswith("..") else relative


def typed_path(text: str, cwd: Path) -> Path:
    """The place of a path that somebody typed or dropped."""
    return Path(os.path.abspath(cwd / os.path.expanduser(text.strip("'\""))))


def home_path(path: Path) -> str:
    """The path with `~` for the home folder."""
    home = os.path.expanduser("~")
    text = str(path)
    if text == home or text.startswith(home + os.sep):
        return "~" + text[len(home) :]
    return text
