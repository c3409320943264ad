"""Kitty's graphics protocol with placeholders: characters that the terminal draws a piece of an image for.

They are text for everybody else, so that scrolling and covering need nothing special. The colour of the
text names the image, marks above the first character of a row tell which row it is.
"""

from __future__ import annotations

from base64 import standard_b64encode
from collections.abc import Iterator

from rich.color import Color
from rich.segment import Segment
from rich.style import Style

PLACEHOLDER = "\U0010eeee"
_CHUNK = 4096
_RUNS = (
    "0305 030d-030e 0310 0312 033d-033f 0346 034a-034c 0350-0352 0357 035b 0363-036f 0483-0487 0592-0595 "
    "0597-0599 059c-05a1 05a8-05a9 05ab-05ac 05af 05c4 0610-0617 0657-065b 065d-065e 06d6-06dc 06df-06e2 "
    "06e4 06e7-06e8 06eb-06ec 0730 0732-0733 0735-0736 073a 073d 073f-0741 0743 0745 0747 0749-074a "
    "07eb-07f1 07f3 0816-0819 081b-0823 0825-0827 0829-082d"
)


def _marks() -> Iterator[str]:
    for run in _RUNS.split():
        first, _, last = run.partition("-")
        yield from map(chr, range(int(first, 16), int(last or first, 16) + 1))


MARKS = tuple(_marks())
"""The marks that stand for the numbers of rows and columns, from 0 on."""
MOST_ROWS = len(MARKS)


def transmission(number: int, png: bytes, columns: int, rows: int) -> str:
    """What gives the terminal an image, to be drawn where its placeholders are."""
    payload = standard_b64encode(png).decode("ascii")
    chunks = [payload[at : at + _CHUNK] for at in range(0, len(payload), _CHUNK)]
    control = f"a=T,U=1,f=100,q=2,i={number},c={columns},r={rows}"
    parts: list[str] = []
    for at, chunk in enumerate(chunks):
        more = f"m={int(at < len(chunks) - 1)}"
        parts.append(f"\x1b_G{control},{more};{chunk}\x1b\\")
        control = "q=2"
    return "".join(parts)


def deletion(number: int) -> str:
    """What makes the terminal forget an image."""
    return f"\x1b_Ga=d,d=I,q=2,i={number}\x1b\\"


def placeholders(number: int, columns: int, rows: int) -> list[list[Segment]]:
    """The cells of an image."""
    style = Style(color=Color.from_rgb(number >> 16 & 255, number >> 8 & 255, number & 255))
    rest = PLACEHOLDER * (columns - 1)
    return [[Segment(f"{PLACEHOLDER}{mark}{MARKS[0]}{rest}", style)] for mark in MARKS[:rows]]
