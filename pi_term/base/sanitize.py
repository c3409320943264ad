"""Text from models, tools and files is data: nothing of it may act on the terminal."""

from __future__ import annotations

import re
from functools import cache

# Strings that an escape opens (OSC, DCS, APC, PM, SOS), in the seven-bit and the one-byte form. Their
# payload is not text; one that never ends loses its opener only, so that what follows stays readable.
_STRING = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"
_CSI = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
_ESCAPE = r"\x1b[ -/]*[0-~]|\x1b"
# Directional overrides and isolates can make a line read as something it is not.
_CONTROL = r"[\x00-\x08\x0b\x0c\x0d\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]"
_NEEDS_WORK = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SGR = re.compile(r"\x1b\[[0-9;:]*m\Z")


def sanitize(text: str) -> str:
    """`text` without control sequences, control characters (but newline and tab) and overrides.

    CR LF becomes a newline; lone surrogates become U+FFFD.
    """
    if not _NEEDS_WORK.search(text):
        return text
    return _unsafe().sub(_nothing, text.replace("\r\n", "\n"))


def sanitize_keep_sgr(text: str) -> str:
    """Like `sanitize`, but colours and text styles (`ESC [ … m`) stay."""
    if not _NEEDS_WORK.search(text):
        return text
    return _unsafe().sub(_only_sgr, text.replace("\r\n", "\n"))


def sanitize_line(text: str) -> str:
    """`sanitize`, and newlines and tabs become spaces: for names, titles and labels."""
    return sanitize(text).replace("\n", " ").replace("\t", " ")


@cache
def _unsafe() -> re.Pattern[str]:
    return re.compile(rf"{_STRING}|{_CSI}|{_ESCAPE}|{_CONTROL}|[\ud800-\udfff]")


def _nothing(match: re.Match[str]) -> str:
    return "\ufffd" if "\ud800" <= match[0] <= "\udfff" else ""


def _only_sgr(match: re.Match[str]) -> str:
    return match[0] if _SGR.match(match[0]) else _nothing(match)
