"""Cutting tool output to what a model should get: its head or its tail, in whole lines."""

from __future__ import annotations

from typing import Literal

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject

MAX_LINES = 2000
MAX_BYTES = 50 * 1024


@dataclass(frozen=True, slots=True)
class Truncation:
    """What was kept, and of how much. Bytes are those of the text in UTF-8.

    A final newline does not begin another line. `last_line_partial`: a tail whose only line was itself too
    long. `first_line_exceeds_limit`: a head whose first line was, so that nothing is kept.
    """

    content: str
    truncated: bool
    truncated_by: Literal["lines", "bytes"] | None
    total_lines: int
    total_bytes: int
    output_lines: int
    output_bytes: int
    last_line_partial: bool = False
    first_line_exceeds_limit: bool = False
    max_lines: int = MAX_LINES
    max_bytes: int = MAX_BYTES

    def to_json(self) -> JsonObject:
        """The shape of `details.truncation` in Pi's sessions."""
        return {
            "content": self.content,
            "truncated": self.truncated,
            "truncatedBy": self.truncated_by,
            "totalLines": self.total_lines,
            "totalBytes": self.total_bytes,
            "outputLines": self.output_lines,
            "outputBytes": self.output_bytes,
            "lastLinePartial": self.last_line_partial,
            "firstLineExceedsLimit": self.first_line_exceeds_limit,
            "maxLines": self.max_lines,
            "maxBytes": self.max_bytes,
        }


def truncate_head(text: str, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> Truncation:
    """The first lines that fit both limits; nothing if the first line alone does not."""
    lines, size = _lines(text), _size(text)
    if len(lines) <= max_lines and size <= max_bytes:
        return _whole(text, len(lines), size, max_lines, max_bytes)
    kept, used = _fitting(lines[:max_lines], max_bytes)
    return Truncation(
        content="\n".join(lines[:kept]),
        truncated=True,
        truncated_by="lines" if kept == max_lines < len(lines) else "bytes",
        total_lines=len(lines),
        total_bytes=size,
        output_lines=kept,
        output_bytes=used,
        first_line_exceeds_limit=bool(lines) and kept == 0 and max_lines > 0,
        max_lines=max_lines,
        max_bytes=max_bytes,
    )


def truncate_tail(text: str, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> Truncation:
    """The last lines that fit both limits; of a last line that alone does not, its end."""
    lines, size = _lines(text), _size(text)
    if len(lines) <= max_lines and size <= max_bytes:
        return _whole(text, len(lines), size, max_lines, max_bytes)
    kept, used = _fitting(lines[::-1][:max_lines], max_bytes)
    content = "\n".join(lines[len(lines) - kept :])
    partial = kept == 0 and max_lines > 0 and bool(lines)
    if partial:
        content = _last_bytes(lines[-1], max_bytes)
        kept, used = 1, _size(content)
    return Truncation(
        content=content,
        truncated=True,
        truncated_by="lines" if kept == max_lines < len(lines) and not partial else "bytes",
        total_lines=len(lines),
        total_bytes=size,
        output_lines=kept,
        output_bytes=used,
        last_line_partial=partial,
        max_lines=max_lines,
        max_bytes=max_bytes,
    )


def format_size(count: int) -> str:
    """Bytes for people: `980B`, `58.6KB`, `1.5MB`, `1.0GB`."""
    if count < 1024:
        return f"{count}B"
    size, unit = count / 1024, "KB"
    for larger in ("MB", "GB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.1f}{unit}"


def _whole(text: str, lines: int, size: int, max_lines: int, max_bytes: int) -> Truncation:
    return Truncation(text, False, None, lines, size, lines, size, max_lines=max_lines, max_bytes=max_bytes)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _fitting(lines: list[str], max_bytes: int) -> tuple[int, int]:
    """How many of the lines, from the first on, fit when joined, and their bytes."""
    used = 0
    for number, line in enumerate(lines):
        more = _size(line) + (1 if number else 0)
        if used + more > max_bytes:
            return number, used
        used += more
    return len(lines), used


def _last_bytes(line: str, max_bytes: int) -> str:
    """The end of a line in at most `max_bytes`, never beginning inside a character."""
    data = line[-max_bytes:].encode("utf-8", "surrogatepass")[-max_bytes:] if max_bytes else b""
    start = 0
    while start < len(data) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:].decode("utf-8", "surrogatepass")
