"""Text as it goes to disk."""

from __future__ import annotations

import re

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """The text with U+FFFD for halves of characters, which models sometimes send and no file can hold."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


def encode(text: str) -> bytes:
    """UTF-8, whatever the text holds."""
    return without_surrogates(text).encode("utf-8")
