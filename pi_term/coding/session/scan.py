"""Going through a session file of any size while holding only a piece of it.

For lists and searches over thousands of files, which do not need a session's tree.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from pi_term.base.abort import Wanted, always, check
from pi_term.base.json import JsonObject
from pi_term.coding.session.index import entry_starts
from pi_term.coding.session.stored import decode_line, decode_start

LONGEST_LINE = 1 << 20
"""Longer lines are never held as a whole."""

_PIECE = 1 << 18


def pieces(file: io.FileIO, wanted: Wanted) -> Iterator[bytes]:
    """What is left of `file`, in pieces; raises `OSError`, `AbortError`."""
    while piece := file.read(_PIECE):
        check(wanted)
        yield piece


class LongLine:
    """A line that is too long to be held: iterate once over its fragments, which come without its end.

    `head` is its beginning, at least a mebibyte. `rest` is what was read behind the line, and
    `ends_like_an_entry` whether its last character was a closing brace, once that is known.
    """

    def __init__(self, head: bytes, more: Iterator[bytes]) -> None:
        self.head = head
        self.rest = b""
        self.ends_like_an_entry = False
        self._fragments = self._read(more)

    def __iter__(self) -> Iterator[bytes]:
        return self._fragments

    def skip(self) -> None:
        """Go past what is left of the line."""
        for _ in self._fragments:
            pass

    def _read(self, more: Iterator[bytes]) -> Iterator[bytes]:
        self._note(self.head)
        for at in range(0, len(self.head), _PIECE):
            yield self.head[at : at + _PIECE]
        for piece in more:
            fragment, feed, self.rest = piece.partition(b"\n")
            self._note(fragment)
            yield fragment
            if feed:
                return

    def _note(self, fragment: bytes) -> None:
        if stripped := fragment[-64:].rstrip():
            self.ends_like_an_entry = stripped.endswith(b"}")


def blocks(path: Path, wanted: Wanted = always) -> Iterator[bytes | LongLine]:
    """The file as runs of whole lines, of a mebibyte or two at most, and lines longer than that.

    The last line may lack its line feed. Raises `OSError`, and `AbortError` between two pieces.
    """
    with io.FileIO(path, "r") as file:
        more = pieces(file, wanted)
        data = b""
        for piece in more:
            data += piece
            end = data.rfind(b"\n") + 1
            if end:
                yield data[:end]
                data = data[end:]
            elif len(data) > LONGEST_LINE:
                line = LongLine(data, more)
                yield line
                line.skip()
                data = line.rest
        if data:
            yield data


def entries_of(line: bytes) -> list[JsonObject]:
    """The entries in a line: one, or those that can be saved of a damaged line."""
    if not line.strip():
        return []
    data = decode_line(line)
    if data is not None:
        found: list[JsonObject | None] = [data]
    else:
        starts = [start.start() for start in entry_starts().finditer(line)]
        found = [decode_start(line[start:end]) for start, end in pairwise([*starts, len(line)])]
    return [entry for entry in found if entry is not None and isinstance(entry.get("type"), str)]
