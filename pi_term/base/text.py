"""Text that came from anywhere, made fit to be encoded."""

from __future__ import annotations


def without_surrogates(text: str) -> str:
    """The text with U+FFFD for halves of characters, which models sometimes send and no file can hold.

    Two halves side by side become the character they are.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def encode(text: str) -> bytes:
    """UTF-8, whatever the text holds."""
    return without_surrogates(text).encode("utf-8")
