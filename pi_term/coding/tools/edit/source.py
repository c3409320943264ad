"""A text file as an edit sees it: one kind of line end, no byte-order mark, and the way back to the bytes."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property

from pi_term.coding.tools.encodings import encoding_of

_ALL_ENDS = re.compile("\r\n?")
_NOT_TEXT = re.compile("[\ud800-\udfff]")
_TEXT_BEYOND_ASCII = re.compile("[^\x00-\x7f\ud800-\udfff]")


def with_plain_ends(text: str) -> str:
    """The text with every line end (CRLF, lone CR) as LF."""
    return _ALL_ENDS.sub("\n", text) if "\r" in text else text


def pieces(text: str) -> list[str]:
    """The lines of a text with plain ends, each with its end; an unfinished last line too."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def printable(text: str) -> str:
    """The text with U+FFFD for what is none."""
    return text if text.isascii() else _NOT_TEXT.sub("\ufffd", text)


class Source:
    """`text` is what edits are matched against; `raw` is the file's text as it is, without the mark.

    Bytes that are not in the file's encoding become lone surrogates in both, so that they can be written
    back unchanged.
    """

    def __init__(self, data: bytes) -> None:
        self._encoding = encoding_of(data, whole=True)
        self._errors = "surrogateescape" if self._encoding.is_utf8 else "surrogatepass"
        self.raw = data[len(self._encoding.mark) :].decode(self._encoding.codec, self._errors)
        self.text = with_plain_ends(self.raw)

    @cached_property
    def is_legacy(self) -> bool:
        """Whether the file is in an encoding of the time before Unicode; there is no telling which.

        All its characters beyond ASCII are bytes that are not UTF-8; with some UTF-8 among them it is a
        UTF-8 file with a few bytes broken.
        """
        if self._encoding.mark or self.raw.isascii():
            return False
        return _NOT_TEXT.search(self.raw) is not None and _TEXT_BEYOND_ASCII.search(self.raw) is None

    @cached_property
    def _crlf(self) -> list[int]:
        """Where in `text` stand the line ends that are two characters in `raw`."""
        found = re.finditer("\r\n", self.raw)
        return [match.start() - number for number, match in enumerate(found)]

    @cached_property
    def line_starts(self) -> list[int]:
        """Where in `text` each line begins; a final newline begins none."""
        starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        return starts[:-1] if starts[-1] == len(self.text) else starts

    def to_raw(self, position: int) -> int:
        """The position in `raw` of a position in `text`."""
        return position + bisect_left(self._crlf, position)

    def raw_slice(self, start: int, end: int) -> str:
        """The raw characters of `text[start:end]`."""
        return self.raw[self.to_raw(start) : self.to_raw(end)]

    def line_end_at(self, position: int) -> str:
        """The line end of the line that holds a position in `text`; an unfinished last line takes that of
        the line before it."""
        newline = self.text.find("\n", position)
        if newline < 0:
            newline = self.text.rfind("\n", 0, position)
        return self.raw_slice(newline, newline + 1) if newline >= 0 else "\n"

    def encode(self, raw: str) -> bytes:
        """The file's bytes with this raw text."""
        return self._encoding.mark + raw.encode(self._encoding.codec, self._errors)
