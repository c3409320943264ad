"""What a command prints: its end in memory, all of it in a file once it is long."""

from __future__ import annotations

import codecs
import os
import threading
from dataclasses import replace
from pathlib import Path

from pi_term.base.dataclass import dataclass
from pi_term.base.files import private_dir, write_all
from pi_term.coding.tools.truncate import MAX_BYTES, MAX_LINES, Truncation, format_size, truncate_tail

FILE_PREFIX, FILE_SUFFIX = "pi-term-bash-", ".log"
"""How the names of files of full output begin and end."""
MAX_FILE_BYTES = 1024**3
"""Of longer output, the file holds the beginning."""
_TAIL_BYTES = MAX_BYTES + 8
"""What the end in memory never falls below: more than can be shown, so that a cut character is not."""


@dataclass(frozen=True, slots=True)
class Output:
    """The output so far: the part to show, and where all of it is.

    `file_problem` says what is missing in the file, or why there is none ("" when it is complete).
    """

    shown: Truncation
    last_line_size: int
    path: Path | None
    file_problem: str = ""

    def text(self) -> str:
        """The part to show, with a note of what was cut."""
        if not self.shown.truncated:
            return self.shown.content
        return f"{self.shown.content}\n\n[{self._what_is_shown()}. {self._where()}]"

    def details(self) -> dict[str, object] | None:
        """Pi's `details` of a command whose output was cut."""
        if not self.shown.truncated:
            return None
        details: dict[str, object] = {"truncation": self.shown.to_json()}
        if self.path is not None:
            details["fullOutputPath"] = str(self.path)
        return details

    def _what_is_shown(self) -> str:
        shown = self.shown
        if shown.last_line_partial:
            of = f"line {shown.total_lines} (line is {format_size(self.last_line_size)})"
            return f"Showing last {format_size(shown.output_bytes)} of {of}"
        first = shown.total_lines - shown.output_lines + 1
        why = f" ({format_size(shown.max_bytes)} limit)" if shown.truncated_by == "bytes" else ""
        return f"Showing lines {first}-{shown.total_lines} of {shown.total_lines}{why}"

    def _where(self) -> str:
        if self.path is None:
            return f"The full output was not kept: {self.file_problem}"
        problem = f" ({self.file_problem})" if self.file_problem else ""
        return f"Full output: {self.path}{problem}"


class OutputLog:
    """Collects output from one thread and shows it to others. Memory is bounded whatever comes.

    The file appears when the output passes what can be shown. It is readable by its owner only and stays.
    A slow disk holds up `add` and `close`, never `so_far`.
    """

    def __init__(self, folder: Path, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        self._folder = folder
        self._max_file_bytes = max_file_bytes
        self._lock = threading.Lock()
        self._file_lock = threading.Lock()
        self._tail = bytearray()
        self._size = 0
        self._kept = 0
        self._newlines = 0
        self._line_size = 0
        self._ended_line_size = 0
        self._path: Path | None = None
        self._file = -1
        self._file_problem = ""
        self._closed = False

    @property
    def size(self) -> int:
        """Bytes that came so far."""
        return self._size

    def add(self, data: bytes) -> bool:
        """Take more output; False once closed, when it is dropped."""
        with self._lock:
            if self._closed:
                return False
            self._count(data)
            self._tail += data
        with self._file_lock:
            if not self._closed and self._is_long:
                self._keep()
        with self._lock:
            if len(self._tail) > 2 * _TAIL_BYTES:
                del self._tail[:-_TAIL_BYTES]
        return True

    def so_far(self) -> Output:
        """The output up to now; a character that is not complete yet is left out."""
        return self._output(final=False)

    def close(self) -> Output:
        """Take nothing more; the output as it stays."""
        with self._lock:
            self._closed = True
        with self._file_lock:
            if self._output(final=True).shown.truncated:
                self._keep()
            self._close_file()
        return self._output(final=True)

    @property
    def _lines(self) -> int:
        return self._newlines + (1 if self._line_size else 0)

    @property
    def _is_long(self) -> bool:
        return self._size > MAX_BYTES or self._lines > MAX_LINES

    def _count(self, data: bytes) -> None:
        self._size += len(data)
        last = data.rfind(b"\n")
        if last < 0:
            self._line_size += len(data)
            return
        before = data.rfind(b"\n", 0, last)
        self._ended_line_size = last - before - 1 + (self._line_size if before < 0 else 0)
        self._line_size = len(data) - last - 1
        self._newlines += data.count(b"\n")

    def _output(self, *, final: bool) -> Output:
        with self._lock:
            data, size, lines, is_long = bytes(self._tail), self._size, self._lines, self._is_long
            last_line_size = self._line_size or self._ended_line_size
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(data, final)
        shown = truncate_tail(text)
        if is_long:
            shown = replace(shown, total_lines=lines, total_bytes=size)
        return Output(shown, last_line_size, self._path, self._file_problem)

    def _keep(self) -> None:
        """Write what is not in the file yet; all of that is still in memory."""
        if self._path is None and not self._file_problem:
            self._open_file()
        missing = self._size - self._kept
        if missing and self._file >= 0:
            self._write(bytes(self._tail[-missing:]))
        self._kept = self._size

    def _open_file(self) -> None:
        import tempfile

        try:
            private_dir(self._folder)
            self._file, name = tempfile.mkstemp(FILE_SUFFIX, FILE_PREFIX, self._folder)
        except OSError as error:
            self._file_problem = error.strerror or str(error)
            return
        self._path = Path(name)

    def _write(self, data: bytes) -> None:
        room = self._max_file_bytes - self._kept
        try:
            write_all(self._file, data[:room])
        except OSError as error:
            self._file_problem = f"incomplete: {error.strerror or error}"
            self._close_file()
            return
        if len(data) > room:
            self._file_problem = f"only its first {format_size(self._max_file_bytes)}"
            self._close_file()

    def _close_file(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
