"""Reading the lines that ripgrep found."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pi_term.coding.tools.search.definitions import LONGEST_LINE

_MOST_TEXT = 4 * 1024 * 1024
_RECORD = re.compile(rb"(\d+)([:-])(.*)\Z", re.DOTALL)

# A line within that many bytes is given whole; a longer one has over `LONGEST_LINE` characters, and is cut.
LINE_OPTIONS = (
    "--no-heading",
    "--with-filename",
    "--line-number",
    "--null",
    "--no-context-separator",
    "--field-match-separator=:",
    "--field-context-separator=-",
    f"--max-columns={4 * LONGEST_LINE + 4}",
    "--max-columns-preview",
    "--threads=1",
    "--no-messages",
)
"""What makes ripgrep print as `Findings` reads: file after file, in the order in which they are given."""


class Findings:
    """The first `limit` matching lines, with `context` lines around each.

    `lines` is what to show. `limit_reached`: there are more; `lines_cut`: some lines are not whole.
    `is_full`: nothing more is wanted; that is so after about 4 MB at the latest.
    """

    def __init__(self, limit: int, context: int) -> None:
        self.lines: list[str] = []
        self.limit_reached = False
        self.lines_cut = False
        self.is_full = False
        self.context = context
        self._limit = limit
        self._count = 0
        self._size = 0
        self._last: tuple[bytes, int] = (b"", 0)
        self._shown: dict[bytes, str] = {}
        self._rest = b""
        self._begun: list[bytes] = []

    def expect(self, files: Iterable[tuple[str, str]]) -> None:
        """The files that come next: how ripgrep names each, and how it is shown."""
        self._rest = b""
        self._begun = []
        self._shown = {name.encode("utf-8", "surrogateescape"): shown for name, shown in files}

    def feed(self, data: bytes) -> None:
        """Take another piece of output."""
        if self.is_full:
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if not self._take(line):
                return

    def _take(self, line: bytes) -> bool:
        """Take a line of output; False when no more are wanted."""
        begin, nul, rest = line.partition(b"\0")
        self._begun.append(begin)
        if nul:
            path = self._known_path()
            self._begun = []
            record = _RECORD.match(rest)
            if path is not None and record:
                self._add(path, int(record[1]), record[2] == b":", record[3])
        return not self.is_full

    def _known_path(self) -> bytes | None:
        """The path in what has begun: it may be over several lines, and a note of a binary file before it."""
        for at in range(len(self._begun)):
            path = b"\n".join(self._begun[at:])
            if path in self._shown:
                return path
        return None

    def _add(self, path: bytes, number: int, is_match: bool, text: bytes) -> None:
        if self._count < self._limit:
            if is_match:
                self._count += 1
                self._last = (path, number)
        else:
            self.limit_reached = self.limit_reached or is_match
            last_path, last_number = self._last
            is_match = False
            if path != last_path or number > last_number + self.context:
                self.is_full = self.limit_reached
                return
        mark = ":" if is_match else "-"
        self._keep(f"{self._shown[path]}{mark}{number}{mark} {self._text(text)}")

    def _text(self, data: bytes) -> str:
        text = data.decode("utf-8", "replace").removesuffix("\r")
        if len(text) <= LONGEST_LINE:
            return text
        self.lines_cut = True
        return f"{text[:LONGEST_LINE]}... [truncated]"

    def _keep(self, line: str) -> None:
        self.lines.append(line)
        self._size += len(line)
        self.is_full = self._size > _MOST_TEXT
