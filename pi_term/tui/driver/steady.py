"""Frames that look right whatever width a terminal gives to emoji and rare scripts.

Terminals disagree about joined emoji, flags, text made emoji by a selector, and characters newer than they
are. Wherever ours is another opinion than the terminal's, the rest of the row would be shifted, and cells
of the last picture would stay. So each such character gets its cells cleared first, and what follows is put
where it belongs.
"""

from __future__ import annotations

import re
from functools import cache

from pi_term.render.cells import clusters, width_of

# What all terminals agree on: most alphabets, punctuation, arrows, lines, blocks, dots, CJK.
_SURE = (
    "\x00-\u0482\u048a-\u0556\u05d0-\u05ea\u0620-\u064a\u0e01-\u0e30\u1e00-\u200a\u2010-\u2027\u2030-\u205e"
    "\u2070-\u20bf\u2100-\u22ff\u2500-\u25fc\u2713\u2717\u2800-\u28ff\u3001-\u303d\u3041-\u3096\u30a0-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60\uffe0-\uffe6\ufffd"
    "\U0010eeee"  # stands for a piece of an image where it is sent at all
)
# Most frames hold nothing else, and this is compiled in a tenth of the time.
_FOREIGN = re.compile("[^\x00-\u0482\u2010-\u2027\u2030-\u205e\u2100-\u22ff\u2500-\u25fc\u2713\u2800-\u28ff]")


@cache
def _unsure() -> re.Pattern[str]:
    return re.compile(f"[^{_SURE}]")


@cache
def _unsure_run() -> re.Pattern[str]:
    """With the character before: a selector or mark belongs to it."""
    return re.compile(f".?[^{_SURE}]+")


_PIECE = re.compile(
    r"\x1b\[\d+;(?P<column>\d+)H"
    r"|(?P<other>\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\r\n])"
    r"|(?P<text>[^\x1b\r\n]+)"
    r"|(?s:.)"
)


def steady(frame: str) -> str:
    """`frame` with every character of doubtful width held in its place."""
    if _FOREIGN.search(frame) is None or _unsure().search(frame) is None:
        return frame
    unsure = _unsure()
    column = 1
    parts: list[str] = []
    for piece in _PIECE.finditer(frame):
        text = piece["text"]
        if text is not None:
            parts.append(text if unsure.search(text) is None else _held(text, column))
            column += width_of(text)
            continue
        parts.append(piece[0])
        if piece["column"]:
            column = int(piece["column"])
        elif piece[0] == "\r":
            column = 1
    return "".join(parts)


def _held(text: str, column: int) -> str:
    parts: list[str] = []
    done = 0
    for run in _unsure_run().finditer(text):
        before = text[done : run.start()]
        parts.append(before)
        column += width_of(before)
        done = run.end()
        for start, end, width in clusters(run[0]):
            cluster = run[0][start:end]
            if _unsure().search(cluster) is None:
                parts.append(cluster)
            else:
                parts.append(f"{' ' * width}\x1b[{column}G{cluster}\x1b[{column + width}G")
            column += width
    parts.append(text[done:])
    return "".join(parts)
