"""What `read` says after the text of a file: which lines it is, and what is odd about the file."""

from __future__ import annotations

import re
from typing import NamedTuple

_KNOWN = (
    r"Showing lines \d",
    r"[\d,]+ more lines? in (?:the )?file",
    r"More than \d+ more lines",
    r"Line \d+ is ",
    r"The file is ",
    r"Not UTF-8",
)
_NOTE = rf"\[(?:{'|'.join(_KNOWN)})[^\n]*\]"
# Only what is known to be a note is taken for one: a file may end in brackets, too.
_NOTES = re.compile(rf"(?:\A|\n\n)({_NOTE}(?:\n{_NOTE})*)\Z")
_LONGEST = 10_000
_RANGE = re.compile(r"Showing lines (\d+)-(\d+) of (more than )?(\d+)")
_LEFT = re.compile(r"(More than )?(\d+) more lines? in (?:the )?file")


class ReadText(NamedTuple):
    """The text of the file, and the notes behind it, each with its brackets."""

    text: str
    notes: tuple[str, ...] = ()

    def total(self, last: int) -> str:
        """How many lines the file has, as the notes tell, when `last` is the last one that was read."""
        for note in self.notes:
            if match := _RANGE.search(note):
                return f"{int(match[4]):,}{'+' if match[3] else ''}"
            if match := _LEFT.search(note):
                return f"{last + int(match[2]):,}{'+' if match[1] else ''}"
        return ""


def read_text(result: str) -> ReadText:
    """A result of `read`, divided."""
    match = _NOTES.search(result, max(0, len(result) - _LONGEST))
    if match is None:
        return ReadText(result)
    return ReadText(result[: match.start()], tuple(match[1].split("\n")))
