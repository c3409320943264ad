"""The first line of a session file, and the decision whether a file is a session at all."""

from __future__ import annotations

import math
import re
from pathlib import Path

from pi_term.base.errors import PiTermError
from pi_term.coding.session.entries import CURRENT_VERSION, SessionHeader
from pi_term.coding.session.index import entry_starts
from pi_term.coding.session.stored import Lines, decode_line

HEAD_BYTES = 1 << 16
_SAMPLE_BYTES = 1 << 20
_CWD = rb'"cwd":"(?:[^"\\\n]|\\.)*"'


def parse_header(line: bytes) -> SessionHeader | None:
    """The header a line holds, or None."""
    data = decode_line(line.removeprefix(b"\xef\xbb\xbf"))
    if data is None or data.get("type") != "session" or not isinstance(data.get("id"), str):
        return None
    if not isinstance(data.get("cwd", ""), str):
        data = {**data, "cwd": ""}
    return SessionHeader.from_json({**data, "version": _version(data.get("version"))})


def needs_upgrade(header: SessionHeader) -> bool:
    """Whether the header is that of an old version."""
    return header.version < CURRENT_VERSION


def _version(value: object) -> int:
    """The oldest format has no version; one that is no number tells nothing."""
    if value is None:
        return 1
    if isinstance(value, int | float) and math.isfinite(value):
        return int(value)
    return CURRENT_VERSION


def read_header(lines: Lines, path: Path) -> tuple[SessionHeader, int]:
    """The header of an open session file and the offset of the line behind it.

    A header that is damaged is made up from the file's name when entries of a session follow; the
    offset is 0 then. Raises `PiTermError("not_a_session")` for a file that is something else; `OSError`.
    """
    head = lines.read(0, HEAD_BYTES)
    line, feed, _ = head.partition(b"\n")
    header = parse_header(line)
    if header is None:
        return _rescued(lines, path, line), 0
    if header.version > CURRENT_VERSION:
        lines.report(f"written by a newer program (session version {header.version})", 1)
    return header, len(line) + len(feed)


def _rescued(lines: Lines, path: Path, line: bytes) -> SessionHeader:
    foreign = PiTermError(
        "not_a_session",
        f"{path} is not a session file; it was left as it is.",
        "Give the path of a .jsonl file from the sessions folder, or a session's id.",
    )
    entry = None
    if decode_line(line) is None:
        entry = re.search(rb"^" + entry_starts().pattern, lines.read(0, _SAMPLE_BYTES), re.MULTILINE)
    if entry is None:
        raise foreign
    lines.report("the session header is damaged; id and folder were taken from what is left", 1)
    found = re.search(_CWD, line)
    place = decode_line(b"{" + found.group() + b"}") if found is not None else None
    return SessionHeader(
        version=CURRENT_VERSION,
        id=path.stem.partition("_")[2] or path.stem,
        timestamp=entry.group(4).decode(),
        cwd=place["cwd"] if place is not None else "",
    )
