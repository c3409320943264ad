"""Text that came from anywhere, made fit to be stored, quoted and shown."""

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


def shortened(text: str, length: int) -> str:
    """The text in at most `length` characters; an ellipsis stands for what was cut."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def fenced(text: str, language: str = "") -> str:
    """The text as a Markdown code block which nothing in it can end."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"
